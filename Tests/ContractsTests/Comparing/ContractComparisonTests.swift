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

/// What the code reads of sessions that an older version has stored.
struct StateComparisonTests {
    /// The old and the new documents, and the reported changes.
    struct Row: Sendable, CustomTestStringConvertible {
        let old: String
        let new: String
        let changes: [String]
        var testDescription: String { "\(old) -> \(new)" }

        init(_ old: String, _ new: String, _ changes: String...) {
            (self.old, self.new, self.changes) = (old, new, changes)
        }
    }

    /// A state of saved properties, which are never required.
    private static func properties(_ members: String, version: Int = 1) -> String {
        #""state": { "x-savedStateVersion": \#(version), "x-savedAs": "properties", "type": "object", "properties": { \#(members) } }"#
    }

    /// A state of its own type.
    private static func whole(_ members: String, required: String = "", version: Int = 1) -> String {
        ##"""
        "state": { "x-savedStateVersion": \##(version), "x-savedAs": "whole", "$ref": "#/$defs/S" },
        "$defs": { "S": { "type": "object", "required": [\##(required)], "properties": { \##(members) } } }
        """##
    }

    private static let number = #""n": { "type": "number" }"#
    private static let text = #""n": { "type": "string" }"#
    private static let nullable = #""n": { "type": ["number", "null"] }"#
    private static func words(_ values: String...) -> String {
        #""n": { "enum": [\#(values.map { "\"\($0)\"" }.joined(separator: ", "))] }"#
    }
    private static func cases(_ names: String..., members: String = "") -> String {
        let cases = names.map { name in
            #"{ "type": "object", "required": ["\#(name)"], "properties": { "\#(name)": { "type": "object"\#(members) } } }"#
        }
        return #""n": { "oneOf": [\#(cases.joined(separator: ", "))] }"#
    }
    private static let gone = #"! state: "n" was removed: what is stored of it is read by nobody"#
    private static let raise = "raise savedStateVersion to 2, and read version 1 in savedState(from:version:)"
    private static let migrated = "~ state: savedState(from:version:) reads version 1"

    static let rows: [Row] = [
        Row(properties(number), properties(number)),
        // Saved properties come, and a stored one must be read.
        Row(properties(""), properties(number), #"+ state: "n" was added, and is optional: number"#),
        Row(properties(number), properties(""), gone, raise),
        Row(
            properties(number), properties("", version: 2),
            #"~ state: "n" was removed: what is stored of it is read by nobody"#, migrated),
        Row(properties(number), properties(text), "! state: n: was number, is string", raise),
        Row(properties(number), properties(nullable), "+ state: n: may be null now"),
        Row(properties(nullable), properties(number), "! state: n: may not be null any more", raise),
        // A SavedState is read as a whole.
        Row(whole(""), whole(number), #"+ state: "n" was added, and is optional: number"#),
        Row(
            whole(""), whole(number, required: #""n""#), #"! state: "n" was added, and is required: number"#, raise),
        Row(whole(number, required: #""n""#), whole(""), gone, raise),
        Row(whole(number), whole(number, required: #""n""#), "! state: n: is required now", raise),
        Row(whole(number, required: #""n""#), whole(number), "+ state: n: is optional now"),
        Row(whole(number), whole(text), "! state: n: was number, is string", raise),
        // Enums, of either form.
        Row(whole(words("a")), whole(words("a", "b")), #"+ state: n: the value "b" was added"#),
        Row(
            whole(words("a", "b")), whole(words("b", "c")), #"! state: n: the value "a" was removed"#,
            #"+ state: n: the value "c" was added"#, raise),
        Row(whole(cases("a")), whole(cases("a", "b")), "+ state: n.b: was added"),
        Row(whole(cases("a", "b")), whole(cases("b")), "! state: n.a: was removed", raise),
        Row(
            whole(cases("a")),
            whole(cases("a", members: #", "required": ["_0"], "properties": { "_0": { "type": "string" } }"#)),
            #"! state: n.a: "_0" was added, and is required: string"#, raise),
        // The same names, and another way to store them.
        Row(
            properties(number), whole(number),
            "! state: was saved property by property, is saved as a whole, in a SavedState", raise),
        Row(
            whole(number), properties(number),
            "! state: was saved as a whole, in a SavedState, is saved property by property", raise),
        // Versions.
        Row(properties(number), properties(number, version: 2), migrated),
        Row(
            properties(number), properties(text, version: 2), "~ state: n: was number, is string", migrated),
        Row(
            whole(number), whole(text, required: #""n""#, version: 3), "~ state: n: is required now",
            "~ state: n: was number, is string", migrated),
        Row(
            properties(number), whole(number, version: 2),
            "~ state: was saved property by property, is saved as a whole, in a SavedState", migrated),
        Row(
            properties(number, version: 2), properties(number),
            "! state: savedStateVersion went down from 2 to 1",
            "raise it to 3, and read version 2 in savedState(from:version:)"),
        // Durable from now on, and no longer.
        Row("", properties(number), "+ stored sessions: outlive their process from now on"),
        Row(
            properties(number), "", "! stored sessions: can't go on, since the view model isn't durable any more",
            "conform to DurableViewModel again"),
        // Closed for the sake of arguments, which have the type, too.
        Row(
            properties(#""n": { "type": "object", "additionalProperties": false }"#),
            properties(#""n": { "type": "object" }"#)),
    ]

    @Test(arguments: rows)
    func `a change is told with what becomes of stored sessions`(_ row: Row) throws {
        #expect(try Self.changes(row.old, row.new) == row.changes)
    }

    private static func changes(_ old: String, _ new: String) throws -> [String] {
        let rest = #""arguments": {}, "viewEvent": {}, "viewModelEvent": {}"#
        let documents = try [old, new].map { try JSONTree(parsing: "{ \($0)\($0.isEmpty ? "" : ",") \(rest) }") }
        let changes = ContractComparison(old: documents[0], new: documents[1]).changes
        let advice = Set(changes.compactMap(\.advice))
        #expect(changes.allSatisfy { ($0.advice != nil) == ($0.effect == .breakingSessions) })
        let marks: [ContractChange.Effect: String] = [
            .breaking: "clients!", .breakingSessions: "!", .migrated: "~", .compatible: "+",
        ]
        return changes.map { "\(marks[$0.effect] ?? "") \($0.place): \($0.what)" } + advice.sorted()
    }

    @Test func `stored arguments have no version, and a client's are refused where they have too much`() throws {
        let advice = "arguments have no version: what is new must be optional, and what is gone must stay"
        let arguments = { (members: String) in
            #""arguments": { "type": "object", "properties": { \#(members) }, "additionalProperties": false }"#
        }
        #expect(
            try Self.changes(
                "\(arguments(Self.number)), \(Self.properties(""))",
                "\(arguments("")), \(Self.properties("", version: 2))")
                == [
                    #"clients! arguments: "n" was removed"#, #"! stored arguments: "n" was removed"#, Self.migrated,
                    advice,
                ])
        let child = { (members: String) in
            #""savedArguments": { "type": "object", "properties": { \#(members) } }, \#(Self.properties(""))"#
        }
        #expect(
            try Self.changes(child(Self.number), child(Self.text)) == [
                "! savedArguments: n: was number, is string", advice,
            ])
        #expect(
            try Self.changes(child(Self.number), child("")) == [
                #"! savedArguments: "n" was removed: what is stored of it is read by nobody"#, advice,
            ])
    }

    /// What is stored of two shared objects, of which one is the same in all versions.
    private static func shared(_ members: String, name: String = "Shop.Basket") -> String {
        #"""
        "shared": { "Shop.Same": { "type": "object" }, \#
        "\#(name)": { "type": "object", "properties": { \#(members) } } }
        """#
    }

    @Test(
        arguments: [
            Row(shared(number), shared(number)),
            Row(
                shared(number), shared(""),
                #"! shared Shop.Basket: "n" was removed: what is stored of it is read by nobody"#, another),
            Row(shared(""), shared(number), #"+ shared Shop.Basket: "n" was added, and is optional: number"#),
            Row(shared(number), shared(nullable), "+ shared Shop.Basket: n: may be null now"),
            Row(shared(number), shared(text), "! shared Shop.Basket: n: was number, is string", another),
            Row(
                shared(words("a", "b")), shared(words("b")), #"! shared Shop.Basket: n: the value "a" was removed"#,
                another),
            Row(
                shared(number), shared(text, name: "Cart"),
                "! shared Shop.Basket: was removed: what is stored of it is read by nobody", "+ shared Cart: was added",
                #"where its type has another name now, give it static let savedName = "Basket""#),
            // Older contracts have the module, too. By now a type may move.
            Row(shared(number), shared(number, name: "Basket")),
            Row(
                shared(number), shared(text, name: "Basket"), "! shared Shop.Basket: n: was number, is string", another),
            // A higher version of the state is none of what it shares.
            Row(
                both(number, version: 1), both(text, version: 2), "~ state: n: was number, is string", migrated,
                "! shared Shop.Basket: n: was number, is string", another),
        ])
    func `a change of an object that view models share breaks the sessions that have it`(_ row: Row) throws {
        #expect(try Self.changes(row.old, row.new) == row.changes)
    }

    private static let another = "a shared object has no version: save the new form as a property of another name"

    /// The same type in a state and in a shared object.
    private static func both(_ members: String, version: Int) -> String {
        whole(members, version: version) + ##", "shared": { "Shop.Basket": { "$ref": "#/$defs/S" } }"##
    }

    @Test func `clients aren't told of what is stored, nor of the types that only that has`() throws {
        let told = ##""arguments": { "$ref": "#/$defs/A" }, "viewEvent": false"##
        let types = ##""A": { "type": "array", "items": { "$ref": "#/$defs/B" } }, "B": { "type": "string" }"##
        let file = try JSONTree(
            parsing: ##"""
                { \##(told), "state": { "$ref": "#/$defs/C" }, "savedArguments": { "$ref": "#/$defs/D" }, \##
                "$defs": { \##(types), "C": { "$ref": "#/$defs/A" }, "D": { "type": "null" } } }
                """##)
        #expect(try file.withoutState == JSONTree(parsing: "{ \(told), \"$defs\": { \(types) } }"))
        #expect(
            try JSONTree(parsing: ##"{ "viewEvent": {}, "state": { "$ref": "#/$defs/C" }, "$defs": { "C": {} } }"##)
                .withoutState == JSONTree(parsing: #"{ "viewEvent": {} }"#))
    }

    @Test func `a durable view model that is gone leaves its stored sessions behind`() throws {
        let ends = try ["", Self.properties("")].map { try ContractChange.removal(of: JSONTree(parsing: "{ \($0) }")) }
        #expect(ends.map { $0.map(\.effect) } == [[.breaking], [.breaking, .breakingSessions]])
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
