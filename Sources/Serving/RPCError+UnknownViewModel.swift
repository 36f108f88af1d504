import JSON
import JSONRPC

extension RPCError {
    /// - Parameters:
    ///   - reason: to be followed by the names.
    ///   - known: what can be asked for instead.
    static func unknownViewModel(_ reason: String, known: [String]) -> RPCError {
        let list = known.isEmpty ? "none" : known.joined(separator: ", ")
        return RPCError(.unknownViewModel, "\(reason): \(list)") { data in
            data.key("known")
            data.beginArray()
            for name in known { data.string(name) }
            data.endArray()
        }
    }
}
