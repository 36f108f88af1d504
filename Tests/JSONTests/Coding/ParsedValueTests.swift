import JSON
import TestSupport
import Testing

/// The parts of a text that was parsed once. That events are decoded from them as from a text of their own, `decodedEvent`
/// checks in all tests of events.
@Suite(.inTurn) struct ParsedValueTests {
    private struct Named: Decodable {
        let kind: String
        let text: String
    }

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

    @Test func `values that are noted while a text is checked are those of a pass of their own`() throws {
        let texts = ["[0]", #"{"c":[1,{"d":2}],"e":"\u0061"}"#, "[true,[],{}]", "{}", "[ ]", #"{"x" : {"y" : null} }"#]
        for text in texts {
            try withBytes(#"{"a":[7],"b":7,"b" : \#(text) ,"c":[8]}"#.utf8) { bytes in
                try ValueNotes.lend { notes in
                    let value = try #require(try lastMember(of: bytes, "b", notes))
                    let noted = try #require(notes.parsed(value))
                    #expect(self.texts(of: noted) == value.parse { self.texts(of: $0) })
                    #expect("\(JSONText(noted.value))" == "\(JSONText(value))" && value.text.elementsEqual(text.utf8))
                }
            }
        }
    }

    /// The value of an object's last member of a name, whose values are noted.
    private func lastMember(
        of text: UnsafeRawBufferPointer, _ name: StaticString, _ notes: ValueNotes, maximumDepth: Int = 512
    ) throws -> JSONValue? {
        var reader = JSONReader(text, maximumDepth: maximumDepth)
        var found: JSONValue?
        while let (key, value) = try reader.nextMember(noting: name, in: notes) { found = key == name ? value : found }
        try reader.end()
        return found
    }

    private func texts(of value: ParsedValue) -> [String] {
        var texts = ["\(value.kind) \(JSONText(value.value))"]
        value.forEachMember { texts += ["\($0.string())"] + self.texts(of: $1) }
        return texts
    }

    @Test(arguments: [#"{"a":[0],"a":7}"#, #"{"b":[0],"a":[0]}"#, #"{"a":"[0]"}"#])
    func `a value that wasn't noted last has no notes`(text: String) throws {
        try withBytes(text.utf8) { bytes in
            try ValueNotes.lend { notes in
                let value = try #require(try lastMember(of: bytes, "a", notes))
                #expect(notes.parsed(try JSONValue(validating: bytes).member("b") ?? value) == nil)
            }
        }
    }

    @Test(arguments: [510, 511, 512, 600])
    func `what is nested too deep to be decoded isn't noted`(depth: Int) throws {
        let text = #"{"a":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
        try withBytes(text.utf8) { bytes in
            try ValueNotes.lend { notes in
                let value = try #require(try lastMember(of: bytes, "a", notes, maximumDepth: depth + 1))
                #expect(value.text.count == 2 * depth && (notes.parsed(value) != nil) == (depth <= 512))
            }
        }
    }

    @Test func `what is nested too deep to be decoded isn't lent`() throws {
        let text = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
        let isLent = try withBytes(text.utf8) { bytes in
            try JSONValue(validating: bytes, maximumDepth: 1_000).parse { _ in true }
        }
        #expect(isLent == nil)
    }

    @Test(arguments: [(80, true), (3_000, true), (5_000, false), (1_000_000, false)])
    func `a long value that is released keeps a member's short string, and a short one all`(
        count: Int, isWhole: Bool
    ) throws {
        let text = #"{"kind":"add","text":"\#(String(repeating: "x", count: count))"}"#
        let parsed = try read(text) { $0.parse { KeptValue($0) } }
        let kept = try #require(parsed)
        func decodedCount() throws -> Int {
            let event = try EventDecoder().decode(Named.self, from: kept)
            return event.text.count
        }
        #expect(try decodedCount() == count)
        for _ in 1...2 {
            kept.release(keeping: "kind")
            #expect(kept.shortString("kind") == "add")
            if isWhole {
                #expect(try decodedCount() == count)
            } else {
                #expect(throws: JSONCodingError.self) { try decodedCount() }
            }
        }
    }
}
