import Contracts
import Testing

struct StateContractTests {
    private struct NotCodable {}

    private static func contract(
        _ state: ContractBuilder.State, _ builder: inout ContractBuilder
    ) -> ViewModelContract {
        builder.contract(
            of: "test", Never.self, arguments: .decoded(Leaf.self), viewEvent: Never.self, events: .cases(Never.self),
            state: state)
    }

    @Test(
        arguments: [
            (
                .init(version: 1, form: .properties([("isOn", Bool.self), ("name", String?.self)])),
                ##"{ "x-savedStateVersion": 1, "x-savedAs": "properties", "type": "object", "properties": { "isOn": { "type": "boolean" }, "name": { "type": ["string", "null"] } } }"##
            ),
            (
                .init(version: 3, form: .properties([])),
                ##"{ "x-savedStateVersion": 3, "x-savedAs": "properties", "type": "object" }"##
            ),
            (
                .init(version: 2, form: .whole(Leaf.self)),
                ##"{ "x-savedStateVersion": 2, "x-savedAs": "whole", "$ref": "#/$defs/Leaf" }"##
            ),
            (
                .init(version: 1, form: .whole([Bool].self)),
                ##"{ "x-savedStateVersion": 1, "x-savedAs": "whole", "type": "array", "items": { "type": "boolean" } }"##
            ),
        ] as [(ContractBuilder.State, String)])
    func `a state is described as it is stored`(_ state: ContractBuilder.State, _ schema: String) {
        var builder = ContractBuilder()
        #expect(Self.contract(state, &builder).fileJSON["state"]?.line == schema)
        #expect(builder.problems.isEmpty)
    }

    @Test func `nothing that clients are told depends on the state`() {
        var builder = ContractBuilder()
        let without = builder.contract(
            of: "test", Never.self, arguments: .decoded(Leaf.self), viewEvent: Never.self, events: .cases(Never.self))
        // Another type of the same name, and a type that nothing else has.
        let with = Self.contract(
            .init(version: 1, form: .properties([("leaf", Same.Leaf.self)]), arguments: Level.self), &builder)
        #expect(with.json == without.json)
        #expect(with.definitions == without.definitions, "types for clients are made of them")
        #expect(with.fileJSON.withoutState == without.json)
        let file = with.fileJSON
        #expect(file["state"]?["properties"]?["leaf"]?.line == ##"{ "$ref": "#/$defs/Same.Leaf" }"##)
        #expect(file["savedArguments"]?.line == ##"{ "$ref": "#/$defs/Level" }"##)
        guard case .object(let definitions)? = file["$defs"] else { return #expect(Bool(false), "no definitions") }
        #expect(definitions.map(\.name) == ["Int", "Leaf", "Level", "Same.Leaf"])
    }

    @Test func `what view models share is described as it is stored, and clients aren't told of it`() {
        var builder = ContractBuilder()
        let contract = builder.contract(
            of: "test", Never.self, arguments: .none, viewEvent: Never.self, events: .cases(Never.self),
            shared: [.init(Leaf.self, name: "Shop.Basket", [("ids", Set<Bool>.self), ("leaf", Leaf.self)])])
        let file = contract.fileJSON
        #expect(
            file["shared"]?.line == ##"""
                { "Shop.Basket": { "type": "object", "properties": { "ids": \##
                { "type": "array", "items": { "type": "boolean" } }, "leaf": { "$ref": "#/$defs/Leaf" } } } }
                """##)
        #expect(file["$defs"]?["Leaf"] != nil && file["state"] == nil)
        #expect(contract.json["shared"] == nil && contract.json["$defs"] == nil && contract.definitions.isEmpty)
        #expect(file.withoutState == contract.json)
        #expect(builder.problems.isEmpty)
        _ = builder.contract(
            of: "test", Never.self, arguments: .none, viewEvent: Never.self, events: .cases(Never.self),
            shared: [
                .init(Leaf.self, name: "Shop.Basket", [("handle", NotCodable.self), ("array", Refused.Array.self)])
            ])
        #expect(builder.problems.map { "\($0.part) \($0.isError)" } == ["shared true", "shared false"])
    }

    @Test func `a state whose form isn't known is a warning, and one that can't be saved an error`() {
        var builder = ContractBuilder()
        let contract = Self.contract(
            .init(
                version: 1,
                form: .properties([
                    ("array", Refused.Array.self), ("handle", NotCodable.self), ("twice", Int.self),
                    ("twice", Bool.self),
                ])), &builder)
        let array = "its Codable conformance isn't the compiler's: it reads an array"
        #expect(
            builder.problems.map { "\($0.part) \($0.isError) \($0.type) \($0.member ?? ""): \($0.reason)" } == [
                "state true Swift.Never handle: it can't be saved, since ContractsTests.StateContractTests.NotCodable isn't "
                    + "Codable",
                "state true Swift.Never twice: it can't be saved, since a superclass has a saved property of this name",
                "state false ContractsTests.Refused.Array : \(array)",
            ])
        #expect(contract.fileJSON.line.contains("Not known: ContractsTests.Refused.Array"))
        #expect(!contract.json.line.contains("Not known"))
    }
}
