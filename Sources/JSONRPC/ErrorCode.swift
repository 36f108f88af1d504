/// Every error code that the server answers with: JSON-RPC's own, the Language Server Protocol's, and this protocol's
/// (-32010…-32015, which neither of those nor StreamJsonRpc nor MCP uses).
package enum ErrorCode: Int, Sendable, CaseIterable {
    /// Not JSON, not UTF-8, not framed.
    case parseError = -32700
    /// Not a JSON-RPC 2.0 message, or not allowed now.
    case invalidRequest = -32600
    /// No such request.
    case methodNotFound = -32601
    /// `data` has `path`, a JSON Pointer into `params`, and `reason`.
    case invalidParams = -32602
    /// A fault of the server, never a view model's.
    case internalError = -32603
    /// Sent before `initialize`.
    case serverNotInitialized = -32002
    /// Cancelled by `$/cancelRequest`, or by the server's end.
    case requestCancelled = -32800
    /// The token is wrong or missing; the connection is closed after it.
    case unauthorized = -32010
    /// `data.known` has the registered names.
    case unknownViewModel = -32011
    /// No such view on this connection, or no session with such a key.
    case unknownSession = -32012
    /// `data.oldest` is the oldest number that is kept.
    case replayUnavailable = -32013
    /// The handler threw; the session goes on.
    case viewModelFailed = -32014
    /// `data.limit` says which one, `data.retryAfterMs` when to try again, where that helps.
    case limitExceeded = -32015
}
