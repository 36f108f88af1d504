import SchemaValidation
import Testing

@Suite struct JSONSchemaTestSuiteTests {
    @Test(arguments: JSONSchemaTestSuite.groups.filter { JSONSchemaTestSuite.leftOut[$0.name] == nil })
    func `judges as the suite says`(_ group: JSONSchemaTestSuite.Group) {
        #expect(!group.cases.isEmpty)
        #expect(group.failures.isEmpty)
    }

    @Test(arguments: JSONSchemaTestSuite.leftOut.keys.sorted())
    func `what is left out doesn't pass, and is there`(_ name: String) throws {
        let groups = JSONSchemaTestSuite.groups.filter { $0.name == name }
        #expect(groups.count == 1, "the suite has no such case; take it off the list")
        for group in groups { #expect(!group.failures.isEmpty, "this passes; take it off the list") }
    }

    @Test func `the suite is there`() {
        #expect(JSONSchemaTestSuite.groups.count > 300)
        #expect(JSONSchemaTestSuite.groups.map(\.cases.count).reduce(0, +) > 1_000)
    }
}
