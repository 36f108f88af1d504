import JSON
import JSONRPC
import ViewModelProtocol

/// Makes the JSON Schemas of the types that one side of a connection sends.
struct ProtocolSchemas {
    enum Sender {
        /// A client: members that a type doesn't have are ignored, and an optional one may be null.
        case client
        /// The server: an object has the members of its type and no other, and an optional one is absent if it is nil.
        case server
    }

    private let sender: Sender
    private var builder: ContractBuilder
    /// The types that are whole params and results. These are described where they are used, and get no definition.
    private var roots: Set<TypeName> = []

    init(of sender: Sender, _ documentation: Documentation) {
        self.sender = sender
        builder = ContractBuilder(documentation)
    }

    var problems: [ContractProblem] { builder.problems }

    /// Returns the schema of a type.
    ///
    /// - Parameter message: the message's name, for problems.
    mutating func schema<T: Decodable>(of type: T.Type, for message: String) -> JSONTree {
        builder.part = message
        let name = TypeName(type)
        let reference = builder.schema(of: type)
        roots.insert(name)
        defineAll()
        // A nullable type has no definition of its own.
        let json = json(builder.definitions.first { $0.name == name }?.schema ?? reference)
        guard let type = type as? any ConstrainedObject.Type, case .object(let members) = json,
            case .object(let constraints)? = try? JSONTree(parsing: type.constraints)
        else { return json }
        return .object(members + constraints)
    }

    /// Returns the definitions of the types that the schemas so far refer to.
    func definitions() -> [JSONTree.Member] {
        builder.definitions.filter { !roots.contains($0.name) }
            .map { JSONTree.Member(Self.name($0.name.qualified), json($0.schema)) }
    }

    private mutating func defineAll() {
        while let next = builder.pending.popLast() {
            builder.part = next.part
            builder.define(next.type)
        }
    }

    /// Returns the last part of a type's qualified name.
    private static func name(_ qualified: String) -> String { TypeName.path(qualified).last ?? qualified }

    private func json(_ schema: Schema) -> JSONTree {
        var schema = schema.mapReferences { Self.name($0) }
        guard case .object(let members) = schema.form else { return schema.json }
        schema.form = .object(members.map { member($0) })
        guard sender == .server, case .object(let keywords) = schema.json else { return schema.json }
        return .object(keywords + [.init("additionalProperties", .boolean(false))])
    }

    private func member(_ member: Schema.Member) -> Schema.Member {
        guard !member.isRequired, case .nullable(let value) = member.schema.form,
            sender == .server || value.form == .anything
        else { return member }
        var member = member
        member.schema = Schema(value.form, description: member.schema.description)
        return member
    }
}

extension Nullable: ContainerForm {
    static var contents: (types: [any Decodable.Type], form: ([Schema]) -> Schema.Form)? {
        ([Value.self], { .nullable($0[0]) })
    }
    static func sample(_ samples: Samples) -> Self? { Nullable(nil) }
}
