/// The JSON Schemas of a view model's arguments and events: the content of `Schemas/view-models/<name>.schema.json` and
/// of the answer to `viewModel/describe`.
package struct ViewModelContract: Equatable, Sendable {
    /// The view model's registered name.
    package var name: String
    /// The view model's doc comment.
    package var description: String?
    /// Who finds the same session by opening the view model: "person" or "everyone"; nil where each opening makes one.
    package var scope: String?
    /// The schema of the arguments. Its form is `nothing` if only other view models can show the view model.
    package var arguments: Schema
    package var viewEvent: Schema
    /// The schema of the view model's events, with those of its lists.
    package var viewModelEvent: Schema
    package var lists: [List]
    /// The definitions of types, in alphabetical order.
    package var definitions: [Definition]
    /// The stored state; nil if the view model isn't durable. Only in the contract's file, as clients aren't told it.
    package var state: State?
    /// The stored parts of durable singletons that the view model shares with others. Only in the contract's file.
    package var shared: [Shared]
    /// The definitions that only stored state uses, in alphabetical order.
    package var storedDefinitions: [Definition] = []

    /// A list of rows. A client asks for the rows that it shows.
    package struct List: Equatable, Sendable {
        /// The list's name, which is also the kind of its event.
        package var name: String
        package var row: Schema
        /// The member that identifies a row for clients; nil if there is none.
        package var identity: String?

        package init(_ name: String, row: Schema, identity: String? = nil) {
            self.name = name
            self.row = row
            self.identity = identity
        }
    }

    /// The stored state of the view model's sessions.
    package struct State: Equatable, Sendable {
        /// The view model's `savedStateVersion`.
        package var version: Int
        /// The schema of the whole state, or of an object with a member for each saved property.
        package var schema: Schema
        package var isWhole: Bool
        /// The schema of stored arguments that another view model gave; nil if only a client's arguments are stored.
        package var arguments: Schema?
        /// The version of stored arguments, whether a client or another view model gave them.
        package var argumentsVersion = 1
    }

    /// The stored part of an object that the view models of a session share.
    package struct Shared: Equatable, Sendable {
        /// The name that the object's properties are stored under.
        package var name: String
        /// The object's `savedStateVersion`.
        package var version = 1
        /// The schema of an object with a member for each saved property.
        package var schema: Schema
    }

    package struct Definition: Equatable, Sendable {
        package var name: String
        package var schema: Schema

        package init(_ name: String, _ schema: Schema) {
            self.name = name
            self.schema = schema
        }
    }

    package init(
        name: String, description: String? = nil, arguments: Schema, viewEvent: Schema, viewModelEvent: Schema,
        lists: [List] = [], definitions: [Definition], state: State? = nil, shared: [Shared] = []
    ) {
        self.name = name
        self.description = description
        self.arguments = arguments
        self.viewEvent = viewEvent
        self.viewModelEvent = viewModelEvent
        self.lists = lists
        self.definitions = definitions
        self.state = state
        self.shared = shared
    }

    package func definition(_ name: String) -> Schema? {
        definitions.first { $0.name == name }?.schema
    }

    /// The JSON document that clients are told. References in it are to its own `$defs`.
    package var json: JSONTree { json(hasStored: false) }

    /// The JSON document for the contract's file: that for clients, and the stored state.
    package var fileJSON: JSONTree { json(hasStored: true) }

    private func json(hasStored: Bool) -> JSONTree {
        var members: [JSONTree.Member] = [
            .init("$schema", .string("https://json-schema.org/draft/2020-12/schema")), .init("name", .string(name)),
        ]
        if let description { members.append(.init("description", .string(description))) }
        if let scope { members.append(.init("scope", .string(scope))) }
        members += [
            .init("arguments", arguments.closedJSON), .init("viewEvent", viewEvent.json),
            .init("viewModelEvent", viewModelEvent.json),
        ]
        if !lists.isEmpty {
            members.append(.init(JSONTree.listsMember, .object(lists.map { .init($0.name, $0.json) })))
        }
        if hasStored { members += storedMembers }
        let definitions = (definitions + (hasStored ? storedDefinitions : [])).sorted { $0.name < $1.name }
        if !definitions.isEmpty {
            let closed = namesOfArgumentsAlone
            members.append(
                .init(
                    "$defs",
                    .object(
                        definitions.map { definition in
                            let isClosed = closed.contains(definition.name)
                            return .init(
                                definition.name, isClosed ? definition.schema.closedJSON : definition.schema.json)
                        })))
        }
        return .object(members)
    }

    /// The names of the definitions that only arguments use. In these, unknown members are errors; in events they are ignored.
    private var namesOfArgumentsAlone: Set<String> {
        names(from: [arguments]).subtracting(names(from: [viewEvent, viewModelEvent]))
    }

    /// Returns the names of the definitions that schemas refer to, also through other definitions.
    private func names(from schemas: [Schema]) -> Set<String> {
        var names: Set<String> = []
        var open = schemas
        while let next = open.popLast() {
            _ = next.mapReferences { name in
                if names.insert(name).inserted, let schema = definition(name) { open.append(schema) }
                return name
            }
        }
        return names
    }

    /// The name of the contract's file. Characters other than letters, digits, `-` and `_` are percent-encoded.
    package var fileName: String {
        let isPlain = { (byte: UInt8) in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
        let plain = name.utf8.map { byte in
            isPlain(byte)
                ? String(decoding: [byte], as: UTF8.self) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return plain.joined() + Self.fileSuffix
    }

    package static let fileSuffix = ".schema.json"
}

extension ViewModelContract {
    typealias NamedSchemas = ArraySlice<(name: TypeName, schema: Schema)>

    /// Returns the contract with definitions, and references to them, under the shortest names that differ. Names for the state
    /// are chosen last, from those that are left.
    func named(_ definitions: NamedSchemas, ofState others: NamedSchemas) -> ViewModelContract {
        var names = Self.names(of: definitions.map(\.name))
        let namesOfState = Self.names(of: others.map(\.name), besides: Set(names.values))
        names.merge(namesOfState) { first, _ in first }
        func renamed(_ schema: Schema) -> Schema { schema.mapReferences { names[$0] ?? $0 } }
        func renamed(_ definitions: NamedSchemas) -> [Definition] {
            definitions.map { Definition(names[$0.name.qualified] ?? "", renamed($0.schema)) }
                .sorted { $0.name < $1.name }
        }
        var contract = self
        contract.arguments = renamed(arguments)
        contract.viewEvent = renamed(viewEvent)
        contract.viewModelEvent = renamed(viewModelEvent)
        contract.lists = lists.map { List($0.name, row: renamed($0.row), identity: $0.identity) }
        contract.definitions = renamed(definitions)
        if var state {
            state.schema = renamed(state.schema)
            state.arguments = state.arguments.map(renamed)
            contract.state = state
        }
        contract.shared = shared.map { Shared(name: $0.name, version: $0.version, schema: renamed($0.schema)) }
        contract.storedDefinitions = renamed(others)
        return contract
    }

    /// Returns short names by qualified names. If two types have the same short name, both get the outer type's name before it.
    private static func names(of types: [TypeName], besides others: Set<String> = []) -> [String: String] {
        var names: [String: String] = [:]
        var taken = others
        var open = types
        for count in [1, 2, 3, 4, nil] {
            let shorts = Dictionary(grouping: open) { $0.short(count) }
            open = open.filter { type in
                let short = type.short(count)
                guard shorts[short]?.count == 1, taken.insert(short).inserted else { return true }
                names[type.qualified] = short
                return false
            }
        }
        // The remaining names differ only in characters that a reference can't have.
        for type in open.sorted(by: { $0.qualified < $1.qualified }) {
            let short = type.short(nil)
            let number = (2...).first { !taken.contains("\(short)\($0)") } ?? 2
            taken.insert("\(short)\(number)")
            names[type.qualified] = "\(short)\(number)"
        }
        return names
    }
}

extension Schema {
    func mapReferences(_ name: (String) -> String) -> Schema {
        var schema = self
        switch form {
        case .reference(let old): schema.form = .reference(name(old))
        case .array(let element): schema.form = .array(element.mapReferences(name))
        case .tuple(let elements): schema.form = .tuple(elements.map { $0.mapReferences(name) })
        case .either(let forms): schema.form = .either(forms.map { $0.mapReferences(name) })
        case .nullable(let value): schema.form = .nullable(value.mapReferences(name))
        case .dictionary(let value, let keys): schema.form = .dictionary(value.mapReferences(name), keys: keys)
        case .object(let members): schema.form = .object(members.map { $0.mapReferences(name) })
        case .cases(let cases, let shape):
            schema.form = .cases(
                cases.map { one in
                    var one = one
                    one.members = one.members.map { $0.mapReferences(name) }
                    return one
                }, shape)
        default: break
        }
        return schema
    }
}

extension Schema.Member {
    func mapReferences(_ name: (String) -> String) -> Schema.Member {
        Schema.Member(self.name, schema.mapReferences(name), isRequired: isRequired)
    }
}
