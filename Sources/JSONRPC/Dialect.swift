/// The rules of a protocol on top of JSON-RPC 2.0 that concern whole messages, of which JSON-RPC itself knows nothing.
///
/// An object, which all connections share.
package final class Dialect: Sendable {
    /// The method of a request that cancels: without params, it gives up on the request with the same id. Vim 9 cancels so.
    package let cancellationMethod: StaticString?
    /// Makes the error for a message that exceeds the limit of this name, as JSON-RPC has no code for that.
    package let limitExceeded: @Sendable (_ limit: String, _ message: String) -> RPCError

    package init(
        cancellationMethod: StaticString?,
        limitExceeded: @escaping @Sendable (_ limit: String, _ message: String) -> RPCError
    ) {
        self.cancellationMethod = cancellationMethod
        self.limitExceeded = limitExceeded
    }

    /// JSON-RPC 2.0 alone: a message beyond a limit is an `InvalidRequest`.
    package static let jsonRPC = Dialect(cancellationMethod: nil) { RPCError(.invalidRequest, $1) }
}
