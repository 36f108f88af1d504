package import JSON

/// One JSON-RPC 2.0 message as the other side sent it, valid or not.
///
/// Borrows the bytes it was read from: valid only while they are.
package enum Message {
    /// The one method that this layer knows, for the form in which Vim sends it.
    package static let cancellationMethod = MethodNames.cancelRequest

    /// Owed exactly one answer.
    case request(id: RequestID, method: MethodName, params: JSONValue?)
    /// Owed none.
    case notification(method: MethodName, params: JSONValue?)
    /// A request that shall be given up, in the form that Vim 9 sends: shaped like a request for `$/cancelRequest` with
    /// the id of the call, without params, and owed no answer of its own.
    case cancellation(id: RequestID)
    /// An answer to what this side has asked; nil where its id is neither a string nor an integer.
    case response(id: RequestID?, Response)
    /// Not a JSON-RPC 2.0 message; owed this error, with the id where one could be read.
    case invalid(RPCError, id: RequestID?)
}
