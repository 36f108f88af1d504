import JSON
import JSONRPC

/// The kind of a message and its ids. They follow from the message's form alone: no method is known by name.
///
/// Messages that violate JSON-RPC have a shape too, since transcripts contain them.
struct MessageShape {
    enum Kind {
        case request, notification, answer
        /// Not a JSON-RPC message.
        case other
    }

    private(set) var kind = Kind.other
    /// The member `id`; nil if it is missing, or neither a string nor an integer.
    private(set) var id: RequestID?
    private(set) var method: String?
    private(set) var hasParams = false
    /// `params.session`.
    private(set) var session: Int?
    /// `params.token`.
    private(set) var token: RequestID?
    /// `params.workDoneToken`.
    private(set) var workDoneToken: RequestID?
    /// `params.id`: the request that the message refers to.
    private(set) var namedID: RequestID?
    /// `result.session`: the session that the answer belongs to.
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

    /// The message in words, for a report: "the answer to 3", "the notification viewModel/event". Nil for what is no message.
    var words: String? {
        switch kind {
        case .request: "the request \(method ?? "")"
        case .notification: "the notification \(method ?? "")"
        case .answer: id.map { "the answer to \($0)" } ?? "an answer"
        case .other: nil
        }
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

/// The shape of a line's content.
enum ContentShape {
    case message(MessageShape)
    case batch([MessageShape])
    /// Any other content, which belongs to no request or session.
    case text

    init(_ content: TranscriptEntry.Content) {
        guard case .message(let text) = content else {
            self = .text
            return
        }
        self = text.withValue { value in
            guard value.kind == .array else { return .message(MessageShape(value)) }
            var shapes: [MessageShape] = []
            value.forEachElement { shapes.append(MessageShape($0)) }
            return .batch(shapes)
        }
    }

    /// The shapes of all messages in the content.
    var messages: [MessageShape] {
        switch self {
        case .message(let message): [message]
        case .batch(let messages): messages
        case .text: []
        }
    }
}
