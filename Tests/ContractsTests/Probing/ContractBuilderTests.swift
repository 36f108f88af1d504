import Contracts
import JSON
import Testing
import ViewModels

struct ContractBuilderTests {
    /// A member's type as an argument, and what its schema and definitions are.
    struct Form: Sendable, CustomTestStringConvertible {
        let type: any Any.Type
        let schema: String
        var definitions: [String: String] = [:]
        var testDescription: String { "\(type)" }
    }

    /// A type that makes an event, and parts of its cases.
    struct EventForm: Sendable, CustomTestStringConvertible {
        let type: any Any.Type
        let parts: [String]
        let count: Int
        var testDescription: String { "\(type)" }

        init(_ type: any Any.Type, _ parts: [String], _ count: Int) {
            (self.type, self.parts, self.count) = (type, parts, count)
        }
    }

    /// A type without a form, and why.
    struct Refusal: Sendable, CustomTestStringConvertible {
        let type: any Any.Type
        let name: String
        let reason: String
        var testDescription: String { "\(type)" }

        init(_ type: any Any.Type, _ name: String, _ reason: String) {
            (self.type, self.name, self.reason) = (type, name, reason)
        }
    }

    static let integer = ##"{ "type": "integer", "minimum": -9223372036854775808, "maximum": 9223372036854775807 }"##

