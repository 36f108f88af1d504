import JSONRPC

extension Method {
    /// Answers, which is all that it is for.
    static let ping = Method(MethodNames.ping, .request) { _, _, _ throws(RPCError) in null }
}
