import Contracts
import Testing

struct ContractComparisonTests {
    /// An old and a new part of a contract, and the reported changes.
    struct Row: Sendable, CustomTestStringConvertible {
        let part: String
        let old: String
        let new: String
        let changes: [String]
        var testDescription: String { "\(part): \(old) -> \(new)" }

        init(_ part: String, _ old: String, _ new: String, _ changes: String...) {
            (self.part, self.old, self.new, self.changes) = (part, old, new, changes)
        }
    }

    private static func event(_ members: String, required: String = "") -> String {
        #"{ "oneOf": [{ "type": "object", "required": ["kind"\#(required)], "properties": { "kind": { "const": "a" }\#(members) } }] }"#
    }

    private static let other =
        #"{ "oneOf": [{ "type": "object", "required": ["kind"], "properties": { "kind": { "const": "b" } } }] }"#
    private static let number = #", "n": { "type": "number" }"#
    private static let nullable = #", "n": { "type": ["number", "null"] }"#
    private static let text = #", "n": { "type": "string" }"#
    private static let required = #", "n""#
    private static let byte = #", "n": { "type": "integer", "minimum": 0, "maximum": 255 }"#
    private static let signed = #", "n": { "type": "integer", "minimum": -128, "maximum": 127 }"#
    private static let long = #", "n": { "type": "integer", "minimum": 0, "maximum": 18446744073709551615 }"#

    private static let either = #", "n": { "anyOf": [{ "type": "number" }, { "type": "string" }] }"#

