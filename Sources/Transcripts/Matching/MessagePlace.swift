import JSON

/// Where in a message a value stands, as far as that changes what it means.
enum MessagePlace {
    /// The message itself.
    case message
    /// The message's own id.
    case id
    /// What names the kind of message, and so stands for nothing else.
    case name
    case params
    /// `params.id`: in a notification, the id of the request that it is about.
    case call
    /// `params.processId`.
    case processID
    /// `params.initializationOptions`.
    case options
    /// `params.token` or that of the options.
    case token
    /// A member named `key`.
    case key
    /// Anything else that server and client say about themselves.
    case data
    /// Within `event`, `arguments` or `snapshot`: what belongs to a view model, so that no name in it means anything here.
    case payload

    func member(_ name: JSONKey) -> MessagePlace {
        if case .payload = self { return .payload }
        switch name {
        case "event", "arguments", "snapshot": return .payload
        case "key": return .key
        default: break
        }
        switch self {
        case .message: return Self.ofMessage(name)
        case .params: return Self.ofParams(name)
        case .options where name == "token": return .token
        default: return .data
        }
    }

    /// Of an array's elements.
    var element: MessagePlace {
        switch self {
        case .payload: .payload
        // Some clients put their one object of params into an array.
        case .params: .params
        default: .data
        }
    }

    private static func ofMessage(_ name: JSONKey) -> MessagePlace {
        switch name {
        case "id": .id
        case "jsonrpc", "method": .name
        case "params": .params
        default: .data
        }
    }

    private static func ofParams(_ name: JSONKey) -> MessagePlace {
        switch name {
        case "id": .call
        case "processId": .processID
        case "token": .token
        case "initializationOptions": .options
        default: .data
        }
    }
}