    @Test(arguments: [
        Form(type: Leaf.self, schema: ##"{ "$ref": "#/$defs/Leaf" }"##, definitions: ["Leaf": leaf, "Int": integer]),
        Form(
            type: RenamedMembers.self, schema: ##"{ "$ref": "#/$defs/RenamedMembers" }"##,
            definitions: [
                "RenamedMembers": ##"""
                { "type": "object", "required": ["is_on", "id"], "properties": { "is_on": { "type": "boolean" }, "id": { "$ref": "#/$defs/Int" } } }
                """##,
                "Int": integer,
            ]),
        Form(
            type: Scalars.self, schema: ##"{ "$ref": "#/$defs/Scalars" }"##,
            definitions: [
                "Scalars": ##"""
                { "type": "object", "required": ["bool", "float", "decimal", "date", "data", "url", "uuid", "unsigned", "short"], "properties": { "bool": { "type": "boolean" }, "float": { "type": "number" }, "decimal": { "type": "number" }, "date": { "$ref": "#/$defs/Date" }, "data": { "$ref": "#/$defs/Data" }, "url": { "type": "string", "format": "uri-reference" }, "uuid": { "$ref": "#/$defs/UUID" }, "unsigned": { "$ref": "#/$defs/UInt64" }, "short": { "type": "integer", "minimum": -32768, "maximum": 32767 } } }
                """##,
                "Date": ##"""
                { "type": "string", "format": "date-time", "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\\.[0-9]+)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$" }
                """##,
                "Data": ##"""
                { "type": "string", "contentEncoding": "base64", "pattern": "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$" }
                """##,
                "UUID": ##"""
                { "type": "string", "format": "uuid", "pattern": "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$" }
                """##,
                "UInt64": ##"{ "type": "integer", "minimum": 0, "maximum": 18446744073709551615 }"##,
            ]),
        Form(
            type: Containers.self, schema: ##"{ "$ref": "#/$defs/Containers" }"##,
            definitions: [
                "Containers": ##"""
                { "type": "object", "required": ["list", "holes", "set", "names", "numbers"], "properties": { "list": { "type": "array", "items": { "$ref": "#/$defs/Leaf" } }, "holes": { "type": "array", "items": { "anyOf": [{ "$ref": "#/$defs/Int" }, { "type": "null" }] } }, "set": { "type": "array", "items": { "type": "string" } }, "names": { "type": "object", "additionalProperties": { "$ref": "#/$defs/Leaf" } }, "numbers": { "type": "object", "propertyNames": { "pattern": "^-?(0|[1-9][0-9]*)$" }, "additionalProperties": { "type": "boolean" } }, "nested": { "type": ["object", "null"], "additionalProperties": { "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 255 } } } } }
                """##,
                "Leaf": leaf, "Int": integer,
            ]),
        Form(
            type: Level.self, schema: ##"{ "$ref": "#/$defs/Level" }"##,
            definitions: ["Level": ##"{ "enum": [1, 10] }"##]),
        Form(
            type: Shape.self, schema: ##"{ "$ref": "#/$defs/Shape" }"##,
            definitions: [
                "Shape": ##"""
                { "oneOf": [{ "type": "object", "required": ["point"], "properties": { "point": { "type": "object" } } }, { "type": "object", "required": ["circle"], "properties": { "circle": { "type": "object", "required": ["radius"], "properties": { "radius": { "type": "number" } } } } }, { "type": "object", "required": ["polygon"], "properties": { "polygon": { "type": "object", "required": ["_0"], "properties": { "_0": { "type": "array", "items": { "$ref": "#/$defs/Leaf" } }, "_1": { "anyOf": [{ "$ref": "#/$defs/Level" }, { "type": "null" }] } } } } }] }
                """##,
                "Level": ##"{ "enum": [1, 10] }"##, "Leaf": leaf, "Int": integer,
            ]),
        Form(
            type: Page<Leaf>.self, schema: ##"{ "$ref": "#/$defs/PageOfLeaf" }"##,
            definitions: [
                "PageOfLeaf": ##"""
                { "type": "object", "required": ["items"], "properties": { "items": { "type": "array", "items": { "$ref": "#/$defs/Leaf" } }, "next": { "anyOf": [{ "$ref": "#/$defs/Int" }, { "type": "null" }] } } }
                """##,
                "Leaf": leaf, "Int": integer,
            ]),
        Form(
            type: Tree.self, schema: ##"{ "$ref": "#/$defs/Tree" }"##,
            definitions: [
                "Tree": ##"""
                { "type": "object", "required": ["value", "children"], "properties": { "value": { "$ref": "#/$defs/OrderID" }, "left": { "anyOf": [{ "$ref": "#/$defs/Tree" }, { "type": "null" }] }, "children": { "type": "array", "items": { "$ref": "#/$defs/Tree" } } } }
                """##,
                "OrderID": ##"{ "$ref": "#/$defs/Int" }"##, "Int": integer,
            ]),
        Form(
            type: Expression.self, schema: ##"{ "$ref": "#/$defs/Expression" }"##,
            definitions: [
                "Expression": ##"""
                { "oneOf": [{ "type": "object", "required": ["sum"], "properties": { "sum": { "type": "object", "required": ["_0", "_1"], "properties": { "_0": { "$ref": "#/$defs/Expression" }, "_1": { "$ref": "#/$defs/Expression" } } } } }, { "type": "object", "required": ["number"], "properties": { "number": { "type": "object", "required": ["_0"], "properties": { "_0": { "$ref": "#/$defs/Int" } } } } }] }
                """##,
                "Int": integer,
            ]),
        Form(
            type: Wrapped.self, schema: ##"{ "$ref": "#/$defs/Wrapped" }"##,
            definitions: [
                "Wrapped": ##"""
                { "type": "object", "required": ["level"], "properties": { "level": { "$ref": "#/$defs/Clamped" } } }
                """##,
                "Clamped": ##"""
                { "type": "object", "required": ["wrappedValue"], "properties": { "wrappedValue": { "$ref": "#/$defs/Int" } } }
                """##,
                "Int": integer,
            ]),
        Form(
            type: Same.Both.self, schema: ##"{ "$ref": "#/$defs/Both" }"##,
            definitions: [
                "Both": ##"""
                { "type": "object", "required": ["here", "there"], "properties": { "here": { "$ref": "#/$defs/Same.Leaf" }, "there": { "$ref": "#/$defs/Leaf" } } }
                """##,
                "Same.Leaf":
                    ##"{ "type": "object", "required": ["isGreen"], "properties": { "isGreen": { "type": "boolean" } } }"##,
                "Leaf": leaf, "Int": integer,
            ]),
        Form(
            type: Empty.self, schema: ##"{ "$ref": "#/$defs/Empty" }"##,
            definitions: ["Empty": ##"{ "type": "object" }"##]),
        Form(
            type: Price.self, schema: ##"{ "$ref": "#/$defs/Price" }"##,
            definitions: [
                "Price":
                    ##"{ "type": "object", "required": ["amount"], "properties": { "amount": { "$ref": "#/$defs/Money" } } }"##,
                "Money": ##"{ "type": "string", "pattern": "^[0-9]+$" }"##,
            ]),
        Form(type: [Bool?].self, schema: ##"{ "type": "array", "items": { "type": ["boolean", "null"] } }"##),
        Form(type: String?.self, schema: ##"{ "type": ["string", "null"] }"##),
    ])
    func `a type's schema is what its own init(from:) reads`(_ form: Form) {
        var builder = ContractBuilder()
        let contract = builder.contract(
            of: "test", Never.self, arguments: .decoded(form.type), viewEvent: Never.self, events: .cases(Never.self))
        #expect(builder.problems.isEmpty)
        #expect(contract.arguments.json.line == form.schema)
        let definitions = Dictionary(uniqueKeysWithValues: contract.definitions.map { ($0.name, $0.schema.json.line) })
        #expect(definitions == form.definitions)
    }

    private static let leaf = ##"""
        { "type": "object", "required": ["id", "secret"], "properties": { "id": { "$ref": "#/$defs/Int" }, "name": { "type": ["string", "null"] }, "secret": { "type": "boolean" } } }
        """##

    @Test(
        arguments: [
            EventForm(
                Plain.Event.self,
                [
                    ##""kind": { "const": "touch" } } }"##,
                    ##"{ "type": "object", "required": ["kind", "index"], "properties": { "kind": { "const": "select" }, "index": { "$ref": "#/$defs/Int" } } }"##,
                    ##"{ "type": "object", "required": ["kind", "value"], "properties": { "kind": { "const": "title" }, "value": { "type": "string" } } }"##,
                    ##""value": { "type": "integer", "minimum": -128, "maximum": 127 }, "value1": { "type": "integer", "minimum": 0, "maximum": 255 }"##,
                    ##""required": ["kind", "value", "isSaved"]"##,
                    ##"{ "type": "object", "required": ["kind"], "properties": { "kind": { "const": "maybe" }, "value": { "type": ["number", "null"] }, "label": { "type": ["string", "null"] } } }"##,
                ], 6
            ),
            EventForm(Plain.Words.self, [##""const": "left" "##, ##""const": "to the right" "##], 2),
            EventForm(
                Plain.Renamed.self,
                [
                    ##""const": "tap" "##, ##""required": ["kind", "row"]"##, ##""const": "select" "##,
                    ##""const": "default" "##,
                ], 3
            ),
            EventForm(Plain.One.self, [##""const": "only" "##], 1),
            EventForm(
                Typed.self,
                [
                    ##"{ "x-supersedes": true, "x-debounceMs": 51, "type": "object", "required": ["kind", "value"], "properties": { "kind": { "const": "query" }"##,
                    ##"{ "x-supersedes": true, "x-waits": false, "type": "object", "required": ["kind", "value"]"##,
                    ##"{ "x-waits": false, "type": "object", "required": ["kind", "index"]"##,
                    ##"{ "type": "object", "required": ["kind"], "properties": { "kind": { "const": "accept" } } }"##,
                ], 4),
            EventForm(TypedWords.self, [##"{ "x-waits": false, "type""##, ##""const": "to the right" "##], 2),
        ])
    func `an event is flat, with its kind`(_ form: EventForm) throws {
        var builder = ContractBuilder()
        let contract = builder.contract(
            of: "test", Never.self, arguments: .none, viewEvent: form.type, events: .cases(form.type))
        #expect(builder.problems.isEmpty)
        #expect(contract.viewEvent == contract.viewModelEvent)
        let line = contract.viewEvent.json.line
        for part in form.parts { #expect(line.contains(part), "\(line)") }
        guard case .array(let cases)? = contract.viewEvent.json["oneOf"] else { throw Missing() }
        #expect(cases.count == form.count)
    }

    @Test func `the schedule of each case is read as it was written, in whole milliseconds`() throws {
        var builder = ContractBuilder()
        let contract = builder.contract(
            of: "test", Never.self, arguments: .none, viewEvent: Typed.self, events: .cases(Never.self))
        guard case .array(let cases)? = contract.viewEvent.json["oneOf"] else { throw Missing() }
        #expect(
            cases.map(\.schedule) == [
                .superseding(debounce: .milliseconds(51)), .superseding(waits: false), .independent, .inOrder,
            ])
    }

    private struct Missing: Error {}

    @Test func `properties are events with a value, and nil leaves it out`() {
        var builder = ContractBuilder()
        let contract = builder.contract(
            of: "test", Never.self, arguments: .others, viewEvent: Never.self,
            events: .values([("isOn", Bool.self), ("name", String?.self)]))
        #expect(builder.problems.isEmpty)
        #expect(
            contract.viewModelEvent.json.line == ##"""
                { "oneOf": [{ "type": "object", "required": ["kind", "value"], "properties": { "kind": { "const": "isOn" }, "value": { "type": "boolean" } } }, { "type": "object", "required": ["kind"], "properties": { "kind": { "const": "name" }, "value": { "type": "string" } } }] }
                """##)
        #expect(contract.viewEvent.json == .boolean(false))
        #expect(
            contract.arguments.json.line == ##"{ "description": "Only other view models can show it.", "not": {} }"##)
    }

    @Test(
        arguments: [
            Refusal(Refused.Array.self, "ContractsTests.Refused.Array", "it reads an array"),
            Refusal(Refused.Text.self, "ContractsTests.Refused.Text", "it reads a single String"),
            Refusal(
                Refused.OtherType.self, "ContractsTests.Refused.OtherType",
                "'value' isn't read as the property that it is"),
            Refusal(Refused.Constant.self, "ContractsTests.Refused.Constant", "'version' is written, but not read"),
            Refusal(Refused.Inside.self, "ContractsTests.Refused.Inside", "it reads what is inside 'value' itself"),
            Refusal(Refused.AnyName.self, "ContractsTests.Refused.AnyName", "its keys, Key, aren't an enum's"),
            Refusal(Refused.Derived.self, "ContractsTests.Refused.Derived", "it is a class with a superclass"),
            Refusal(Refused.Tagged.self, "ContractsTests.Refused.Tagged", "it doesn't read 'type' as a case"),
            Refusal(Refused.Place.self, "FoundationEssentials.Locale", "or one that conforms to SchemaProviding"),
            Refusal(
                Refused.Instant.self, "Swift.ContinuousClock.Instant", "or one that conforms to SchemaProviding"),
            Refusal(Refused.Wish.self, "ContractsTests.Refused.Wish", "it throws empty"),
        ])
    func `a type whose form can't be known is refused by name`(_ refusal: Refusal) throws {
        var builder = ContractBuilder()
        let contract = builder.contract(
            of: "test", Never.self, arguments: .decoded(refusal.type), viewEvent: Never.self, events: .cases(Never.self)
        )
        let problem = try #require(builder.problems.first)
        #expect(builder.problems.count == 1)
        #expect(problem.type == refusal.name)
        #expect(problem.part == "arguments")
        #expect(problem.reason.hasSuffix(refusal.reason), "\(problem.reason)")
        // And described as anything, with the reason; not as what it might be.
        #expect(contract.json.line.contains("\"Not known: "))
    }

    @Test func `an event that can't be described is one problem, and the others have their contract`() throws {
        var builder = ContractBuilder()
        let contract = builder.contract(
            of: "test", Never.self, arguments: .none, viewEvent: Refused.Event.self,
            events: .values([("name", String.self), ("place", Refused.Place.self)]))
        let unknown =
            "its form isn't known here; put what clients need of it into a type of your own, or one that conforms to "
            + "SchemaProviding"
        #expect(
            builder.problems.map { "\($0.part) \($0.event?.joined(separator: ".") ?? ""): \($0.type): \($0.reason)" }
                == [
                    "viewEvent ContractsTests.Refused.Event.went: FoundationEssentials.Locale: \(unknown)",
                    "viewModelEvent Swift.Never.place: FoundationEssentials.Locale: \(unknown)",
                    "viewEvent ContractsTests.Refused.Event.said: ContractsTests.Refused.Text: its Codable conformance isn't "
                        + "the compiler's: it reads a single String",
                ])
        #expect(contract.viewEvent.kinds == ["came", "went", "said", "left"])
        guard case .array(let cases)? = contract.viewEvent.json["oneOf"] else { throw Missing() }
        let came = ##"""
            { "type": "object", "required": ["kind", "at"], "properties": { "kind": { "const": "came" }, "at": { "$ref": "#/$defs/Int" } } }
            """##
        #expect(cases.first?.line == came)
        #expect(cases[1].line.hasPrefix(#"{ "description": "Not known: FoundationEssentials.Locale: its form"#))
        #expect(cases[1].line.hasSuffix(#""required": ["kind"], "properties": { "kind": { "const": "went" } } }"#))
        #expect(contract.viewModelEvent.kinds == ["name", "place"])
    }

    @Test(
        arguments: [
            Refusal(Leaf.self, "", "an event must be an enum"),
            Refusal(Plain.Numbers.self, "", "an event's kind is a string"),
            Refusal(
                Plain.Labelled.self, "", "an associated value can't be labelled 'kind': an event's kind is called so"),
            Refusal(
                Plain.Outgoing.self, "",
                "it is only Encodable, so its form can't be tried out: make it Codable"
            ),
        ])
    func `a type that is no event is refused by name`(_ refusal: Refusal) {
        var builder = ContractBuilder()
        _ = builder.contract(
            of: "test", Never.self, arguments: .none, viewEvent: Never.self, events: .cases(refusal.type))
        #expect(builder.problems.map(\.reason) == [refusal.reason])
        #expect(builder.problems.map(\.part) == ["viewModelEvent"])
    }
}
