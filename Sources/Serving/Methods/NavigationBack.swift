import JSONRPC

extension Method {
    /// The user left a child. It is taken off as its view model would have, unless one of those that end with it refuses.
    ///
    /// It doesn't wait in the session's queue: one goes back from what still loads.
    static let navigationBack = Method(MethodNames.navigationBack, .request) {
        connection, params, call throws(RPCError) in
        guard let call else { return nil }
        try connection.views.goBack(from: params.requiredInteger("session"), call)
        return nil
    }
}
