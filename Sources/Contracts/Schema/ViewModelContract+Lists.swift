import ViewModels

/// The form that the events of all lists have.
extension ViewModelContract.List {
    /// The name of the identity of rows that are `Identifiable`, whether or not a row's form contains it.
    static let identityName = "id"

    /// Returns the event that tells a view about changes of the list.
    func event(_ description: String?) -> Schema.Case {
        let edits = Schema(
            .array(Schema(.reference(Self.editName.qualified))),
            description: "The edits that led to it, in order. Where they are missing, any row may be another.")
        let first = Self.number("The index of the first of rows. Both are there, or neither.")
        let rows = Schema(.array(row), description: "The rows from first on, as they are now.")
        let members = [
            Schema.Member("count", Self.number("How many rows there are now.")),
            Schema.Member("changes", edits, isRequired: false),
            Schema.Member("first", first, isRequired: false),
            Schema.Member("rows", rows, isRequired: false),
        ]
        return Schema.Case(name, members, description: description)
    }

    static let editName = TypeName(RowsEdit.self)
    static let edit = Schema(
        .object([
            Schema.Member("at", number("Counts from 0, in the list as the edits before have left it.")),
            Schema.Member("removed", number()), Schema.Member("inserted", number()),
        ]), description: "At an index of a list so many rows went, and so many came. An update is one of each.")

    private static func number(_ description: String? = nil) -> Schema {
        let keywords: [JSONTree.Member] = [Schema.type("integer"), .init("minimum", .number("0"))]
        return Schema(.custom(.object(keywords)), description: description)
    }
}

extension ViewModelContract {
    /// This contract, with an identity only for lists whose rows all contain it.
    var withIdentitiesThatShow: ViewModelContract {
        var contract = self
        contract.lists = lists.map { list in
            guard let identity = list.identity else { return list }
            let row = resolved(list.row).json
            let shows = row["type"] == .string("object") && row.requires(identity)
            return shows ? list : List(list.name, row: list.row)
        }
        return contract
    }

    private func resolved(_ schema: Schema) -> Schema {
        var schema = schema
        // Limited, since a definition that only refers to itself has no end.
        for _ in definitions {
            guard case .reference(let name) = schema.form, let definition = definition(name) else { break }
            schema = definition
        }
        return schema
    }
}
