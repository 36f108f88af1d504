import JSON
import JSONRPC
package import ViewModelProtocol

/// The messages of the protocol as their types and doc comments describe them. `Schemas/protocol.schema.json`,
/// `Schemas/openrpc.json` and the tables of the reference are made from this.
package struct ProtocolDescription: Sendable {
    /// A message that clients send.
    struct Method: Sendable {
        let name: String
        let description: String?
        let kind: MethodKind
        let allowance: Allowance
        let params: JSONTree
        /// The schema of the result; nil for a notification.
        let result: JSONTree?
        /// The names of the errors that the method may be answered with, in the order of the reference.
        let errors: [String]
        let examples: [MessageExample]
    }

    /// A message that the server sends.
    struct Notification: Sendable {
        let name: String
        let description: String?
        let params: JSONTree
        let examples: [MessageExample]
    }

    /// An error and the schema of its `data`, which is nil if the error has no data.
    struct Failure: Sendable {
        let error: ProtocolError
        let data: JSONTree?
    }

    let methods: [Method]
    let notifications: [Notification]
    let errors: [Failure]
    /// The types that the messages refer to, by name.
    let definitions: [JSONTree.Member]
    /// Types whose form isn't certain. The description is complete only if there are none.
    package let problems: [ContractProblem]

    /// Describes the protocol.
    ///
    /// - Parameter methods: all methods, in the order of the reference. Notifications and errors are listed by their types.
    package init(methods: [any ClientMethod.Type], documentation: Documentation = Documentation()) {
        var client = ProtocolSchemas(of: .client, documentation)
        var server = ProtocolSchemas(of: .server, documentation)
        self.methods = methods.map { Method($0, &client, &server, documentation) }
        notifications = ServerNotifications.all.map { Notification($0, &server, documentation) }
        errors = ProtocolError.all.map { error in
            Failure(error: error, data: error.data.map { server.schema(of: $0, for: error.name) })
        }
        let (ofClient, ofServer) = (client.definitions(), server.definitions())
        definitions = Self.merged(ofClient, ofServer)
        problems = client.problems + server.problems + Self.clashes(ofClient, ofServer)
    }

    /// The document `Schemas/protocol.schema.json`: a JSON Schema (draft 2020-12) of every message.
    package var schema: JSONTree { ProtocolSchemaDocument(self).json }

    private static func merged(_ first: [JSONTree.Member], _ second: [JSONTree.Member]) -> [JSONTree.Member] {
        (first + second.filter { other in !first.contains { $0.name == other.name } }).sorted { $0.name < $1.name }
    }

    /// Returns a problem for each definition that both sides use with different forms: clients may send more members than a
    /// type has, the server may not.
    private static func clashes(_ first: [JSONTree.Member], _ second: [JSONTree.Member]) -> [ContractProblem] {
        first.filter { one in second.contains { $0.name == one.name && $0.value != one.value } }.map { member in
            let reason = "both sides send it, or two types are called so; give each side a type of its own"
            return ContractProblem(
                viewModel: "the protocol", part: "$defs", type: member.name, member: nil, reason: reason)
        }
    }
}

extension ProtocolDescription.Method {
    fileprivate init<M: ClientMethod>(
        _ method: M.Type, _ client: inout ProtocolSchemas, _ server: inout ProtocolSchemas,
        _ documentation: Documentation
    ) {
        name = "\(M.name)"
        description = documentation.comment(TypeName(method).path)
        kind = M.kind
        allowance = M.allowance
        params = client.schema(of: M.Params.self, for: name).described(description)
        result = M.kind == .notification ? nil : server.schema(of: M.Result.self, for: name)
        let codes = Set(
            M.kind == .notification
                ? []
                : ProtocolError.ofEveryRequest + M.errors + (M.allowance == .first ? [] : [.serverNotInitialized]))
        errors = ProtocolError.all.filter { codes.contains($0.code) }.map(\.name)
        examples = M.examples
    }
}

extension ProtocolDescription.Notification {
    fileprivate init<N: ServerNotification>(
        _ notification: N.Type, _ server: inout ProtocolSchemas, _ documentation: Documentation
    ) {
        name = "\(N.name)"
        description = documentation.comment(TypeName(notification).path)
        params = server.schema(of: N.Params.self, for: name).described(description)
        examples = N.examples
    }
}

extension JSONTree {
    /// Returns the schema with `description` in place of its own.
    fileprivate func described(_ description: String?) -> JSONTree {
        guard case .object(let members) = self, let description else { return self }
        return .object([.init("description", .string(description))] + members.filter { $0.name != "description" })
    }
}
