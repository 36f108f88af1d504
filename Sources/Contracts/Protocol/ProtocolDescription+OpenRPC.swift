import JSONRPC
import ViewModelProtocol

extension ProtocolDescription {
    /// The document `Schemas/openrpc.json`, which lists the methods for tools that read OpenRPC 1.3. Every schema is a
    /// reference to `protocol.schema.json`.
    package var openRPC: JSONTree {
        get throws {
            [
                "openrpc": "1.3.2",
                "info": [
                    "title": "The view model protocol", "version": .string(ProtocolVersion.current.rawValue),
                    "description": """
                    The messages between thin clients and a view model server: JSON-RPC 2.0 over standard input and \
                    output, TCP, Unix sockets and WebSocket. Every schema is in protocol.schema.json. x-notifications \
                    are the server's own notifications. A method's x-kind says how it is sent: as a request, as a \
                    notification, or as either.
                    """,
                ],
                "methods": .array(try methods.map { try Self.openRPC($0) }),
                "components": [
                    "errors": .object(errors.map { JSONTree.Member($0.error.name, Self.openRPC($0)) })
                ],
                "x-notifications": .array(try notifications.map { try Self.openRPC($0) }),
            ]
        }
    }

    private static func openRPC(_ method: Method) throws -> JSONTree {
        var members: [JSONTree.Member] = [
            .init("name", .string(method.name)), .init("summary", .string(method.description ?? "")),
            .init("x-kind", .string(method.kind.rawValue)), .init("paramStructure", "by-name"),
            .init("params", params(of: method.name, method.params)),
        ]
        if method.result != nil {
            let schema = reference("\(method.name).result")
            members.append(.init("result", ["name": "result", "schema": schema]))
            let errors = method.errors.map { name -> JSONTree in ["$ref": "#/components/errors/\(name)"] }
            members.append(.init("errors", .array(errors)))
        }
        members.append(.init("examples", try examples(method.examples, of: method.params)))
        return .object(members)
    }

    private static func openRPC(_ notification: Notification) throws -> JSONTree {
        [
            "name": .string(notification.name), "summary": .string(notification.description ?? ""),
            "params": params(of: notification.name, notification.params),
            "examples": try examples(notification.examples, of: notification.params),
        ]
    }

    private static func openRPC(_ failure: Failure) -> JSONTree {
        let members: [JSONTree.Member] = [
            .init("code", .number("\(failure.error.code.rawValue)")), .init("message", .string(failure.error.meaning)),
        ]
        guard failure.data != nil else { return .object(members) }
        return .object(members + [.init("data", reference("error.\(failure.error.name)", "/properties/data"))])
    }

    private static func reference(_ definition: String, _ rest: String = "") -> JSONTree {
        let escaped = definition.replacing("~", with: "~0").replacing("/", with: "~1")
        return ["$ref": "protocol.schema.json#/$defs/\(escaped)\(rest)"]
    }

    /// Returns the params of a message. Required ones come first, so that params can also be given by position.
    private static func params(of message: String, _ schema: JSONTree) -> JSONTree {
        let names = schema.properties.map(\.name)
        let required = names.filter { schema.requires($0) }
        return .array(
            (required + names.filter { !schema.requires($0) }).map { name in
                let flag: [JSONTree.Member] = schema.requires(name) ? [.init("required", true)] : []
                let reference = reference("\(message).params", "/properties/\(name)")
                return .object([.init("name", .string(name))] + flag + [.init("schema", reference)])
            })
    }

    /// Returns a method's examples.
    ///
    /// - Throws: `JSONError` for an example that isn't JSON.
    private static func examples(_ examples: [MessageExample], of schema: JSONTree) throws -> JSONTree {
        .array(
            try examples.map { example in
                let params = try JSONTree(parsing: example.params)
                let values = schema.properties.map(\.name).compactMap { name -> JSONTree? in
                    params[name].map { ["name": .string(name), "value": $0] }
                }
                let named: [JSONTree.Member] = [
                    .init("name", .string(example.name)), .init("params", .array(values)),
                ]
                guard let result = example.result else { return .object(named) }
                return .object(named + [.init("result", ["name": "result", "value": try JSONTree(parsing: result)])])
            })
    }
}
