import ViewModels

/// What all lists have in common.
extension ViewModelContract.List {
    /// Rows that are `Identifiable` have their identity under this name, or don't show it.
    static let identityName = "id"

    /// The event that tells a view of the list's change.
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
    /// This contract, in which lists have an identity only where every row shows it.
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
        // Bounded, since what refers to itself alone has no end.
        for _ in definitions {
            guard case .reference(let name) = schema.form, let definition = definition(name) else { break }
            schema = definition
        }
        return schema
    }
}
