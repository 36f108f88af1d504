import JSONRPC

extension Method {
    /// Takes this connection's views off and closes the sessions that no other view holds.
    static let shutdown = Method(MethodNames.shutdown, .request) { connection, _, _ throws(RPCError) in
        connection.shutDown()
        return null
    }
}
