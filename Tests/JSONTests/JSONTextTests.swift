import JSON
import Testing
import TestSupport

@Suite(.inTurn) struct JSONTextTests {
    static let texts = [
        ("{}", "{}"),
        ("  [ ]\r\n", "[]"),
        (
            #" { "a" : [ 1 , -2.50e+3 , true , null ] , "a" : "b c\td" } "#,
            #"{"a":[1,-2.50e+3,true,null],"a":"b c\td"}"#
        ),
        ("\"  a \\\" b \\\\\"", "\"  a \\\" b \\\\\""),
        (" 12 ", "12"),
        ("\ttrue\n", "true"),
        ("{\n  \"é\": \"\\u00e9 € 😀\"\n}", "{\"é\":\"\\u00e9 € 😀\"}"),
        ("[[[ ],{ } ], [\n]]", "[[[],{}],[]]"),
        ("\"\"", "\"\""),
    ]

    @Test(arguments: texts)
    func `white space between parts is left out, and all else stays as it was written`(
        text: String, expected: String
    ) throws {
        let json = try withBytes(text.utf8) { try JSONText(validating: $0) }
        #expect(json.description == expected)
        // What is compact stays.
        #expect(json.withValue { JSONText($0) } == json)
    }

    @Test(arguments: ["", "{", "nul", "{}{}", "\"\u{1}\"", "\"\n\""])
    func `a text that is no value is an error`(_ text: String) {
        #expect(throws: JSONError.self) { try withBytes(text.utf8) { try JSONText(validating: $0) } }
    }

    @Test func `a value that nests too deep is an error`() throws {
        let text = String(repeating: "[", count: 4) + String(repeating: "]", count: 4)
        #expect(try withBytes(text.utf8) { try JSONText(validating: $0, maximumDepth: 4) }.description == text)
        #expect(throws: JSONError.self) { try withBytes(text.utf8) { try JSONText(validating: $0, maximumDepth: 3) } }
    }

    @Test func `a value is lent to whoever asks, and errors come through`() throws {
        let json = JSONText { writer in
            writer.beginObject()
            writer.key("a")
            writer.integer(1)
            writer.endObject()
        }
        #expect(json.withValue { $0.member("a")?.integer(as: Int.self) } == 1)
        struct Refused: Error {}
        #expect(throws: Refused.self) { try json.withValue { _ throws(Refused) in throw Refused() } }
    }

    @Test(arguments: texts)
    func `a compact value takes its place among others`(text: String, expected: String) throws {
        let found = try read(text) { value in
            written { writer in
                writer.beginArray()
                writer.integer(1)
                writer.compact(value)
                writer.integer(2)
                writer.endArray()
            }
        }
        #expect(found == "[1,\(expected),2]")
    }

    @Test(arguments: 0..<20)
    func `white space anywhere changes nothing`(seed: Int) throws {
        var generator = SeededGenerator(seed: seed)
        for (_, compact) in Self.texts {
            var spaced = ""
            var isString = false
            var isEscape = false
            for character in compact {
                let isPlace = !isString && "{}[]:,\"".contains(character)
                if isPlace { spaced += [" ", "\n", "\t", "\r\n", ""].randomElement(using: &generator) ?? "" }
                spaced.append(character)
                if character == "\"", !isEscape { isString.toggle() }
                isEscape = character == "\\" && !isEscape
                if isPlace, !isString { spaced += ["  ", "\n", ""].randomElement(using: &generator) ?? "" }
            }
            #expect(try withBytes(spaced.utf8) { try JSONText(validating: $0) }.description == compact, "\(spaced)")
        }
    }
}
