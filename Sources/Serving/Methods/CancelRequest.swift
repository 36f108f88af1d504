import JSONRPC

extension Method {
    /// Gives up on the request `id`. One that is answered already, or never was, is no error: the two cross on the way.
    static let cancelRequest = Method(Message.cancellationMethod, .notification) {
        connection, params, _ throws(RPCError) in
        guard let id = RequestID(try params.requiredValue("id")) else {
            throw .invalidParams(at: Params.path("id"), "expected a string or an integer")
        }
        connection.cancel(id)
        return nil
    }
}
