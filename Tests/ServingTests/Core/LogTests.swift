import TestSupport
import Testing

import Serving

struct LogTests {
    @Test func `each level includes those before it, and a notice is always written`() {
        let lines = Recorder<String>()
        for level in Log.Level.allCases {
            let log = Log(level: level, write: { lines.record($0) })
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

    @Test func `a client's text can't make a line of its own`() {
        let lines = Recorder<String>()
        Log(level: .error, write: { lines.record($0) }).error("id \"a\r\nerror: forged\u{2028}\"")
        #expect(lines.elements == ["error: id \"a error: forged \""])
    }
}
