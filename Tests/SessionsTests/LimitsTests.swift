import Sessions
import Testing

@Suite struct LimitsTests {
    @Test func `the defaults are the protocol's`() {
        let limits = Limits()
        #expect(limits.messageBytes == 16 * 1024 * 1024)
        #expect(limits.headerBytes == 8 * 1024)
        #expect(limits.nesting == 512)
        #expect(limits.sessions == 1_024)
        #expect(limits.pendingEvents == 4_096)
        #expect(limits.pendingBytes == 8 * 1024 * 1024)
        #expect(limits.replayEvents == 1_024)
        #expect(limits.replayBytes == 1024 * 1024)
        #expect(limits.viewBytes == 8 * 1024 * 1024)
        #expect(limits.clientBytes == 256)
        #expect(limits.resumeWindow == .seconds(180))
    }
}
