import JSON
import JSONRPC
import Testing

@Suite struct RPCErrorTests {
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
}
