import JSON

/// The place of a value in a message, as far as the place decides what the value means.
enum MessagePlace {
    /// The message itself.
    case message
    /// The message's own id.
    case id
    /// `jsonrpc` or `method`, which are compared literally.
    case name
    case params
    /// `params.id`: in a notification, the id of the request that it refers to.
    case call
    /// `params.processId`.
    case processID
    /// `params.initializationOptions`.
    case options
    /// `token` in the params or in the options.
    case token
    /// `params.once`.
    case once
    /// A member named `key` or `epoch`: the server may choose another value in each play.
    case key
    /// `result`.
    case result
    /// `result.capabilities`.
    case capabilities
    /// A part of an answer to `initialize` that differs from server to server: the name and version, the limits, and the lists
    /// of view models.
    case server
    /// An element of a list of the server's view models.
    case hosted
    /// Any other value of the protocol.
    case data
    /// Anything inside `event`, `arguments` or `snapshot`: data of a view model, in which no member name has a meaning
    /// here.
    case payload

    func member(_ name: JSONKey) -> MessagePlace {
        if case .payload = self { return .payload }
        switch name {
        case "event", "arguments", "snapshot": return .payload
        case "key", "epoch": return .key
        default: break
        }
        switch self {
        case .message: return Self.ofMessage(name)
        case .params: return Self.ofParams(name)
        case .options where name == "token": return .token
        case .result: return Self.ofResult(name)
        case .capabilities where name == "viewModels" || name == "children": return .server
        default: return .data
        }
    }

    /// The place of an array's elements.
    var element: MessagePlace {
        switch self {
        case .payload: .payload
        // Clients with an LSP library may send params by position: an array of one object.
        case .params: .params
        case .server: .hosted
        default: .data
        }
    }

    private static func ofMessage(_ name: JSONKey) -> MessagePlace {
        switch name {
        case "id": .id
        case "jsonrpc", "method": .name
        case "params": .params
        case "result": .result
        default: .data
        }
    }

    private static func ofResult(_ name: JSONKey) -> MessagePlace {
        switch name {
        case "serverInfo", "limits": .server
        case "capabilities": .capabilities
        default: .data
        }
    }

    private static func ofParams(_ name: JSONKey) -> MessagePlace {
        switch name {
        case "id": .call
        case "processId": .processID
        case "once": .once
        case "token": .token
        case "initializationOptions": .options
        default: .data
        }
    }
}
