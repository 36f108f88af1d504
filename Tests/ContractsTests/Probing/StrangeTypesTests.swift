import Contracts
import Testing

struct StrangeTypesTests {
    struct Row: Sendable {
        let type: any Any.Type
        let names: [String]?

        init(_ type: any Any.Type, _ names: [String]?) { (self.type, self.names) = (type, names) }
    }

    private static func build(_ type: any Any.Type) -> (ViewModelContract, [ContractProblem]) {
        var builder = ContractBuilder()
        let contract = builder.contract(
            of: "test", Never.self, arguments: .decoded(type), viewEvent: Never.self, events: .cases(Never.self))
        return (contract, builder.problems)
    }

    @Test(
        arguments: [
            Row(Strange.`a.b<c`.self, ["Int", "a.bc"]),
            Row(Strange.RawIdentifiers.self, ["Int", "RawIdentifiers"]),
            Row(
                Strange.Boxes.self,
                ["BoxOfBool", "BoxOfString", "Boxes", "InnerOfBool", "InnerOfString"]
            ),
            Row(Strange.Tags.self, ["TaggedOfBooltoAndBool", "TaggedOfStringAndString", "Tags"]),
            Row(
                Strange.BoxOfLeaf.self,
                [
                    "InnerOfLeaf", "Int", "Leaf", "ContractsTests.Strange.BoxOfContractsTests.Leaf",
                    "ContractsTests.Strange.BoxOfLeaf",
                ]),
            Row(Strange.Wide20<Bool>.self, nil),
            Row(HiddenHolder.self, ["Hidden", "HiddenHolder", "Same", "Same.Hidden"]),
        ])
    func `a strange type has a contract, under names that references may have`(_ row: Row) {
        let (contract, problems) = Self.build(row.type)
        #expect(problems.isEmpty)
        let found = contract.definitions.map(\.name)
        #expect(Set(found).count == found.count)
        #expect(found.allSatisfy { $0.allSatisfy { $0.isLetter || $0.isNumber || "._".contains($0) } })
        if let names = row.names { #expect(found.sorted() == names.sorted()) }
    }

    @Test func `the names of raw identifiers are those of the source`() {
        let text = Self.build([Strange.`a.b<c`].self).0.json.line + Self.build(Strange.RawIdentifiers.self).0.json.line
        for name in ["x y", "hello world", "my label"] { #expect(text.contains("\"\(name)\"")) }
    }

    @Test func `a type that holds ever larger ones of itself is refused`() {
        let (_, problems) = Self.build(Strange.Growing<Int>.self)
        #expect(problems.map(\.reason) == ["it holds itself with ever larger generic arguments"])
    }

    @Test func `a type without any value is refused for that`() {
        let (_, problems) = Self.build(Strange.Endless.self)
        #expect(problems.map(\.reason) == ["a value of it would have no end"])
    }

    @Test func `two types that can't be told apart by name are refused`() {
        var builder = ContractBuilder()
        _ = builder.contract(
            of: "test", Never.self, arguments: .none, viewEvent: Never.self,
            events: .values([("first", PrivateTypes.first()), ("second", PrivateTypes.second())]))
        let type = "ContractsTests.Strange.Box<ContractsTests.PrivateTypes.Local>"
        #expect(builder.problems.map(\.type) == [type])
        #expect(builder.problems.first?.reason == "another type that is private, or in a function, is called so too")
    }
}
