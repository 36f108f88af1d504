import Contracts
import Examples
import JSON
import SchemaValidation
import Sessions
import Testing
import Serving

/// The schema and the type that it was made of must judge every value alike, and what the type makes must be valid.
struct AgreementTests {
    /// Something that is said on the wire, and its type.
    struct Part: Sendable, CustomTestStringConvertible {
        let contract: ViewModelContract
        let name: String
        let type: any Any.Type
        var testDescription: String { "\(contract.name) \(name)" }
    }

    private static let events: [any Any.Type] = [
        Plain.Event.self, Plain.Words.self, Plain.Renamed.self, Plain.One.self, Strange.RawIdentifiers.self,
    ]

    private static let values: [any Any.Type] = [
        Leaf.self, RenamedMembers.self, Scalars.self, Containers.self, Level.self, Shape.self, Page<Leaf>.self,
        OrderID.self, Tree.self, Expression.self, Wrapped.self, Same.Both.self, Empty.self, Price.self, [Bool?].self,
        Strange.`a.b<c`.self, Strange.RawIdentifiers.self, Strange.Boxes.self, HiddenHolder.self,
        Library.Unordered.self,
    ]

    static let parts: [Part] = {
        var builder = ContractBuilder()
        var parts = events.map { type in
            let contract = builder.contract(
                of: "\(type)", Never.self, arguments: .none, viewEvent: type, events: .cases(type))
            return Part(contract: contract, name: "viewEvent", type: type)
        }
        parts += values.map { type in
            let contract = builder.contract(
                of: "\(type)", Never.self, arguments: .decoded(type), viewEvent: Never.self, events: .cases(Never.self))
            return Part(contract: contract, name: "arguments", type: type)
        }
        var registry = Registry()
        Examples.register(in: &registry)
        for name in registry.allNames { parts += Self.parts(of: registry.types(of: name), &builder) }
        return parts
    }()

    private static func parts(of types: ViewModelTypes?, _ builder: inout ContractBuilder) -> [Part] {
        guard let types else { return [] }
        let contract = builder.contract(of: types)
        var parts = [Part(contract: contract, name: "viewEvent", type: types.viewEvent)]
        if case .decoded(let type) = types.arguments {
            parts.append(Part(contract: contract, name: "arguments", type: type))
        }
        // The events of lists aren't among the cases.
        if case .cases(let type) = types.events, types.lists.isEmpty {
            parts.append(Part(contract: contract, name: "viewModelEvent", type: type))
        }
        return parts
    }

    @Test(arguments: parts)
    func `schema and type judge every value alike`(_ part: Part) throws {
        let json = part.contract.json
        let document = try SchemaDocument(text: json.line)
        let schema = try #require(json[part.name])
        var count = 0
        for seed in 0..<40 {
            var random = RandomValue(document: json, seed: seed)
            guard let value = random.value(of: schema) else { continue }
            count += 1
            #expect(document.validate(text: value.line, by: "/\(part.name)").isEmpty, "\(value.line)")
            let text = try #require(taken(value, as: part), "\(value.line) is valid, and yet refused")
            let violations = document.validate(text: text, by: "/\(part.name)")
            #expect(violations.isEmpty, "\(value.line) is written as \(text): \(violations)")
            // A struct with nothing in it asks for nothing, and so takes anything.
            for other in NearMisses.of(value) where seed < 4 && part.type != Empty.self {
                let isValid = document.validate(text: other.line, by: "/\(part.name)").isEmpty
                #expect(isValid == (taken(other, as: part) != nil), "\(other.line) is \(isValid ? "" : "in")valid")
            }
        }
        #expect(count > 0 || part.type is Never.Type)
    }

    /// The value as the type decodes and encodes it; nil when it refuses it.
    private func taken(_ value: JSONTree, as part: Part) -> String? {
        guard let type = part.type as? any (Decodable & Encodable).Type else { return nil }
        return Self.taken(value.line, as: type, isEvent: part.name != "arguments")
    }

    private static func taken<T: Codable>(_ text: String, as type: T.Type, isEvent: Bool) -> String? {
        Array(text.utf8).withUnsafeBytes { bytes -> String? in
            guard let value = try? JSONValue(validating: bytes) else { return nil }
            var writer = JSONWriter()
            do {
                if isEvent {
                    try EventEncoder().encode(EventDecoder().decode(type, from: value), into: &writer)
                } else {
                    try ValueEncoder().encode(ValueDecoder().decodeStrictly(type, from: value), into: &writer)
                }
                return String(decoding: writer.takeBytes(), as: UTF8.self)
            } catch {
                return nil
            }
        }
    }
}
