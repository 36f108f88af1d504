import TestSupport
import Testing

import Serving
import ViewModels

@Suite(.inTurn) struct ServerLogTests {
    @Test func `each level includes those before it, and a notice is always written`() {
        let lines = Recorder<String>()
        for level in ServerLog.Level.allCases {
            let log = ServerLog(level: level, write: { lines.record($0) })
            log.notice("now \(level)")
            log.error("e")
            log.warning("w")
            log.info("i")
            log.debug("d")
        }
        let expected = [
            "now error", "error: e",
            "now warning", "error: e", "warning: w",
            "now info", "error: e", "warning: w", "info: i",
            "now debug", "error: e", "warning: w", "info: i", "debug: d",
        ]
        #expect(lines.elements == expected)
    }

    @Test func `at debug each line but a notice begins with the time`() {
        let lines = Recorder<String>()
        for level in [ServerLog.Level.info, .debug] {
            let log = ServerLog(level: level, time: { "12:00" }, write: { lines.record($0) })
            log.notice("now")
            log.error("e")
            log.debug("d")
        }
        #expect(lines.elements == ["now", "error: e", "now", "12:00 error: e", "12:00 debug: d"])
    }

    @Test func `a client's text can't make a line of its own`() {
        let lines = Recorder<String>()
        ServerLog(level: .error, write: { lines.record($0) }).error("id \"a\r\nerror: forged\u{2028}\"")
        #expect(lines.elements == [#"error: id "a\r\nerror: forged\u{2028}""#])
    }

    @Test(arguments: [
        ("a\u{1B}[2J\u{7}b", #"a\u{1B}[2J\u{07}b"#), ("\u{9B}31m", #"\u{009B}31m"#),
        ("\u{202E}gnp.exe", #"\u{202E}gnp.exe"#),
        ("é 漢 🙂 \\ '", "é 漢 🙂 \\ '"), ("\0\t\r\n", #"\0\t\r\n"#), ("\u{FEFF}x\u{85}", #"\u{FEFF}x\u{0085}"#),
    ])
    func `no byte of a client acts on a terminal`(_ text: String, _ visible: String) {
        let lines = Recorder<String>()
        let log = ServerLog(level: .error, write: { lines.record($0) })
        log.error(text)
        var count = LineCount()
        log.log(.error, of: "x", &count, text)
        #expect(lines.elements == ["error: \(visible)", "error: x: \(visible)"])
    }

    @Test func `a long message is cut`() {
        let lines = Recorder<String>()
        ServerLog(level: .error, write: { lines.record($0) }).error(String(repeating: "\u{1B}", count: 100_000))
        #expect(lines.elements[0].utf8.count < 2_200 && lines.elements[0].hasSuffix("… (100000 bytes)"))
    }

    @Test func `lines about one client are few, and those left out are counted`() {
        let (lines, clock) = (Recorder<String>(), ManualClock())
        let log = ServerLog(level: .warning, clientLines: 2, lines: 100, clock: clock, write: { lines.record($0) })
        var (one, other) = (LineCount(), LineCount())
        var made = 0
        func message() -> String {
            made += 1
            return "m"
        }
        for _ in 0..<1_000 { log.log(.warning, of: "one", &one, message()) }
        #expect(made == 2, "a line that is left out is made all the same")
        log.log(.warning, of: "other", &other, "n")
        clock.advance(by: .seconds(10))
        log.log(.warning, of: "one", &one, "late")
        for _ in 0..<10 { log.log(.warning, of: "one", &one, "m") }
        log.end(of: "one", &one)
        log.end(of: "other", &other)
        #expect(
            lines.elements == [
                "warning: one: m", "warning: one: m", "warning: other: n", "warning: one: 998 lines left out",
                "warning: one: late", "warning: one: m", "warning: one: 9 lines left out",
            ])
        #expect(log.lineCounts.leftOut == 1_007)
    }

    @Test func `lines about all clients are few, and the server's own are all written`() {
        let (lines, clock) = (Recorder<String>(), ManualClock())
        let log = ServerLog(level: .warning, clientLines: 2, lines: 3, clock: clock, write: { lines.record($0) })
        for client in 0..<100 {
            var count = LineCount()
            log.log(.warning, of: "\(client)", &count, "m")
            log.warning("own")
        }
        clock.advance(by: .seconds(10))
        var count = LineCount()
        log.log(.warning, of: "late", &count, "m")
        #expect(lines.elements.count { $0 == "warning: own" } == 100)
        #expect(
            lines.elements.filter { $0 != "warning: own" } == [
                "warning: 0: m", "warning: 1: m", "warning: 2: m", "warning: 97 lines about clients left out",
                "warning: late: m",
            ])
    }
}
