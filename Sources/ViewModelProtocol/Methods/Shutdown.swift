package import JSONRPC

/// Takes this connection's views off and closes the sessions that no other view holds. Only exit may follow.
package enum Shutdown: ClientMethod {
    package static let name: StaticString = "shutdown"
    package typealias Params = NoParams
    package typealias Result = Null
    package static let errors: [ErrorCode] = [.storeUnavailable]

    package static let examples = [MessageExample("before exit", result: "null")]
}
