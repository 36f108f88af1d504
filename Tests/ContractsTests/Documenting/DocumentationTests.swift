import Contracts
import JSON
import Testing

struct DocumentationTests {
    /// A symbol graph of `Shop` as the compiler writes it, with less in it.
    private static let graph = """
        { "module": { "name": "ContractsTests" }, "symbols": [
          { "kind": { "identifier": "swift.struct" }, "pathComponents": ["Leaf"],
            "docComment": { "lines": [{ "text": "A leaf," }, { "text": "green." }, { "text": "" }, { "text": "- Parameter x: y" }] },
            "location": { "uri": "file:///a%20b/Leaf.swift", "position": { "line": 2, "character": 7 } } },
          { "kind": { "identifier": "swift.property" }, "pathComponents": ["Leaf", "id"],
            "docComment": { "lines": [{ "text": "Counts." }] } },
          { "kind": { "identifier": "swift.method" }, "pathComponents": ["Leaf", "id(of:)"],
            "docComment": { "lines": [{ "text": "A method." }] } },
          { "kind": { "identifier": "swift.property" }, "pathComponents": ["Leaf", "name"],
            "docComment": { "module": "Elsewhere", "lines": [{ "text": "Inherited." }] } },
          { "kind": { "identifier": "swift.init" }, "pathComponents": ["Leaf", "init(from:)"] },
          { "kind": { "identifier": "swift.enum" }, "pathComponents": ["Plain", "Event"] },
          { "kind": { "identifier": "swift.enum" }, "pathComponents": ["Plain", "Words"] },
          { "kind": { "identifier": "swift.init" }, "pathComponents": ["Plain", "Words", "init(rawValue:)"],
            "declarationFragments": [{ "spelling": "init" }, { "spelling": "?(" }],
            "location": { "uri": "file:///Words.swift", "position": { "line": 1, "character": 4 } } },
          { "kind": { "identifier": "swift.struct" }, "pathComponents": ["OrderID"] },
          { "kind": { "identifier": "swift.init" }, "pathComponents": ["OrderID", "init(rawValue:)"],
            "declarationFragments": [{ "spelling": "init" }, { "spelling": "(" }],
            "location": { "uri": "file:///OrderID.swift", "position": { "line": 1, "character": 4 } } },
          { "kind": { "identifier": "swift.enum" }, "pathComponents": ["Expression"] },
          { "kind": { "identifier": "swift.enum" }, "pathComponents": ["Expression", "CodingKeys"] },
          { "kind": { "identifier": "swift.init" }, "pathComponents": ["Expression", "CodingKeys", "init(stringValue:)"],
            "declarationFragments": [{ "spelling": "init" }, { "spelling": "?(" }],
            "location": { "uri": "file:///Expression.swift", "position": { "line": 1, "character": 4 } } },
          { "kind": { "identifier": "swift.struct" }, "pathComponents": ["Wrapped"], "identifier": { "precise": "Wrapped" } },
          { "kind": { "identifier": "swift.method" }, "pathComponents": ["Wire", "encode(to:)"],
            "identifier": { "precise": "encode" },
            "location": { "uri": "file:///Wire.swift", "position": { "line": 6, "character": 4 } } },
          { "kind": { "identifier": "swift.method" }, "pathComponents": ["Duration", "encode(to:)"],
            "swiftExtension": { "extendedModule": "Elsewhere" },
            "location": { "uri": "file:///Duration.swift", "position": { "line": 6, "character": 4 } } },
          { "kind": { "identifier": "swift.init" }, "pathComponents": ["Shape", "init(from:)"],
            "location": { "uri": "file:///Shape.swift", "position": { "line": 9, "character": 4 } } },
          { "kind": { "identifier": "swift.enum.case" }, "pathComponents": ["Plain", "Event", "select(index:)"],
            "docComment": { "lines": [{ "text": "Chose." }] } }
        ], "relationships": [
          { "kind": "memberOf", "source": "encode", "target": "Wire" },
          { "kind": "conformsTo", "source": "Wrapped", "target": "Refined" },
          { "kind": "conformsTo", "source": "Refined", "target": "Wire" }
        ] }
        """

    struct Unknown: Sendable {
        let type: any Any.Type
        let reason: String?
        let path: String?

