package import JSONRPC

/// Takes this connection's views off. Of the sessions that no other view holds those are closed that can't be found again;
/// durable ones stay, as after a lost connection. Only exit may follow.
package enum Shutdown: ClientMethod {
    package static let name: StaticString = "shutdown"
    package static let viewEffect = ViewEffect.ofConnection
    package typealias Params = NoParams
    package typealias Result = Null
    package static let errors: [ErrorCode] = [.storeUnavailable]

    package static let examples = [MessageExample("before exit", result: "null")]
}
