import Contracts
import JSON
import Testing
import ViewModels

/// Types that read older forms by hand, and are written by the compiler.
struct WrittenFormTests {
    /// The symbols of these types, of which these halves are written by hand.
    private static func documentation(_ halves: String...) throws -> Documentation {
        var documentation = Documentation()
        let types = ["Item", "Colour", "Both", "Shape", "Holder"].map {
            #"{ "kind": { "identifier": "swift.struct" }, "pathComponents": ["WrittenFormTests", "\#($0)"] }"#
        }
        let written = halves.map { half in
            let path = half.split(separator: ".").map { "\"\($0)\"" }.joined(separator: ", ")
            return """
                { "kind": { "identifier": "swift.init" }, "pathComponents": ["WrittenFormTests", \(path)],
                  "location": { "uri": "file:///Item.swift", "position": { "line": 1, "character": 4 } } }
                """
        }
        let graph = """
            { "module": { "name": "ContractsTests" }, "symbols": [\((types + written).joined(separator: ","))] }
            """
        try Array(graph.utf8).withUnsafeBytes { bytes in
            try documentation.add(symbolGraph: JSONValue(validating: bytes))
        }
        return documentation
    }

    private static func contract(_ type: any Any.Type, _ builder: inout ContractBuilder) -> JSONTree {
        builder.contract(
            of: "test", Never.self, arguments: .none, viewEvent: Never.self, events: .cases(Never.self),
            state: .init(version: 1, form: .whole(type))
        ).fileJSON
    }

    private static let item = ##"""
        { "type": "object", "required": ["id"], "properties": { "id": { "$ref": "#/$defs/Int" }, \##
        "title": { "type": ["string", "null"] }, "tags": { "type": ["array", "null"], "items": { "type": "string" } }, \##
        "name": { "type": ["string", "null"] } } }
        """##

    @Test func `what is written is described, and what init(from:) can do without is optional`() throws {
        var builder = ContractBuilder(try Self.documentation("Item.init(from:)"))
        let file = Self.contract(Item.self, &builder)
        #expect(builder.problems.isEmpty, "\(builder.problems)")
        #expect(file["$defs"]?["Item"]?.line == Self.item)
    }

    @Test func `a type that holds one is described, too`() throws {
        var builder = ContractBuilder(try Self.documentation("Item.init(from:)"))
        let file = Self.contract(Holder.self, &builder)
        #expect(builder.problems.isEmpty, "\(builder.problems)")
        #expect(file["$defs"]?["Item"]?.line == Self.item)
        #expect(file["$defs"]?["Holder"]?["required"]?.line == #"["item"]"#)
    }

    @Test func `an enum of raw values that reads older ones by hand has its values`() throws {
        var builder = ContractBuilder(try Self.documentation("Colour.init(from:)"))
        let file = Self.contract(Colour.self, &builder)
        #expect(builder.problems.isEmpty, "\(builder.problems)")
        #expect(file["$defs"]?["Colour"]?.line.contains(#"["red", "grey"]"#) == true, "\(file.line)")
    }

    @Test(
        arguments: [
            ("Both", "by hand; conform to SchemaProviding"), ("Shape", "conform to SchemaProviding to say what it"),
        ])
    func `what is written by hand, or has no one form, is to say it beside`(_ name: String, _ words: String) throws {
        var builder = ContractBuilder(
            try Self.documentation("Both.init(from:)", "Both.encode(to:)", "Shape.init(from:)"))
        _ = Self.contract(name == "Both" ? Both.self : Shape.self, &builder)
        #expect(builder.problems.count == 1)
        #expect(builder.problems.first?.reason.contains(words) == true, "\(builder.problems)")
    }

    @Test func `an older form is read without a break`() throws {
        var builder = ContractBuilder(try Self.documentation("Item.init(from:)"))
        let new = Self.contract(Item.self, &builder)
        let old = try JSONTree(
            parsing: ##"""
                { "arguments": {}, "viewEvent": {}, "viewModelEvent": {},
                  "state": { "x-savedStateVersion": 1, "x-savedAs": "whole", "$ref": "#/$defs/Item" },
                  "$defs": { "Item": { "type": "object", "required": ["id", "name"], "properties": {
                    "id": { "$ref": "#/$defs/Int" }, "name": { "type": "string" } } },
                    "Int": { "type": "integer", "minimum": -9223372036854775808, "maximum": 9223372036854775807 } } }
                """##)
        let changes = ContractComparison(old: old, new: new).changes.filter { $0.place.hasPrefix("state") }
        #expect(changes.allSatisfy { $0.effect == .compatible }, "\(changes)")
        #expect(!changes.isEmpty)
    }

    /// The name was called so before, and there were no tags.
    struct Item: Codable {
        var id: Int
        var title: String
        var tags: [String]

        private enum OlderKeys: CodingKey { case name }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            id = try values.decode(Int.self, forKey: .id)
            let older = try decoder.container(keyedBy: OlderKeys.self)
            title =
                try values.decodeIfPresent(String.self, forKey: .title) ?? older.decode(String.self, forKey: .name)
            tags = values.contains(.tags) ? try values.decode([String].self, forKey: .tags) : []
        }
    }

    struct Holder: Codable {
        var item: Item
        var next: Item?
    }

    enum Colour: String, Codable {
        case red, grey

        init(from decoder: any Decoder) throws {
            let text = try decoder.singleValueContainer().decode(String.self)
            self = Colour(rawValue: text) ?? .grey
        }
    }

    struct Both: Codable {
        var id: Int

        init(from decoder: any Decoder) throws { id = try Int(from: decoder) }
        func encode(to encoder: any Encoder) throws { try id.encode(to: encoder) }
    }

    enum Shape: Codable {
        case point
        case circle(radius: Double)

        init(from decoder: any Decoder) throws { self = .point }
    }
}
