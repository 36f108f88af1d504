import JSONRPC

extension Method {
    /// Ends the process on stdio, with status 0 after `shutdown` and 1 without; closes the connection elsewhere.
    static let exit = Method(MethodNames.exit, .notification, .always) { connection, _, _ throws(RPCError) in
        connection.exit()
        return nil
    }
}
