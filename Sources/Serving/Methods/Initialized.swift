import JSONRPC

extension Method {
    /// Does nothing: the answer to `initialize` is all that the server waits for.
    static let initialized = Method(MethodNames.initialized, .notification) { _, _, _ throws(RPCError) in nil }
}
