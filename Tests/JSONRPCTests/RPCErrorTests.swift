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

    @Test func `a limit says which one, and when to try again where that helps`() {
        #expect(RPCError.limitExceeded("x", "y").data == Array(#"{"limit":"x"}"#.utf8))
        #expect(
            RPCError.limitExceeded("x", "y", retryAfterMilliseconds: 5).data
                == Array(#"{"limit":"x","retryAfterMs":5}"#.utf8))
    }
}
