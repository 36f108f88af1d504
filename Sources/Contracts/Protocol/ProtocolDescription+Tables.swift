import JSONRPC
import ViewModelProtocol

extension ProtocolDescription {
    /// The reference's table of methods, in Markdown.
    package var methodsTable: String {
        MarkdownTable.text(
            ["method", "sent as", "params", "result", "when", "what it does"],
            methods.map { method in
                [
                    "`\(method.name)`", method.sending.words, Self.members(method.params),
                    method.result.map { Self.members($0) } ?? "", method.allowance.words, method.description ?? "",
                ]
            })
    }

    /// The reference's table of the server's notifications.
    package var notificationsTable: String {
        MarkdownTable.text(
            ["notification", "params", "what it says"],
            notifications.map { ["`\($0.name)`", Self.members($0.params), $0.description ?? ""] })
    }

    /// The reference's table of errors.
    package var errorsTable: String {
        MarkdownTable.text(
            ["code", "name", "when", "`data`"],
            errors.map { failure in
                [
                    "\(failure.error.code.rawValue)", failure.error.name, failure.error.meaning,
                    failure.data.map { Self.members($0) + (failure.error.hasAlwaysData ? "" : ", or none") } ?? "",
                ]
            })
    }

    /// `` `key`, `since`?, `client`? `` for an object, "null" for nothing.
    private static func members(_ schema: JSONTree) -> String {
        if schema["type"] == JSONTree.string("null") { return "null" }
        let names = schema.properties.map(\.name).map { name in "`\(name)`" + (schema.requires(name) ? "" : "?") }
        return names.joined(separator: ", ")
    }
}

extension Sending {
    fileprivate var words: String {
        switch self {
        case .request: "request"
        case .notification: "notification"
        case .either: "request or notification"
        }
    }
}

extension Allowance {
    fileprivate var words: String {
        switch self {
        case .first: "first, once"
        case .initialized: "after `initialize`"
        case .always: "always"
        }
    }
}
