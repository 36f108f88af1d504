import Contracts
import Testing

struct AllowedValuesTests {
    private func contract(_ values: String, definitions: String = "{}") throws -> JSONTree {
        try JSONTree(
            parsing: #"""
                {"viewEvent":{"oneOf":[{"type":"object","required":["kind"],"properties":{
                    "kind":{"const":"go"},"value":\#(values)}}]},"$defs":\#(definitions)}
                """#)
    }

    @Test func `a long list is cut, and so is one of long values`() throws {
        let many = try contract(#"{"enum":[\#((1...30).map { "\($0)" }.joined(separator: ","))]}"#)
        let words = try #require(many.valuesInWords(ofViewEvent: "go", at: ["value"]))
        #expect(words.hasPrefix("1, 2, 3, ") && words.hasSuffix("20, and 10 others"))
        let long = String(repeating: "x", count: 300)
        let two = try contract(#"{"enum":["\#(long)","\#(long)"]}"#)
        #expect(two.valuesInWords(ofViewEvent: "go", at: ["value"]) == "\"\(long)\", and 1 others")
    }

    @Test(arguments: [["value", "next"], ["other"], ["value", "next", "next"]])
    func `nothing is listed where the contract has no enum, or refers to itself`(_ steps: [String]) throws {
        let loop = ##"{"A":{"$ref":"#/$defs/A"},"B":{"properties":{"next":{"$ref":"#/$defs/A"}}}}"##
        let contract = try contract(##"{"$ref":"#/$defs/B"}"##, definitions: loop)
        #expect(contract.valuesInWords(ofViewEvent: "go", at: steps[...]) == nil)
        #expect(contract.valuesInWords(ofViewEvent: "stop", at: steps[...]) == nil)
    }
}
