import JSON
import TestSupport
import Testing

@Suite(.inTurn) struct JSONReaderTests {
    @Test(arguments: JSONTestSuite.cases(JSONTestSuite.accepted))
    func `a text that RFC 8259 allows is accepted`(_ example: JSONTestSuite.Case) {
        #expect(validationError(example.bytes) == nil)
    }

    @Test(arguments: JSONTestSuite.cases(JSONTestSuite.refused))
    func `a text that RFC 8259 forbids is refused within its bounds`(_ example: JSONTestSuite.Case) throws {
        let error = try #require(validationError(example.bytes))
        #expect((0...example.bytes.count).contains(error.offset))
    }

    @Test(arguments: JSONTestSuite.cases(JSONTestSuite.undefined))
    func `of what RFC 8259 leaves open numbers are accepted and broken characters refused`(
        _ example: JSONTestSuite.Case
    ) {
        #expect((validationError(example.bytes) == nil) == example.name.hasPrefix("number_"))
    }

    @Test(arguments: [
        (#"{"a":1x"#, "expected ',' or '}' but found 'x' at byte 6"),
        (#"{"a" 1}"#, "expected ':' but found '1' at byte 5"),
        (#"{,}"#, "expected a member name in quotes or '}' but found ',' at byte 1"),
        (#"{"a":1,}"#, "expected a member name in quotes but found '}' at byte 7"),
        ("[1 2]", "expected ',' or ']' but found '2' at byte 3"),
        ("[1,]", "expected a value but found ']' at byte 3"),
        ("[,", "expected a value or ']' but found ',' at byte 1"),
        ("", "expected a value but the text ends at byte 0"),
        ("  ", "expected a value but the text ends at byte 2"),
        ("1 1", "expected the end of the text but found '1' at byte 2"),
        ("trux", "expected 'true' but found 'x' at byte 3"),
        ("nul", "expected 'null' but the text ends at byte 3"),
        ("-", "expected a digit but the text ends at byte 1"),
        ("1.e1", "expected a digit but found 'e' at byte 2"),
        ("\"a", "expected a closing '\"' but the text ends at byte 2"),
        ("\"\\x\"", "'\\' starts no escape that JSON knows at byte 1"),
        ("\"\\u12G4\"", "expected a hexadecimal digit but found 'G' at byte 5"),
        ("\"\\ud800\"", "a \\u escape that is half of a surrogate pair at byte 1"),
        ("\"\\ud800\\u0041\"", "a \\u escape that is half of a surrogate pair at byte 1"),
        ("\"\\udc00\\ud800\"", "a \\u escape that is half of a surrogate pair at byte 1"),
        ("\"a\nb\"", "the control character 0x0A must be escaped at byte 2"),
        ("\u{FEFF}1", "expected a value but found 0xEF at byte 0"),
    ])
    func `an error says what was expected, what was found and where`(_ text: String, _ description: String) {
        #expect(validationError(text.utf8)?.description == description)
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xE2, 0x82],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98], [0xFF],
        ] as [[UInt8]])
    func `bytes that are not UTF-8 are refused at their place`(_ sequence: [UInt8]) {
        for padding in 0..<18 {
            let text = [UInt8](repeating: UInt8(ascii: " "), count: padding) + [0x22] + sequence + [0x22]
            #expect(validationError(text) == JSONError(.invalidUTF8, at: padding + 1))
        }
    }

    @Test(arguments: ["\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}"])
    func `characters at the edges of each length are accepted`(_ character: String) throws {
        #expect(try read("\"\(character)\"") { $0.string() } == character)
    }

    @Test(arguments: [("[", "]"), ("{\"a\":", "}")])
    func `512 containers within each other are accepted and 513 refused`(_ open: String, _ close: String) {
        func nested(_ depth: Int) -> String {
            String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
        }
        #expect(validationError(nested(512).utf8) == nil)
        let error = validationError(nested(513).utf8)
        #expect(error == JSONError(.tooDeep(maximum: 512), at: 512 * open.utf8.count))
        #expect(validationError(nested(70).utf8, maximumDepth: 70) == nil)
        #expect(validationError(nested(5000).utf8, maximumDepth: 5000) == nil)
    }

    @Test func `megabytes of opening brackets are refused at the bound`() {
        let text = [UInt8](repeating: UInt8(ascii: "["), count: 10_000_000)
        #expect(validationError(text)?.offset == 512)
        #expect(validationError(text, maximumDepth: .max)?.offset == text.count)
    }

    @Test func `members are handed out in the pass that validates`() throws {
        let text = #" { "id" : 17 , "m\u0065thod" : "x" , "params" : { "a" : [ 1 ] } } "#
        try withBytes(text.utf8) { bytes in
            var reader = JSONReader(bytes)
            var found: [String] = []
            #expect(try reader.peekKind() == .object)
            try reader.forEachMember { key, value in
                switch key {
                case "method": found.append("method!")
                default: found.append(key.string() + String(decoding: value.text, as: UTF8.self))
                }
            }
            try reader.end()
            #expect(found == ["id17", "method!", #"params{ "a" : [ 1 ] }"#])
        }
    }

    @Test(arguments: ["{}", " { } ", "{ }", "{\n}", "\t{\t} "])
    func `an object with nothing in it has nothing to hand out`(_ text: String) throws {
        try withBytes(text.utf8) { bytes in
            var reader = JSONReader(bytes)
            try reader.forEachMember { _, _ in Issue.record("a member") }
            try reader.end()
        }
    }

    @Test func `bytes behind the value are an error of the end`() throws {
        try withBytes("[1,[2],{}]x".utf8) { bytes in
            var reader = JSONReader(bytes)
            let value = try reader.value()
            #expect(String(decoding: value.text, as: UTF8.self) == "[1,[2],{}]")
            #expect(throws: JSONError(.unexpectedByte(UInt8(ascii: "x"), expected: .end), at: 10)) { try reader.end() }
        }
    }

    /// Of whole texts and of each, cut short.
    @Test(arguments: JSONTestSuite.cases(JSONTestSuite.refused) + JSONTestSuite.cases(JSONTestSuite.accepted))
    func `handing out finds the same error as validating`(_ example: JSONTestSuite.Case) {
        for count in Set([example.bytes.count, example.bytes.count / 2, max(0, example.bytes.count - 1)]) {
            let text = example.bytes.prefix(count)
            let first = text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
            guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { continue }
            let error = withBytes(text) { bytes in
                var reader = JSONReader(bytes)
                do throws(JSONError) {
                    if first == UInt8(ascii: "{") {
                        try reader.forEachMember { _, _ in }
                    } else {
                        _ = try reader.value()
                    }
                    try reader.end()
                    return JSONError?.none
                } catch {
                    return error
                }
            }
            #expect(error == validationError(text))
            if first == UInt8(ascii: "{") { #expect(errorOfNoting(text) == error) }
        }
    }

    private func errorOfNoting(_ text: some Collection<UInt8>) -> JSONError? {
        withBytes(text) { bytes in
            ValueNotes.lend { notes in
                var reader = JSONReader(bytes)
                do throws(JSONError) {
                    while let (key, _) = try reader.nextMember(noting: "a", in: notes) { _ = key }
                    try reader.end()
                    return nil
                } catch {
                    return error
                }
            }
        }
    }

    @Test func `names with escapes are handed out as such`() throws {
        let text = #"{"plain":1,"m\u0065thod":2,"é":3,"a\\":4,"":5}"#
        let names = ["plain", "method", "é", "a\\", ""]
        try withBytes(text.utf8) { bytes in
            var found: [String] = []
            var reader = JSONReader(bytes)
            try reader.forEachMember { key, _ in found.append(key.string()) }
            #expect(found == names)
            found = []
            try JSONValue(validating: bytes).forEachMember { key, _ in found.append(key.string()) }
            #expect(found == names)
        }
    }

    @Test func `no bytes at all are an error`() {
        #expect(throws: JSONError(.unexpectedEnd(expected: .value), at: 0)) {
            try JSONValue(validating: UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }
}
