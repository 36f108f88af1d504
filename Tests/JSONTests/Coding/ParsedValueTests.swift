import JSON
import TestSupport
import Testing

/// The parts of a text that was parsed once. That events are decoded from them as from a text of their own, `decodedEvent`
/// checks in all tests of events.
@Suite(.inTurn) struct ParsedValueTests {
    private struct Member: Equatable {
        let name: String
        let text: String
        let kind: JSONValue.Kind
    }

    @Test func `an object's members come in order, duplicates included, with their whole values`() throws {
        let text = #"{"a" : {"b":[1,{"c":2}],"d":{}} , "a":[[],[0]],"\u0061":"\"}" ,"b":-1.50e2,"c":true,"":null}"#
        let members = try read(" \(text) ") { value in
            value.parse { value in
                #expect("\(JSONText(value.value))" == text.replacing(" ", with: "") && value.kind == .object)
                var members: [Member] = []
                value.forEachMember { name, value in
                    members.append(Member(name: name.string(), text: "\(JSONText(value.value))", kind: value.kind))
                }
                return members
            }
        }
        let expected = [
            Member(name: "a", text: #"{"b":[1,{"c":2}],"d":{}}"#, kind: .object),
            Member(name: "a", text: "[[],[0]]", kind: .array), Member(name: "a", text: #""\"}""#, kind: .string),
            Member(name: "b", text: "-1.50e2", kind: .number), Member(name: "c", text: "true", kind: .boolean),
            Member(name: "", text: "null", kind: .null),
        ]
        #expect(members == expected)
    }

    @Test(arguments: ["{}", "[]", "[1,2,3,4,5]", #""abc""#, "7", "null"])
    func `what has no members has none`(text: String) throws {
        let value = try read(text) { value in
            value.parse { value in
                value.forEachMember { name, _ in Issue.record("\(name)") }
                return "\(JSONText(value.value))"
            }
        }
        #expect(value == text)
    }

    @Test func `what is nested too deep to be decoded isn't lent`() throws {
        let text = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
        let isLent = try withBytes(text.utf8) { bytes in
            try JSONValue(validating: bytes, maximumDepth: 1_000).parse { _ in true }
        }
        #expect(isLent == nil)
    }
}
