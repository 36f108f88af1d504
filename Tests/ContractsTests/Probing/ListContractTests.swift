import Contracts
import JSON
import SchemaValidation
import Serving
import Sessions
import Testing
import ViewModels

struct ListContractTests {
    struct Row: Codable, Identifiable {
        var id: Int
        var title: String?
    }

    /// Types of rows that clients know again, and such that they don't.
    enum Other {
        struct Computed: Codable, Identifiable {
            var name: String
            var id: String { name }
        }
        struct Optional: Codable, Identifiable {
            var id: Int?
        }
        struct Renamed: Codable, Identifiable {
            var id: Int
            enum CodingKeys: String, CodingKey { case id = "number" }
        }
        struct Unmarked: Codable {
            var id: Int
        }
        struct Own: SchemaProviding, Codable, Identifiable {
            var id: Int
            static let schema = #"{ "type": "object", "required": ["id"] }"#
            static let example = Own(id: 1)
        }
        enum Choice: Codable, Identifiable {
            case one(Int)
            var id: Int { 1 }
        }
        struct Unwritable: Sendable {}
        struct Unreadable: Encodable {}
    }

    typealias RowType = any Any.Type
    typealias Lists = [(name: String, row: RowType)]

    private static func contract(
        _ lists: Lists, events: ContractBuilder.Events = .values([]),
        state: ContractBuilder.State? = nil, _ builder: inout ContractBuilder
    ) -> ViewModelContract {
        builder.contract(
            of: "test", ListContractTests.self, arguments: .none, viewEvent: Never.self, events: events, lists: lists,
            state: state)
    }

