import JSON
import JSONRPC
import TestSupport
import Testing

@Suite(.inTurn) struct RPCErrorTests {
    @Test func `an error in params has its path and its reason`() {
        let error = RPCError.invalidParams(at: "/event/index", "missing")
        #expect(error.code == .invalidParams)
        #expect(error.message == "/event/index: missing")
        #expect(error.data == Array(#"{"path":"/event/index","reason":"missing"}"#.utf8))
    }

    @Test func `an error in all of params says so in words`() {
        let error = RPCError.invalidParams(JSONCodingError(path: .root, reason: "missing"))
        #expect(error.message == "params: missing")
        #expect(error.data == Array(#"{"path":"","reason":"missing"}"#.utf8))
    }

    /// Text that the other side may have sent, with and without characters that JSON escapes.
    @Test(arguments: ["x", "\u{1}", "\"\\", "é漢🙂", "~0", "\u{301}"])
    func `an error with its data is at most 4 KiB, valid, and marked where it was cut`(_ part: String) throws {
        let text = String(repeating: part, count: 10_000)
        let path = JSONPointer.root.appending(text)
        let errors = [
            RPCError(.invalidRequest, text), .invalidParams(at: path, text),
            RPCError(.invalidRequest, text) { data in
                data.key("known")
                data.beginArray()
                for _ in 0..<2_000 { data.string(part) }
                data.endArray()
            },
            RPCError(.invalidRequest, text) { data in
                for _ in 0..<5 {
                    data.key(text)
                    data.string(text)
                }
            },
        ]
        for error in errors {
            var writer = JSONWriter()
            MessageEncoder.response(RequestID(1), into: &writer, error: error)
            let message = writer.takeBytes()
            #expect(message.count <= 4_096)
            let value = try message.withUnsafeBytes { try JSONText(validating: $0) }
            #expect(value.description.contains("…"))
        }
    }

    @Test func `what is short stays as it is`() {
        let text = String(repeating: "\u{1}", count: 300)
        #expect(RPCError(.invalidRequest, text).message == text)
        let plain = String(repeating: "x", count: 2_000)
        #expect(RPCError(.invalidRequest, plain).message == plain)
        #expect(RPCError(.invalidRequest, plain + "x").message.hasSuffix("x… (2001 bytes)"))
    }
}
