import JSON
import JSONRPC

extension Dialect {
    /// A protocol with a cancellation and a code of its own.
    static let test = Dialect(cancellationMethod: "$/cancelRequest") { limit, message in
        RPCError(.limitExceeded, message) { data in
            data.key("limit")
            data.string(limit)
        }
    }
}

extension ErrorCode {
    static let limitExceeded = ErrorCode(rawValue: -32015)

    /// For the descriptions that tests compare.
    var words: String {
        switch self {
        case .parseError: "parseError"
        case .invalidRequest: "invalidRequest"
        case .methodNotFound: "methodNotFound"
        case .invalidParams: "invalidParams"
        case .internalError: "internalError"
        case .limitExceeded: "limitExceeded"
        default: "\(rawValue)"
        }
    }
}
