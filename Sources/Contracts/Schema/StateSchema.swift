// The stored state in a contract's file: its members, and keywords of this project in its schema, written and read. Validators
// ignore these keywords.

private enum Keyword {
    static let version = "x-savedStateVersion"
    static let form = "x-savedAs"
}

private enum SavedForm {
    static let whole = JSONTree.string("whole")
    static let properties = JSONTree.string("properties")
}

extension ViewModelContract {
    /// The members of the contract's document that describe stored state.
    var storedMembers: [JSONTree.Member] {
        let shared = shared.map { JSONTree.Member($0.name, VersionedSchema.json($0.schema.json, version: $0.version)) }
        return (state?.members ?? []) + (shared.isEmpty ? [] : [.init(JSONTree.sharedMember, .object(shared))])
    }
}

extension ViewModelContract.State {
    fileprivate var members: [JSONTree.Member] {
        let own: [JSONTree.Member] = [
            .init(Keyword.version, .number("\(version)")),
            .init(Keyword.form, isWhole ? SavedForm.whole : SavedForm.properties),
        ]
        let state: JSONTree =
            if case .object(let keywords) = schema.json { .object(own + keywords) } else { .object(own) }
        return [.init(JSONTree.stateMember, state)] + savedArguments
    }

    /// The member for stored arguments. The contract describes a client's arguments elsewhere, so for these only the version is
    /// written here.
    private var savedArguments: [JSONTree.Member] {
        guard arguments != nil || argumentsVersion != 1 else { return [] }
        let schema = arguments?.json ?? .object([])
        return [.init(JSONTree.savedArgumentsMember, VersionedSchema.json(schema, version: argumentsVersion))]
    }
}

/// A schema in a contract's file of something that is stored in versions.
struct VersionedSchema {
    /// The version; 1 if the file has none.
    let version: Int
    /// The schema without the version; nil if nothing else is in it.
    let form: JSONTree?

    init(_ schema: JSONTree?) {
        version = if case .number(let text)? = schema?[Keyword.version] { Int(text) ?? 1 } else { 1 }
        guard case .object(let members)? = schema else {
            form = schema
            return
        }
        let others = members.filter { $0.name != Keyword.version }
        form = others.isEmpty && !members.isEmpty ? nil : .object(others)
    }

    /// Returns the schema with the version, which is left out if it is 1.
    static func json(_ schema: JSONTree, version: Int) -> JSONTree {
        guard version != 1, case .object(let keywords) = schema else { return schema }
        return .object([.init(Keyword.version, .number("\(version)"))] + keywords)
    }
}

extension JSONTree {
    static let stateMember = "state"
    static let savedArgumentsMember = "savedArguments"
    static let sharedMember = "shared"

    /// The part of a contract's file that clients are told: without stored state, and without definitions that only stored
    /// state uses.
    package var withoutState: JSONTree { ContractDocument(json: self).told }
}

/// The schema of a state in a contract's file.
struct StateSchema {
    /// The version; 1 if the file has none.
    let version: Int
    let isWhole: Bool
    /// The schema without this project's keywords.
    let form: JSONTree

    /// Reads the schema of the state from a contract; nil if nothing is stored.
    init?(in document: JSONTree) {
        guard let schema = document[JSONTree.stateMember] else { return nil }
        isWhole = schema[Keyword.form] == SavedForm.whole
        version = if case .number(let text)? = schema[Keyword.version] { Int(text) ?? 1 } else { 1 }
        guard case .object(let members) = schema else {
            form = schema
            return
        }
        form = .object(members.filter { ![Keyword.version, Keyword.form].contains($0.name) })
    }
}

private struct ContractDocument {
    private static let storedMembers = [
        JSONTree.stateMember, JSONTree.savedArgumentsMember, JSONTree.sharedMember,
    ]

    let json: JSONTree

    var told: JSONTree {
        guard case .object(let members) = json else { return json }
        let told = members.filter { !Self.storedMembers.contains($0.name) }
        guard told.count < members.count, case .object(let definitions)? = json["$defs"] else { return .object(told) }
        let used = names(from: told.filter { $0.name != "$defs" }.map(\.value))
        let left = definitions.filter { used.contains($0.name) }
        return .object(
            told.compactMap { member in
                guard member.name == "$defs" else { return member }
                return left.isEmpty ? nil : .init("$defs", .object(left))
            })
    }

    /// Returns the names of the definitions that schemas refer to, also through other definitions.
    private func names(from schemas: [JSONTree]) -> Set<String> {
        var names: Set<String> = []
        var open = schemas
        while let next = open.popLast() {
            switch next {
            case .array(let elements): open += elements
            case .object(let members):
                for member in members {
                    if member.name == "$ref", case .string(let reference) = member.value {
                        let name = JSONTree.definition(of: reference)
                        if names.insert(name).inserted, let schema = json["$defs"]?[name] { open.append(schema) }
                    } else {
                        open.append(member.value)
                    }
                }
            default: break
            }
        }
        return names
    }
}
