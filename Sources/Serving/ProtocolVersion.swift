import JSON
import JSONRPC

/// Versions of the protocol: a client's is compatible when its major number is the same.
package enum ProtocolVersion {
    package static let current = "1.0"

    static func check(_ version: String) throws(RPCError) {
        guard version.split(separator: ".", omittingEmptySubsequences: false).first != "1" else { return }
        throw RPCError(.invalidParams, "protocolVersion \"\(version)\" is not supported; this server speaks \(current)")
        {
            $0.key("path")
            $0.string("/protocolVersion")
            $0.key("reason")
            $0.string("not supported")
            $0.key("supported")
            $0.beginArray()
            $0.string(current)
            $0.endArray()
        }
    }
}