        init(_ type: any Any.Type, _ reason: String?, _ path: String?) {
            (self.type, self.reason, self.path) = (type, reason, path)
        }
    }

    private static func builder() throws -> (ContractBuilder, Documentation) {
        var documentation = Documentation()
        try Array(graph.utf8).withUnsafeBytes { bytes in
            try documentation.add(symbolGraph: JSONValue(validating: bytes))
        }
        return (ContractBuilder(documentation), documentation)
    }

    @Test func `doc comments are descriptions`() throws {
        var (builder, _) = try Self.builder()
        let contract = builder.contract(
            of: "test", Leaf.self, arguments: .decoded(Leaf.self), viewEvent: Plain.Event.self,
            events: .cases(Never.self))
        #expect(contract.description == "A leaf, green.")
        let leaf = try #require(contract.definition("Leaf"))
        #expect(leaf.description == "A leaf, green.")
        #expect(leaf.json["properties"]?["id"]?["description"] == .string("Counts."))
        #expect(leaf.json["properties"]?["name"]?["description"] == nil, "a protocol's comment isn't the property's")
        #expect(contract.viewEvent.json.line.contains(#"{ "description": "Chose.", "type": "object""#))
        #expect(builder.problems.isEmpty)
    }

    @Test func `the doc comment of a list's property describes its event`() throws {
        var (builder, _) = try Self.builder()
        let contract = builder.contract(
            of: "test", Leaf.self, arguments: .none, viewEvent: Never.self, events: .values([]),
            lists: [("id", Bool.self)])
        guard case .cases(let cases, .flat) = contract.viewModelEvent.form else {
            return #expect(Bool(false), "no events")
        }
        #expect(cases.map(\.kind) == ["id"] && cases.map(\.description) == ["Counts."])
    }

    @Test func `rows that encode themselves are refused, with the place of the list`() throws {
        var (builder, documentation) = try Self.builder()
        _ = builder.contract(
            of: "test", Leaf.self, arguments: .none, viewEvent: Never.self, events: .values([]),
            lists: [("name", Shape.self)])
        let problem = try #require(builder.problems.first)
        #expect(problem.part == "list" && problem.event == ["ContractsTests", "Leaf", "name"])
        #expect(documentation.place(of: problem)?.path == "/Shape.swift")
        #expect(documentation.placeOfEvent(problem)?.path == "/a b/Leaf.swift")
    }

    @Test func `a type that encodes itself is refused, with the place in the source`() throws {
        var (builder, documentation) = try Self.builder()
        _ = builder.contract(
            of: "test", Never.self, arguments: .decoded([Shape].self), viewEvent: Never.self,
            events: .cases(Never.self))
        let problem = try #require(builder.problems.first)
        #expect(problem.type == "ContractsTests.Shape")
        #expect(problem.reason.hasSuffix("it is written by hand; conform to SchemaProviding to say what it makes"))
        let place = try #require(documentation.place(of: problem))
        #expect(place.path == "/Shape.swift" && place.line == 10)
    }

    @Test(
        arguments: [
            Unknown(Plain.Words.self, "init?(rawValue:) is written by hand", nil),
            Unknown(Expression.self, "keys' init?(stringValue:) is written by hand", nil),
            Unknown(Wrapped.self, "it is written by hand", "/Wire.swift"),
            Unknown(Level.self, "its module has no symbol graph here", nil),
            Unknown(OrderID.self, nil, nil),
        ])
    func `a form that only the source tells is refused with it`(_ row: Unknown) throws {
        var (builder, documentation) = try Self.builder()
        _ = builder.contract(
            of: "test", Never.self, arguments: .decoded(row.type), viewEvent: Never.self, events: .cases(Never.self))
        #expect(builder.problems.count == (row.reason == nil ? 0 : 1))
        guard let reason = row.reason, let problem = builder.problems.first else { return }
        #expect(problem.reason.contains(reason), "\(problem.reason)")
        if let path = row.path { #expect(documentation.place(of: problem)?.path == path) }
    }

    @Test func `a file that is no symbol graph is an error`() {
        var documentation = Documentation()
        #expect(throws: JSONCodingError.self) {
            try Array(#"{"module":{}}"#.utf8).withUnsafeBytes { bytes in
                try documentation.add(symbolGraph: JSONValue(validating: bytes))
            }
        }
    }
}
