import Sessions
import Testing

@Suite struct EndReasonTests {
    @Test func `the reasons are the protocol's words`() {
        let reasons: [EndReason] = [.closed, .dismissed, .popped, .failed, .overflow, .serverShutdown]
        #expect(reasons.map(\.rawValue) == ["closed", "dismissed", "popped", "failed", "overflow", "serverShutdown"])
    }
}
