import JSONRPC

extension Method {
    /// How much of what it does the server tells the client by `$/logTrace`.
    static let setTrace = Method(MethodNames.setTrace, .notification) { connection, params, _ throws(RPCError) in
        connection.trace = .init(lenient: try params.requiredString("value"))
        return nil
    }
}