    static let rows: [Row] = [
        Row("viewEvent", event(""), event("")),
        Row("viewEvent", event(""), other, "! viewEvent a: was removed", "+ viewEvent b: was added"),
        Row("viewEvent", event(number), event(""), #"! viewEvent a: "n" was removed"#),
        Row("viewEvent", event(""), event(number), #"+ viewEvent a: "n" was added, and is optional: number"#),
        Row(
            "viewEvent", event(""), event(number, required: required),
            #"! viewEvent a: "n" was added, and is required: number"#),
        Row(
            "viewModelEvent", event(""), event(number, required: required),
            #"+ viewModelEvent a: "n" was added: number"#),
        Row("viewEvent", event(number), event(number, required: required), "! viewEvent a: n: is required now"),
        Row("viewEvent", event(number, required: required), event(number), "+ viewEvent a: n: is optional now"),
        Row(
            "viewModelEvent", event(number), event(number, required: required), "+ viewModelEvent a: n: is required now"
        ),
        Row(
            "viewModelEvent", event(number, required: required), event(number), "! viewModelEvent a: n: is optional now"
        ),
        Row("viewEvent", event(number), event(text), "! viewEvent a: n: was number, is string"),
        // All integers are numbers, and those of a wider type have those of a narrower one.
        Row("viewEvent", event(byte), event(number), "+ viewEvent a: n: was integer (0 to 255), is number"),
        Row("viewEvent", event(number), event(byte), "! viewEvent a: n: was number, is integer (0 to 255)"),
        Row("viewModelEvent", event(number), event(byte), "+ viewModelEvent a: n: was number, is integer (0 to 255)"),
        Row("viewModelEvent", event(byte), event(number), "! viewModelEvent a: n: was integer (0 to 255), is number"),
        Row(
            "viewEvent", event(byte), event(signed),
            "! viewEvent a: n: was integer (0 to 255), is integer (-128 to 127)"),
        Row(
            "viewEvent", event(byte), event(long),
            "+ viewEvent a: n: was integer (0 to 255), is integer (0 to 18446744073709551615)"),
        // What had one form may have one of several now where it is read, and the other way round where it is sent.
        Row("viewEvent", event(text), event(either), "+ viewEvent a: n: was string, is number or string"),
        Row("viewEvent", event(byte), event(either), "+ viewEvent a: n: was integer (0 to 255), is number or string"),
        Row("viewEvent", event(either), event(text), "! viewEvent a: n: was number or string, is string"),
        Row("viewModelEvent", event(either), event(text), "+ viewModelEvent a: n: was number or string, is string"),
        Row("viewModelEvent", event(text), event(either), "! viewModelEvent a: n: was string, is number or string"),
        Row("viewEvent", event(number), event(nullable), "+ viewEvent a: n: may be null now"),
        Row("viewEvent", event(nullable), event(number), "! viewEvent a: n: may not be null any more"),
        Row("viewModelEvent", event(number), event(nullable), "! viewModelEvent a: n: may be null now"),
        Row("viewModelEvent", event(nullable), event(number), "+ viewModelEvent a: n: may not be null any more"),
        Row(
            "viewEvent", event(""), event("").replacing(#""type""#, with: #""x-supersedes": true, "type""#),
            "+ viewEvent a: is handled in another way: supersedes its kind"),
        Row(
            "viewEvent", event(number).replacing(#""type": "object""#, with: #""x-waits": false, "type": "object""#),
            event(text), "+ viewEvent a: is handled in another way: in order",
            "! viewEvent a: n: was number, is string"),
        Row(
            "arguments", #"{ "enum": ["x", "y"] }"#, #"{ "enum": ["y", "z"] }"#,
            #"! arguments: the value "x" was removed"#, #"+ arguments: the value "z" was added"#),
        Row(
            "viewModelEvent", event(##", "n": { "$ref": "#/$defs/Old" }"##),
            event(##", "n": { "$ref": "#/$defs/New" }"##),
            "! viewModelEvent a: n[].deep: was string, is integer (0 to 7)"),
        Row(
            "arguments", #"{ "type": "object", "additionalProperties": { "type": "string" } }"#,
            #"{ "type": "object", "additionalProperties": { "type": "boolean" } }"#,
            "! arguments: {}: was string, is boolean"),
        Row(
            "arguments", #"{ "type": "object" }"#, #"{ "description": "x", "type": "object" }"#),
        Row("arguments", "false", #"{ "type": "object" }"#, "! arguments: was false, is object"),
        Row(
            "viewModelEvent",
            event(
                #", "n": { "oneOf": [{ "type": "object", "required": ["p"], "properties": { "p": { "type": "object" } } }] }"#
            ),
            event(
                #", "n": { "oneOf": [{ "type": "object", "required": ["p"], "properties": { "p": { "type": "object", "required": ["_0"], "properties": { "_0": { "type": "string" } } } } }] }"#
            ),
            #"+ viewModelEvent a: n.p: "_0" was added: string"#),
        // A type's own schema may have any keyword.
        Row(
            "arguments", #"{ "type": "array", "items": { "type": "string" }, "maxItems": 5 }"#,
            #"{ "type": "array", "items": { "type": "string" }, "maxItems": 3 }"#,
            #"""
            ! arguments: was { "type": "array", "items": { "type": "string" }, "maxItems": 5 }, \#
            is { "type": "array", "items": { "type": "string" }, "maxItems": 3 }
            """#),
        Row(
            "arguments", #"{ "type": "object", "properties": {} }"#,
            #"{ "type": "object", "properties": {}, "additionalProperties": false }"#,
            #"""
            ! arguments: was { "type": "object", "properties": {} }, \#
            is { "type": "object", "properties": {}, "additionalProperties": false }
            """#),
        Row(
            "arguments", #"{ "type": "object" }"#, #"{ "type": "object", "required": ["a"] }"#,
            #"! arguments: was { "type": "object" }, is { "type": "object", "required": ["a"] }"#),
        Row(
            "viewModelEvent", #"{ "enum": ["a"], "maxLength": 1 }"#, #"{ "enum": ["a"] }"#,
            #"! viewModelEvent: was { "enum": ["a"], "maxLength": 1 }, is { "enum": ["a"] }"#
        ),
    ]

    @Test(arguments: rows)
    func `a change is told with its place, and whether it breaks clients`(_ row: Row) throws {
        let definitions = ##"""
            "$defs": { "Old": { "type": "array", "items": { "type": "object", "properties": { "deep": { "type": "string" } } } }, "New": { "type": "array", "items": { "type": "object", "properties": { "deep": { "type": "integer", "minimum": 0, "maximum": 7 } } } } }
            """##
        func document(_ part: String) throws -> JSONTree {
            try JSONTree(parsing: "{ \"\(row.part)\": \(part), \(definitions) }")
        }
        let comparison = try ContractComparison(old: document(row.old), new: document(row.new))
        let changes = comparison.changes.map { "\($0.effect == .breaking ? "!" : "+") \($0.place): \($0.what)" }
        #expect(changes == row.changes)
    }

    @Test(.timeLimit(.minutes(4))) func `references in circles that never meet come to an end`() throws {
        let old = ##"""
            { "arguments": { "$ref": "#/$defs/A" }, "$defs": { "A": { "type": "array", "items": { "type": "array", "items": { "$ref": "#/$defs/A" } } } } }
            """##
        let new = ##"""
            { "arguments": { "type": "array", "items": { "$ref": "#/$defs/B" } }, "$defs": { "B": { "type": "array", "items": { "type": "array", "items": { "$ref": "#/$defs/B" } } } } }
            """##
        let comparison = try ContractComparison(old: JSONTree(parsing: old), new: JSONTree(parsing: new))
        #expect(comparison.changes.isEmpty)
    }

    @Test func `a type that holds itself is compared once`() throws {
        let tree = { (type: String) in
            try JSONTree(
                parsing: ##"""
                    { "arguments": { "$ref": "#/$defs/Tree" }, "$defs": { "Tree": { "type": "object", "properties": { "value": { "type": "\##(type)" }, "child": { "$ref": "#/$defs/Tree" } } } } }
                    """##)
        }
        let comparison = try ContractComparison(old: tree("string"), new: tree("number"))
        #expect(comparison.changes.map(\.place) == ["arguments: value"])
    }
}

struct LineDiffTests {
    private static let letters = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]

    @Test(
        arguments: [
            ([0: "a"], ""),
            ([4: "E"], "@@ line 4 @@\n d\n-e\n+E\n f\n"),
            ([0: "A", 9: "J"], "@@ line 1 @@\n-a\n+A\n b\n@@ line 9 @@\n i\n-j\n+J\n"),
            ([2: "C", 4: "E"], "@@ line 2 @@\n b\n-c\n+C\n d\n-e\n+E\n f\n"),
            ([3: "d\nx"], "@@ line 4 @@\n d\n+x\n e\n"),
        ] as [([Int: String], String)])
    func `lines that differ are shown with those around them`(_ changes: [Int: String], _ diff: String) {
        let old = Self.letters.joined(separator: "\n")
        let new = Self.letters.enumerated().map { changes[$0.offset] ?? $0.element }.joined(separator: "\n")
        #expect(LineDiff.text(old: old, new: new, context: 1) == diff)
    }
}
