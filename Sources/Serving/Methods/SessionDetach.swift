import JSONRPC

extension Method {
    /// Takes a view off; its session goes on for the others, and without any for the resume window.
    static let sessionDetach = Method(MethodNames.sessionDetach, .request) { connection, params, _ throws(RPCError) in
        try connection.views.detach(params.requiredInteger("session"))
        return null
    }
}
