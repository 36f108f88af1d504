import JSONRPC
import TestSupport
import Testing
import ViewModelProtocol

@Suite(.inTurn) struct ProtocolErrorTests {
    @Test func `the codes are the protocol's`() {
        let codes = Dictionary(uniqueKeysWithValues: ProtocolError.all.map { ($0.name, $0.code.rawValue) })
        #expect(
            codes == [
                "ParseError": -32700, "InvalidRequest": -32600, "MethodNotFound": -32601, "InvalidParams": -32602,
                "InternalError": -32603, "ServerNotInitialized": -32002, "RequestCancelled": -32800,
                "Unauthorized": -32010, "UnknownViewModel": -32011, "UnknownSession": -32012,
                "ReplayUnavailable": -32013, "ViewModelFailed": -32014, "LimitExceeded": -32015,
                "StoreUnavailable": -32016, "Forbidden": -32017,
            ])
    }

    @Test func `a limit has its name, and when to try again where that helps`() {
        #expect(RPCError.limitExceeded("x", "y", retryAfterMilliseconds: nil).data == Array(#"{"limit":"x"}"#.utf8))
        #expect(
            RPCError.limitExceeded("x", "y", retryAfterMilliseconds: 5).data
                == Array(#"{"limit":"x","retryAfterMs":5}"#.utf8))
        let error = Dialect.viewModels.limitExceeded("x", "y")
        #expect(error == .limitExceeded("x", "y", retryAfterMilliseconds: nil))
    }

    @Test func `an unknown view model lists those that are known`() {
        let error = RPCError.unknownViewModel("there is no \"a\"; registered are", known: ["b", "c"])
        #expect(error.message == "there is no \"a\"; registered are: b, c")
        #expect(error.data == Array(#"{"known":["b","c"]}"#.utf8))
        #expect(RPCError.unknownViewModel("registered are", known: []).message == "registered are: none")
    }
}
