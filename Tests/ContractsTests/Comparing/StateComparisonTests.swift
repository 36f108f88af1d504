import Contracts
import Testing

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
    private static func integer(_ bits: Int) -> String {
        let bound = Int128(1) << (bits - 1)
        return #""n": { "type": "integer", "minimum": \#(-bound), "maximum": \#(bound - 1) }"#
    }
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
    /// Where a name is gone.
    private static func rename(_ name: String, _ others: String = raise) -> String {
        #"where it has another name now, give it "\#(name)" in CodingKeys; else \#(others)"#
    }
    private static let migrated = "~ state: savedState(from:version:) has to read version 1"

    static let rows: [Row] = [
        Row(properties(number), properties(number)),
        // Saved properties come, and a stored one must be read.
        Row(properties(""), properties(number), #"+ state: "n" was added, and is optional: number"#),
        Row(properties(number), properties(""), gone, rename("n")),
        Row(
            properties(number), properties("", version: 2),
            #"~ state: "n" was removed: what is stored of it is read by nobody"#, migrated),
        Row(properties(number), properties(text), "! state: n: was number, is string", raise),
        Row(
            properties(integer(32)), properties(number),
            "+ state: n: was integer (-2147483648 to 2147483647), is number"),
        // A Double hasn't all the digits.
        Row(
            properties(integer(64)), properties(number),
            "! state: n: was integer (-9223372036854775808 to 9223372036854775807), is number", raise),
        Row(properties(number), properties(nullable), "+ state: n: may be null now"),
        Row(properties(nullable), properties(number), "! state: n: may not be null any more", raise),
        // A SavedState is read as a whole.
        Row(whole(""), whole(number), #"+ state: "n" was added, and is optional: number"#),
        Row(
            whole(""), whole(number, required: #""n""#), #"! state: "n" was added, and is required: number"#, raise),
        Row(whole(number, required: #""n""#), whole(""), gone, rename("n")),
        Row(whole(number), whole(number, required: #""n""#), "! state: n: is required now", raise),
        Row(whole(number, required: #""n""#), whole(number), "+ state: n: is optional now"),
        Row(whole(number), whole(text), "! state: n: was number, is string", raise),
        // Enums, of either form.
        Row(whole(words("a")), whole(words("a", "b")), #"+ state: n: the value "b" was added"#),
        Row(
            whole(words("a", "b")), whole(words("b", "c")), #"! state: n: the value "a" was removed"#,
            #"+ state: n: the value "c" was added"#, raise),
        Row(whole(cases("a")), whole(cases("a", "b")), "+ state: n.b: was added"),
        Row(whole(cases("a", "b")), whole(cases("b")), "! state: n.a: was removed", rename("a")),
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
            "raise savedStateVersion to 3, and read version 2 in savedState(from:version:)"),
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

    @Test func `stored arguments have a version of their own, and a client's are refused where they have too much`()
        throws
    {
        let conform = "conform their type to DurableArguments, \(Self.raise)"
        func arguments(_ members: String, version: Int = 1) -> String {
            let stored = version == 1 ? "" : #""savedArguments": { "x-savedStateVersion": \#(version) }, "#
            let form = #"{ "type": "object", "properties": { \#(members) }, "additionalProperties": false }"#
            return #""arguments": \#(form), \#(stored)\#(Self.properties(""))"#
        }
        let removed = #"clients! arguments: "n" was removed"#
        #expect(
            try Self.changes(arguments(Self.number), arguments("")) == [
                removed, #"! stored arguments: "n" was removed"#, Self.rename("n", conform),
            ])
        // A version of the state is none of the arguments.
        #expect(
            try Self.changes(arguments(Self.number), arguments("", version: 2)) == [
                removed, #"~ stored arguments: "n" was removed"#,
                "~ stored arguments: savedState(from:version:) has to read version 1",
            ])
        #expect(
            try Self.changes(arguments("", version: 2), arguments("")) == [
                "! stored arguments: savedStateVersion went down from 2 to 1",
                conform.replacing("to 2", with: "to 3").replacing("version 1", with: "version 2"),
            ])
        func child(_ members: String, version: Int = 1) -> String {
            let number = version == 1 ? "" : #""x-savedStateVersion": \#(version), "#
            let form = #"{ \#(number)"type": "object", "properties": { \#(members) } }"#
            return #""savedArguments": \#(form), \#(Self.properties(""))"#
        }
        #expect(
            try Self.changes(child(Self.number), child(Self.text)) == [
                "! savedArguments: n: was number, is string", conform,
            ])
        #expect(
            try Self.changes(child(Self.number), child(Self.text, version: 2)) == [
                "~ savedArguments: n: was number, is string",
                "~ stored arguments: savedState(from:version:) has to read version 1",
            ])
        #expect(
            try Self.changes(child(Self.number, version: 2), child(Self.text, version: 2)) == [
                "! savedArguments: n: was number, is string",
                "raise savedStateVersion to 3, and read version 2 in savedState(from:version:)",
            ])
        #expect(
            try Self.changes(child(Self.number), child("")) == [
                #"! savedArguments: "n" was removed: what is stored of it is read by nobody"#,
                Self.rename("n", conform),
            ])
    }

    @Test func `a version of the arguments hides no change of the same type in the state`() throws {
        func document(_ members: String, version: Int) -> String {
            Self.whole(members) + ##", "savedArguments": { "x-savedStateVersion": \##(version), "$ref": "#/$defs/S" }"##
        }
        #expect(
            try Self.changes(document(Self.number, version: 1), document(Self.text, version: 2)) == [
                "~ savedArguments: n: was number, is string",
                "~ stored arguments: savedState(from:version:) has to read version 1",
                "! state: n: was number, is string", Self.raise,
            ])
    }

    /// What is stored of two shared objects, of which one is the same in all versions.
    private static func shared(_ members: String, name: String = "Shop.Basket", version: Int = 1) -> String {
        let number = version == 1 ? "" : #""x-savedStateVersion": \#(version), "#
        return #"""
            "shared": { "Shop.Same": { "type": "object" }, \#
            "\#(name)": { \#(number)"type": "object", "properties": { \#(members) } } }
            """#
    }

    @Test(
        arguments: [
            Row(shared(number), shared(number)),
            Row(
                shared(number), shared(""),
                #"! shared Shop.Basket: "n" was removed: what is stored of it is read by nobody"#, rename("n")),
            Row(shared(""), shared(number), #"+ shared Shop.Basket: "n" was added, and is optional: number"#),
            Row(shared(number), shared(nullable), "+ shared Shop.Basket: n: may be null now"),
            Row(shared(number), shared(text), "! shared Shop.Basket: n: was number, is string", raise),
            Row(
                shared(words("a", "b")), shared(words("b")), #"! shared Shop.Basket: n: the value "a" was removed"#,
                raise),
            Row(
                shared(number), shared(text, name: "Cart"),
                "! shared Shop.Basket: was removed: what is stored of it is read by nobody", "+ shared Cart: was added",
                #"where its type has another name now, give it static let savedName = "Basket""#),
            // Older contracts have the module, too. By now a type may move.
            Row(shared(number), shared(number, name: "Basket")),
            Row(
                shared(number), shared(text, name: "Basket"), "! shared Shop.Basket: n: was number, is string", raise),
            // Versions.
            Row(
                shared(number), shared(text, version: 2), "~ shared Shop.Basket: n: was number, is string",
                "~ shared Shop.Basket: savedState(from:version:) has to read version 1"),
            Row(
                shared(number, version: 2), shared(text, version: 2), "! shared Shop.Basket: n: was number, is string",
                "raise savedStateVersion to 3, and read version 2 in savedState(from:version:)"),
            Row(
                shared(number, version: 2), shared(number),
                "! shared Shop.Basket: savedStateVersion went down from 2 to 1",
                "raise savedStateVersion to 3, and read version 2 in savedState(from:version:)"),
            // A higher version of the state is none of what it shares.
            Row(
                both(number, version: 1), both(text, version: 2), "~ state: n: was number, is string", migrated,
                "! shared Shop.Basket: n: was number, is string", raise),
        ])
    func `a change of an object that view models share breaks the sessions that have it`(_ row: Row) throws {
        #expect(try Self.changes(row.old, row.new) == row.changes)
    }

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
