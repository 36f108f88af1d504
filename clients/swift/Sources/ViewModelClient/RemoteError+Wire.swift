import JSON
import JSONRPC

extension RemoteError {
    /// What an `error` member of an answer says; as much of it as can be read.
    init(_ error: JSONValue) {
        let code = error.member("code")?.integer(as: Int.self) ?? 0
        let message = error.member("message")?.string() ?? "an error without a message"
        if code == ErrorCode.unauthorized.rawValue {
            self = .notAllowed(message)
        } else {
            let data = error.member("data").map { JSONText($0).description }
            self = .refused(Refusal(code: code, message: message, data: data))
        }
    }

    /// Whether the server refused with this code.
    func isRefusal(_ code: ErrorCode) -> Bool {
        if case .refused(let refusal) = self { refusal.code == code.rawValue } else { false }
    }
}

extension RemoteError.SessionEnd {
    init(_ reason: String?) {
        self =
            switch reason {
            case "closed": .closed
            case "dismissed": .dismissed
            case "popped": .popped
            case "failed": .failed
            case "serverShutdown": .serverShutdown
            default: .other(reason ?? "it gave no reason")
            }
    }
}
