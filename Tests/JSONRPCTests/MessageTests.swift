import JSON
import JSONRPC
import TestSupport
import Testing

@Suite(.inTurn) struct MethodNameTests {
    @Test(arguments: [
        (#""ping""#, "ping"), (#""\u0070ing""#, "ping"), (#""\u0070\u0069\u006e\u0067""#, "ping"), (#""""#, ""),
        (#""a\/b""#, "a/b"), (#""\"""#, "\""), (#""é""#, "é"), (#""\u00e9""#, "é"),
    ])
    func `a name is the same however it is escaped`(text: String, name: String) throws {
        try withName(text) { found in
            #expect("\(found)" == name)
            #expect(isName(found, name))
            for other in ["pong", "pin", "pings", "a", #"\u0070ing"#, #""ping""#] where other != name {
                #expect(!isName(found, other), "\(other)")
            }
        }
    }

    private func withName(_ text: String, _ body: (MethodName) -> Void) throws {
        let message = Array(#"{"jsonrpc":"2.0","method":\#(text)}"#.utf8)
        try message.withUnsafeBytes { bytes in
            guard case .message(.notification(let name, _)) = MessageDecoder().decode(bytes) else {
                throw Unexpected()
            }
            body(name)
        }
    }

    /// Names are compared with literals only, so each has its own here.
    private func isName(_ found: MethodName, _ name: String) -> Bool {
        switch name {
        case "ping": found == "ping"
        case "pong": found == "pong"
        case "pin": found == "pin"
        case "pings": found == "pings"
        case "": found == ""
        case "a": found == "a"
        case "a/b": found == "a/b"
        case "\"": found == "\""
        case "é": found == "é"
        case #""ping""#: found == #""ping""#
        default: false
        }
    }

    private struct Unexpected: Error {}
}
