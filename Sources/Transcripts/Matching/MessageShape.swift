import JSON
import JSONRPC

/// What a message is and what it belongs to, from its form alone: no method is known by name.
///
/// One that no client or server should have sent has a shape too: transcripts hold such.
struct MessageShape {
    enum Kind {
        case request, notification, answer
        /// Nothing that JSON-RPC knows.
        case other
    }

    private(set) var kind = Kind.other
    /// Nil where there is none, or none that is a string or an integer.
    private(set) var id: RequestID?
    private(set) var method: String?
    private(set) var hasParams = false
    /// `params.session`.
    private(set) var session: Int?
    /// `params.token`.
    private(set) var token: RequestID?
    /// `params.workDoneToken`.
    private(set) var workDoneToken: RequestID?
    /// `params.id`: the request that a message is about.
    private(set) var namedID: RequestID?
    /// `result.session`: the session that an answer is about.
    private(set) var resultSession: Int?

    init(_ message: JSONValue) {
        guard message.kind == .object else { return }
        var (params, result): (JSONValue?, JSONValue?)
        var (hasMethod, hasOutcome, hasID) = (false, false, false)
        message.forEachMember { name, value in
            switch name {
            case "id":
                id = RequestID(value)
                hasID = value.kind != .null
            case "method":
                method = value.string()
                hasMethod = true
            case "params": params = value
            case "result":
                result = value
                hasOutcome = true
            case "error": hasOutcome = true
            default: break
            }
        }
        if hasMethod {
            kind = hasID ? .request : .notification
        } else if hasOutcome || hasID {
            kind = .answer
        }
        hasParams = params != nil
        if let params { take(params: params) }
        resultSession = result?.member("session")?.integer()
    }

    static let none = MessageShape()

    private init() {}

    private mutating func take(params: JSONValue) {
        params.forEachElement { if $0.kind == .object { take(params: $0) } }
        params.forEachMember { name, value in
            switch name {
            case "session": session = value.integer()
            case "token": token = RequestID(value)
            case "workDoneToken": workDoneToken = RequestID(value)
            case "id": namedID = RequestID(value)
            default: break
            }
        }
    }
}
