import JSONRPC
import Testing

@Suite struct ErrorCodeTests {
    @Test func `the codes are the protocol's`() {
        let codes = Dictionary(uniqueKeysWithValues: ErrorCode.allCases.map { ("\($0)", $0.rawValue) })
        #expect(
            codes == [
                "parseError": -32700, "invalidRequest": -32600, "methodNotFound": -32601, "invalidParams": -32602,
                "internalError": -32603, "serverNotInitialized": -32002, "requestCancelled": -32800,
                "unauthorized": -32010, "unknownViewModel": -32011, "unknownSession": -32012,
                "replayUnavailable": -32013, "viewModelFailed": -32014, "limitExceeded": -32015,
            ])
    }
}
