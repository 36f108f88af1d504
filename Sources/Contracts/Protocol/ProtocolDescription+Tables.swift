import JSONRPC
import ViewModelProtocol

extension ProtocolDescription {
    /// The table of methods in the protocol's reference, in Markdown.
    package var methodsTable: String {
        MarkdownTable.text(
            ["method", "sent as", "params", "result", "when", "what it does"],
            methods.map { method in
                [
                    "`\(method.name)`", method.kind.words, members(method.params),
                    method.result.map { members($0) } ?? "", method.allowance.words, method.description ?? "",
                ]
            })
    }

    /// The table of the server's notifications in the protocol's reference, in Markdown.
    package var notificationsTable: String {
        MarkdownTable.text(
            ["notification", "params", "what it says"],
            notifications.map { ["`\($0.name)`", members($0.params), $0.description ?? ""] })
    }

    /// The table of errors in the protocol's reference, in Markdown.
    package var errorsTable: String {
        MarkdownTable.text(
            ["code", "name", "when", "`data`"],
            errors.map { failure in
                [
                    "\(failure.error.code.rawValue)", failure.error.name, failure.error.meaning,
                    failure.data.map { members($0) + (failure.error.hasAlwaysData ? "" : ", or none") } ?? "",
                ]
            })
    }

    /// Returns the members of an object, as in `` `key`, `since`?, `client`? ``; "null" for null.
    private func members(_ schema: JSONTree) -> String {
        if schema["type"] == JSONTree.string("null") { return "null" }
        let (value, isNullable) = schema.withoutNull
        if isNullable { return "null or\(inner(value))" }
        return schema.properties.map { member in
            "`\(member.name)`" + (schema.requires(member.name) ? "" : "?") + inner(member.value)
        }.joined(separator: ", ")
    }

    /// Returns the members of a value in braces, if it is an object of a protocol type, or an array of such objects; otherwise
    /// nothing.
    private func inner(_ schema: JSONTree) -> String {
        if let items = schema["items"] {
            let members = inner(items)
            return members.isEmpty ? "" : " [\(members.dropFirst())…]"
        }
        guard case .string(let reference)? = schema["$ref"], let name = reference.split(separator: "/").last,
            let type = definitions.first(where: { $0.name == name })?.value, !type.properties.isEmpty
        else { return "" }
        return " {\(members(type))}"
    }
}

extension MethodKind {
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
