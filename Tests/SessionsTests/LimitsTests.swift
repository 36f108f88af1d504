import Sessions
import TestSupport
import Testing

@Suite(.inTurn) struct LimitsTests {
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

    @Test func `each limit can be set by its name, and no other`() throws {
        let names = Mirror(reflecting: Limits()).children.compactMap(\.label)
        #expect(Set(names) == Set(Limits.names) && names.count == Limits.names.count)
        for name in names {
            var limits = Limits()
            try limits.set(name, to: "77")
            let changed = zip(Mirror(reflecting: limits).children, Mirror(reflecting: Limits()).children)
                .filter { "\($0.value)" != "\($1.value)" }.map(\.0)
            #expect(changed.map(\.label) == [name])
            #expect(changed.first.map { "\($0.value)".hasPrefix("77") } == true)
        }
    }

    @Test(arguments: [
        ("messageBytes", "64KiB", 65_536), ("messageBytes", "2MiB", 2 << 20), ("messageBytes", "0", 0),
        ("sessions", "5", 5),
    ])
    func `a limit takes a number`(_ name: String, _ text: String, _ number: Int) throws {
        var limits = Limits()
        try limits.set(name, to: text)
        #expect(name == "sessions" ? limits.sessions == number : limits.messageBytes == number)
    }

    @Test(arguments: [
        ("nosuch", "1", "there is no limit 'nosuch'; there are abandonedBytes, "),
        ("messageBytes", "-1", "'messageBytes' takes a number of bytes, such as 65536, 64KiB or 1MiB, not '-1'"),
        ("messageBytes", "", "'messageBytes' takes"), ("messageBytes", "9999999999999999MiB", "'messageBytes' takes"),
        ("sessions", "1KiB", "'sessions' takes a number, not '1KiB'"), ("sessions", "１", "'sessions' takes"),
        ("drainGrace", "0", "'drainGrace' takes seconds, more than 0, not '0'"),
        ("drainGrace", "nan", "'drainGrace' takes"),
    ])
    func `a wrong limit is an error that says what is right`(_ name: String, _ text: String, _ reason: String) {
        var limits = Limits()
        let error = #expect(throws: Limits.Mistake.self) { try limits.set(name, to: text) }
        #expect(error?.reason.hasPrefix(reason) == true, "\(error?.reason ?? "")")
        #expect(limits == Limits())
    }
}
