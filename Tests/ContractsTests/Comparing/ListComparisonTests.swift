import Contracts
import Testing

/// What clients read of lists.
struct ListComparisonTests {
    /// The lists of an old and of a new contract, and the reported changes.
    struct Row: Sendable, CustomTestStringConvertible {
        let old: [String: String]
        let new: [String: String]
        let changes: [String]
        var testDescription: String { "\(old) -> \(new)" }

        init(_ old: [String: String], _ new: [String: String], _ changes: String...) {
            (self.old, self.new, self.changes) = (old, new, changes)
        }
    }

    private static func list(_ row: String, id: String? = nil) -> String {
        #"{ "row": \#(row)\#(id.map { #", "id": "\#($0)""# } ?? "") }"#
    }

    private static let object = #"{ "type": "object", "required": ["n"], "properties": { "n": { "type": "number" } } }"#
    private static let other = #"{ "type": "object", "required": ["n"], "properties": { "n": { "type": "string" } } }"#
    private static let wider =
        #"{ "type": "object", "required": ["n"], "properties": { "n": { "type": "number" }, "m": { "type": "null" } } }"#
    private static let plain = list(object)

    static let rows: [Row] = [
        Row([:], [:]),
        Row(["a": plain], ["a": plain]),
        Row([:], ["a": plain], "+ list a: was added"),
        Row(["a": plain], [:], "! list a: was removed"),
        Row(["a": plain], ["b": plain], "! list a: was removed", "+ list b: was added"),
        Row(["a": plain], ["a": list(other)], "! list a: rows[].n: was number, is string"),
        Row(["a": plain], ["a": list(wider)], #"+ list a: rows[]: "m" was added, and is optional: null"#),
        Row(["a": list(wider)], ["a": plain], #"! list a: rows[]: "m" was removed"#),
        Row(["a": plain], ["a": list(#"{ "type": "string" }"#)], "! list a: rows[]: was object, is string"),
        Row(["a": plain], ["a": list(object, id: "n")], #"+ list a: "n" is the identity of its rows now"#),
        Row(["a": list(object, id: "n")], ["a": plain], #"! list a: "n" isn't the identity of its rows any more"#),
        Row(
            ["a": list(object, id: "n")], ["a": list(object, id: "m")],
            #"! list a: the identity of its rows was "n", is "m""#),
        Row(["a": list(object, id: "n")], ["a": list(object, id: "n")]),
        Row(
            ["a": list(##"{ "$ref": "#/$defs/Old" }"##)], ["a": list(##"{ "$ref": "#/$defs/New" }"##)],
            "! list a: rows[]: was string, is number"),
    ]

    @Test(arguments: rows)
    func `a change of a list is told once, and whether it breaks clients`(_ row: Row) throws {
        let changes = try Self.changes(Self.document(row.old), Self.document(row.new))
        #expect(changes == row.changes)
    }

    @Test func `an event that becomes a list is gone, and so is a list that becomes an event`() throws {
        let (event, list) = try (Self.document([:], events: ["e", "a"]), Self.document(["a": Self.plain]))
        #expect(try Self.changes(event, list) == ["! viewModelEvent a: was removed", "+ list a: was added"])
        #expect(try Self.changes(list, event) == ["+ viewModelEvent a: was added", "! list a: was removed"])
    }

    @Test func `the first and the last event beside lists change nothing of them`() throws {
        let lists = ["a": Self.plain]
        let (without, with) = try (Self.document(lists, events: []), Self.document([:], events: []))
        #expect(try Self.changes(with, without) == ["+ list a: was added"])
        #expect(try Self.changes(without, with) == ["! list a: was removed"])
    }

    /// A contract with these lists and their events, beside events without members.
    private static func document(_ lists: [String: String], events: [String] = ["e"]) throws -> JSONTree {
        let names = lists.keys.sorted()
        let cases =
            events.map { (kind: $0, rows: "") } + names.map { (kind: $0, rows: #", "rows": \#(lists[$0] ?? "")"#) }
        let texts = cases.map { one in
            #"{ "type": "object", "required": ["kind"], "properties": { "kind": { "const": "\#(one.kind)" }\#(one.rows) } }"#
        }
        let event = texts.isEmpty ? "false" : #"{ "oneOf": [\#(texts.joined(separator: ", "))] }"#
        let members = names.map { #""\#($0)": \#(lists[$0] ?? "")"# }.joined(separator: ", ")
        return try JSONTree(
            parsing: ##"""
                { "viewModelEvent": \##(event), \##(names.isEmpty ? "" : "\"lists\": { \(members) },")
                "$defs": { "Old": { "type": "string" }, "New": { "type": "number" } } }
                """##)
    }

    private static func changes(_ old: JSONTree, _ new: JSONTree) throws -> [String] {
        ContractComparison(old: old, new: new).changes.map { change in
            "\(change.effect == .breaking ? "!" : "+") \(change.place): \(change.what)"
        }
    }
}
