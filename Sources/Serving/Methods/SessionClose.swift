import JSONRPC

extension Method {
    /// Ends a session for everyone, now: its handler is cancelled, and what waited or ran is answered `UnknownSession`.
    static let sessionClose = Method(MethodNames.sessionClose, .request) { connection, params, _ throws(RPCError) in
        try connection.views.close(params.requiredInteger("session"))
        return null
    }
}
