import JSONRPC
import ViewModelProtocol

extension ProtocolDescription {
    /// The reference's table of methods, in Markdown.
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

    /// The reference's table of the server's notifications.
    package var notificationsTable: String {
        MarkdownTable.text(
            ["notification", "params", "what it says"],
            notifications.map { ["`\($0.name)`", members($0.params), $0.description ?? ""] })
    }

    /// The reference's table of errors.
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

    /// `` `key`, `since`?, `client`? `` for an object, "null" for nothing.
    private func members(_ schema: JSONTree) -> String {
        if schema["type"] == JSONTree.string("null") { return "null" }
        let (value, isNullable) = schema.withoutNull
        if isNullable { return "null or\(inner(value))" }
        return schema.properties.map { member in
            "`\(member.name)`" + (schema.requires(member.name) ? "" : "?") + inner(member.value)
        }.joined(separator: ", ")
    }

    /// The members of a member that is an object, or an array of objects, of a type of the protocol.
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