    private static let event = ##"""
        { "type": "object", "required": ["kind", "count"], "properties": { "kind": { "const": "results" }, "count": { "type": "integer", "minimum": 0 }, "changes": { "type": "array", "items": { "$ref": "#/$defs/RowsEdit" } }, "first": { "type": "integer", "minimum": 0 }, "rows": { "type": "array", "items": { "$ref": "#/$defs/Row" } } } }
        """##

    @Test func `a list has the schema of its rows, their identity, and an event beside the others`() throws {
        var builder = ContractBuilder()
        let contract = Self.contract([("results", Row.self)], events: .values([("isOn", Bool.self)]), &builder)
        #expect(builder.problems.isEmpty)
        let json = contract.json.withoutDescriptions
        #expect(json["lists"]?.line == ##"{ "results": { "row": { "$ref": "#/$defs/Row" }, "id": "id" } }"##)
        let other =
            ##"{ "type": "object", "required": ["kind", "value"], "properties": { "kind": { "const": "isOn" }, "value": { "type": "boolean" } } }"##
        #expect(json["viewModelEvent"]?.line == "{ \"oneOf\": [\(other), \(Self.event)] }")
        #expect(contract.definitions.map(\.name) == ["Int", "Row", "RowsEdit"])
        #expect(
            json["$defs"]?["RowsEdit"]?.line == ##"""
                { "type": "object", "required": ["at", "removed", "inserted"], "properties": { "at": { "type": "integer", "minimum": 0 }, "removed": { "type": "integer", "minimum": 0 }, "inserted": { "type": "integer", "minimum": 0 } } }
                """##)
    }

    @Test func `a view model without lists has none, and the lists of another are its own`() {
        var builder = ContractBuilder()
        let without = Self.contract([], &builder)
        _ = Self.contract([("results", Row.self)], &builder)
        #expect(without.json["lists"] == nil && without.definitions.isEmpty)
        #expect(Self.contract([], &builder) == without)
    }

    @Test(
        arguments: [
            (.cases(Plain.One.self), ["only", "results", "log"]), (.values([]), ["results", "log"]),
            (.values([("log line", Int.self)]), ["log line", "results", "log"]),
        ] as [(ContractBuilder.Events, [String])])
    func `the events of lists come after those of the view model`(_ events: ContractBuilder.Events, _ kinds: [String]) {
        var builder = ContractBuilder()
        let contract = Self.contract([("results", Row.self), ("log", String.self)], events: events, &builder)
        #expect(builder.problems.isEmpty)
        #expect(contract.viewModelEvent.kinds == kinds)
        #expect(contract.lists.map(\.name) == ["results", "log"])
    }

    @Test(
        arguments: [
            (Row.self, "id"), (Other.Own.self, "id"), (Other.Unmarked.self, nil), (Other.Computed.self, nil),
            (Other.Optional.self, nil), (Other.Renamed.self, nil), (Other.Choice.self, nil), (Row?.self, nil),
            ([Row].self, nil), (String.self, nil),
        ] as [(RowType, String?)])
    func `rows have an identity where they are Identifiable and always show it`(
        _ type: RowType, _ identity: String?
    ) {
        var builder = ContractBuilder()
        let contract = Self.contract([("results", type)], &builder)
        #expect(builder.problems.isEmpty)
        #expect(contract.lists.map(\.identity) == [identity])
        #expect(contract.json["lists"]?["results"]?["id"] == identity.map { .string($0) })
    }

    @Test func `a view model may send nothing but its lists`() {
        var builder = ContractBuilder()
        let contract = Self.contract([("results", Row.self)], events: .cases(Never.self), &builder)
        #expect(builder.problems.isEmpty)
        #expect(contract.viewModelEvent.kinds == ["results"])
    }

    @Test(
        arguments: [
            (
                [("only", Row.self)], .cases(Plain.One.self),
                "list only of only: another event, or another list, is called so: give it another name"
            ),
            (
                [("changed", Row.self)], .values([("changed", Int.self)]),
                "list changed of changed: another event, or another list, is called so: give it another name"
            ),
            (
                [("a", Row.self), ("a", Int.self)], .values([]),
                "list a of a: another event, or another list, is called so: give it another name"
            ),
            (
                [("results", Other.Unreadable.self)], .values([]),
                "list  of results: it is only Encodable, so its form can't be tried out: make it Codable"
            ),
            ([("results", Other.Unwritable.self)], .values([]), "list  of results: it isn't Codable"),
            (
                [("results", Refused.Array.self)], .values([]),
                "list  of results: its Codable conformance isn't the compiler's: it reads an array"
            ),
        ] as [(Lists, ContractBuilder.Events, String)])
    func `a list that can't be described is a problem that says what to do`(
        _ lists: Lists, _ events: ContractBuilder.Events, _ text: String
    ) throws {
        var builder = ContractBuilder()
        let contract = Self.contract(lists, events: events, &builder)
        let problem = try #require(builder.problems.first)
        #expect(builder.problems.count == 1 && problem.isError)
        #expect("\(problem.part) \(problem.member ?? "") of \(problem.event?.last ?? ""): \(problem.reason)" == text)
        // Each kind is there once.
        let kinds = contract.viewModelEvent.kinds ?? []
        #expect(!kinds.isEmpty && Set(kinds).count == kinds.count)
    }

    @Test func `where the events aren't known any may come, and the lists are described`() {
        var builder = ContractBuilder()
        let contract = Self.contract([("results", Row.self)], events: .cases(Leaf.self), &builder)
        #expect(builder.problems.map(\.part) == ["viewModelEvent"])
        #expect(contract.viewModelEvent.form == .anything)
        #expect(contract.lists.map(\.identity) == ["id"])
    }

    @Test(
        arguments: [
            (#"{"kind":"results","count":0}"#, true),
            (#"{"kind":"results","count":2,"changes":[],"first":0,"rows":[{"id":1},{"id":2,"title":"b"}]}"#, true),
            (#"{"kind":"results","count":1,"changes":[{"at":0,"removed":0,"inserted":1}]}"#, true),
            (#"{"kind":"isOn","value":true}"#, true),
            (#"{"kind":"results"}"#, false),
            (#"{"kind":"results","count":-1}"#, false),
            (#"{"kind":"results","count":1,"changes":[{"at":0,"removed":0}]}"#, false),
            (#"{"kind":"results","count":1,"first":0,"rows":[{"title":"a"}]}"#, false),
        ])
    func `an event is valid as it is on the wire`(_ text: String, _ isValid: Bool) throws {
        var builder = ContractBuilder()
        let contract = Self.contract([("results", Row.self)], events: .values([("isOn", Bool.self)]), &builder)
        let document = try SchemaDocument(text: contract.json.line)
        #expect(document.validate(text: text, by: "/viewModelEvent").isEmpty == isValid)
        #expect(document.validate(text: #"{"id":1}"#, by: "/lists/results/row").isEmpty)
        #expect(!document.validate(text: "{}", by: "/lists/results/row").isEmpty)
    }

    @Test func `clients are told of lists, and not of the state beside them`() {
        var builder = ContractBuilder()
        let contract = Self.contract(
            [("results", Row.self)], state: .init(version: 1, form: .properties([("leaf", Same.Leaf.self)])), &builder)
        #expect(contract.fileJSON.withoutState == contract.json)
        #expect(contract.fileJSON["lists"] == contract.json["lists"])
    }

    private actor Finder: ViewModel {
        enum ViewEvent: Codable { case find(String) }
        enum ViewModelEvent: Codable { case searching(Bool) }
        let output = Output<ViewModelEvent>()
        let results = Rows<Row>()
        let log = Rows<String>()
        func handle(event: ViewEvent) {}
    }

    @Test func `the lists of a view model are its properties`() throws {
        var registry = Registry()
        registry.add("finder") { Finder() }
        var builder = ContractBuilder()
        let contract = builder.contract(of: try #require(registry.types(of: "finder")))
        #expect(builder.problems.isEmpty)
        #expect(contract.viewModelEvent.kinds == ["searching", "results", "log"])
        #expect(
            contract.json["lists"]?.line
                == ##"{ "results": { "row": { "$ref": "#/$defs/Row" }, "id": "id" }, "log": { "row": { "type": "string" } } }"##
        )
    }
}
