import Contracts
import Testing

struct SharedElsewhereTests {
    @Test(arguments: ["Basket", "Shop.Basket"])
    func `an object that another view model keeps from now on is still read`(_ name: String) throws {
        let old = #"{ "shared": { "Shop.Basket": { "type": "object" } }, "viewModelEvent": {} }"#
        let documents = try [old, #"{ "viewModelEvent": {} }"#].map { try JSONTree(parsing: $0) }
        func changes(_ others: Set<String>) -> [ContractChange] {
            ContractComparison(old: documents[0], new: documents[1], sharedElsewhere: others).changes
        }
        #expect(changes([]).map(\.effect) == [.breakingSessions])
        #expect(changes([name]).map(\.effect) == [.compatible])
        #expect(changes([name]).first?.what == "was removed: other view models have it")
    }
}
