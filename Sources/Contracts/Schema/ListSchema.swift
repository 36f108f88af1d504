// The lists in a contract's file, written and read: `{ "results": { "row": { "$ref": "#/$defs/Row" }, "id": "id" } }`.

private enum Keyword {
    static let row = "row"
    static let identity = "id"
}

extension ViewModelContract.List {
    /// The list's value in the document's member for lists.
    var json: JSONTree {
        .object([.init(Keyword.row, row.json)] + (identity.map { [.init(Keyword.identity, .string($0))] } ?? []))
    }
}

extension JSONTree {
    static let listsMember = "lists"
}

/// A list in a contract's file.
struct ListSchema {
    let name: String
    let row: JSONTree
    /// The name of the member that identifies a row; nil if there is none.
    let identity: String?

    /// Returns the lists of a document, in the document's order.
    static func all(in document: JSONTree) -> [ListSchema] {
        guard case .object(let members)? = document[JSONTree.listsMember] else { return [] }
        return members.map { ListSchema(name: $0.name, $0.value) }
    }

    private init(name: String, _ json: JSONTree) {
        self.name = name
        row = json[Keyword.row] ?? .boolean(true)
        identity = if case .string(let member)? = json[Keyword.identity] { member } else { nil }
    }
}
