import JSON
import Testing
import Transcripts

struct MessageComparisonTests {
    /// Values of `params.v` of a notification.
    @Test(arguments: [
        (#"{"a":1,"b":2}"#, #"{ "b" : 2, "a" : 1 }"#),
        (#"{"a":1,"a":2}"#, #"{"a":2}"#),
        (#"{"a":2}"#, #"{"a":1,"a":2}"#),
        ("1", "1.0"), ("1", "1e0"), ("10", "1E+1"), ("1.50", "15e-1"), ("0", "-0.0"), ("-2", "-2.0"),
        ("9007199254740993", "9007199254740993.0"),
        ("123456789012345678901234567890", "12345678901234567890123456789e1"),
        ("1e400", "10e399"), ("1e-400", "0.1e-399"),
        (#""\u00e9""#, #""é""#), (#""a\/b""#, #""a/b""#), (#"{"\u0061":1}"#, #"{"a":1}"#),
        ("[]", "[ ]"), ("null", "null"), ("true", "true"),
        (#"{"$match":"any"}"#, "null"), (#"{"$match":"any","value":1}"#, "[]"),
        (#"{"$match":"string"}"#, #""x""#), (#"{"$match":"integer"}"#, "7.0"),
        (#"{"$match":"integer"}"#, "123456789012345678901234567890"), (#"{"$match":"number"}"#, "0.5"),
        (#"{"$match":"boolean"}"#, "false"), (#"{"$match":"object"}"#, "{}"), (#"{"$match":"array"}"#, "[1]"),
        (#"{"$match":"/a+/"}"#, #""aaa""#), (#"{"$match":"/\\d{2}\/\\d/"}"#, #""12/3""#),
        (#"{"\u0024match":"any"}"#, "1"), (#"[1,{"a":{"$match":"string","value":"s"}}]"#, #"[1,{"a":"t"}]"#),
    ]) func `these mean the same`(_ expected: String, _ actual: String) throws {
        #expect(try difference(expected, actual) == nil)
    }

    @Test(arguments: [
        ("1", "2", "/params/v: expected 1 but 2 came"),
        ("1", #""1""#, "/params/v: expected 1 but \"1\" came"),
        ("9007199254740993", "9007199254740992", "/params/v: expected 9007199254740993 but 9007199254740992 came"),
        (
            "9007199254740993", "9.007199254740992e15",
            "/params/v: expected 9007199254740993 but 9.007199254740992e15 came"
        ),
        (
            "1e99999999999999999999", "1e99999999999999999998",
            "/params/v: expected 1e99999999999999999999 but 1e99999999999999999998 came"
        ),
        ("0.1", "0.10000000000000001", "/params/v: expected 0.1 but 0.10000000000000001 came"),
        ("1", "-1", "/params/v: expected 1 but -1 came"),
        (#""é""#, #""e\u0301""#, #"/params/v: expected "é" but "e\u0301" came"#),
        ("{}", "[]", "/params/v: expected an object but an array came"),
        ("null", "false", "/params/v: expected null but false came"),
        ("[1,2,3]", "[1,2]", "/params/v: 3 elements were expected and 2 came"),
        ("[1]", "[1,2]", "/params/v: 1 element was expected and 2 came"),
        ("[1,2]", "[2]", "/params/v/0: expected 1 but 2 came"),
        (#"{"a":1}"#, "{}", "/params/v/a: the member is missing"),
        ("{}", #"{"a/b~":1}"#, "/params/v/a~1b~0: a member that isn't expected"),
        (#"{"a":{"b":[{"c":1}]},"d":2}"#, #"{"d":3,"a":{"b":[{"c":2}]}}"#, "/params/v/a/b/0/c: expected 1 but 2 came"),
        (#"{"a":1,"a":2}"#, #"{"a":1}"#, "/params/v/a: expected 2 but 1 came"),
        (#"{"$match":"string"}"#, "5", "/params/v: expected a string but 5 came"),
        (#"{"$match":"integer"}"#, "1.5", "/params/v: expected an integer but 1.5 came"),
        (#"{"$match":"/a/"}"#, #""ab""#, #"/params/v: expected a string that matches /a/ but "ab" came"#),
        (#"{"$match":"/a/"}"#, "1", "/params/v: expected a string that matches /a/ but 1 came"),
        (
            #"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9}"#,
            #"{"i":9,"h":8,"g":7,"f":6,"e":0,"d":4,"c":3,"b":2,"a":1}"#,
            "/params/v/e: expected 5 but 0 came"
        ),
    ]) func `these differ, and this is the first difference`(
        _ expected: String, _ actual: String, _ difference: String
    ) throws {
        #expect(try self.difference(expected, actual) == "line 3 \(difference)")
    }

    @Test(arguments: [
        (
            #"{"$match":"text"}"#,
            #""$match" must be one of "any", "string", "integer", "number", "boolean", "object", "array" or "/a regular expression/""#
        ),
        (#"{"$match":5}"#, #""$match" must be a string, not a number"#),
        (#"{"$match":"any","values":1}"#, #"a matcher has no member "values", only "$match" and "value""#),
        (#"{"$match":"string","value":1}"#, #"the "value" of a matcher isn't what it stands for: a string"#),
    ]) func `an invalid matcher is an error with its line`(_ matcher: String, _ reason: String) throws {
        let play = try Play("> {}\n< {\"method\":\"n\",\"params\":{\"v\":[\(matcher)]}}")
        #expect(throws: TranscriptError(path: "a.jsonl", line: 3, reason: reason)) { try play.advance() }
    }

    /// Members of a notification's params, and others that only one of two messages has.
    @Test(arguments: [
        (#""session":1,"seq":1,"event":{"kind":"a"}"#, #""more":true"#, true),
        (#""session":1,"seq":1,"event":{"kind":"a"}"#, #""most":true"#, false),
        (#""token":1"#, #""more":true"#, false),
        (#""session":1,"seq":1"#, #""event":{"more":true}"#, false),
    ]) func `whether a session's next event follows at once isn't compared`(
        _ members: String, _ more: String, _ isSame: Bool
    ) throws {
        let messages = [members, "\(members),\(more)"].map { #"{"method":"n","params":{\#($0)}}"# }
        for (expected, actual) in [(messages[0], messages[1]), (messages[1], messages[0])] {
            let play = try Play("> {}\n< \(expected)")
            _ = try play.advance()
            #expect((try play.receive(actual).last == "finish") == isSame)
        }
    }

    /// Members of what a server can do, and others that only one of two answers has.
    @Test(arguments: [
        (#""resume":true"#, #""resume":true,"children":[{"name":"a","type":"M.A"}]"#, true),
        (#""resume":true"#, #""resume":true,"childs":[]"#, false),
        (#""resume":true"#, #""resume":true,"viewModels":[]"#, false),
        (#""viewModels":[{"name":"a"}]"#, #""viewModels":[{"name":"a","type":"M.A"}]"#, true),
        (#""viewModels":[{"name":"a"}]"#, #""viewModels":[{"name":"a","kind":"M.A"}]"#, false),
        (#""children":[{"name":"a","type":"M.A"}]"#, #""children":[{"name":"a","type":"M.B"}]"#, false),
    ]) func `an answer of before a server told types and children is still right`(
        _ older: String, _ newer: String, _ isSame: Bool
    ) throws {
        let answers = [older, newer].map { #"{"id":1,"result":{"capabilities":{\#($0)}}}"# }
        for (expected, actual) in [(answers[0], answers[1]), (answers[1], answers[0])] {
            let play = try Play("> {\"id\":1,\"method\":\"initialize\"}\n< \(expected)")
            _ = try play.advance()
            #expect((try play.receive(actual).last == "finish") == isSame)
        }
    }

    @Test func `an invalid regular expression is an error with its line`() throws {
        let play = try Play(#"< {"method":"n","params":{"$match":"/(/"}}"#)
        let error = try #require(throws: TranscriptError.self) { try play.advance() }
        #expect(error.line == 2)
        #expect(error.reason.hasPrefix("/(/ isn't a regular expression that Swift knows: "))
    }

    @Test func `a matcher in a line that is played needs a sample`() throws {
        let play = try Play(#"> {"method":"n","params":{"a":{"$match":"any"}}}"#)
        let error = try #require(throws: TranscriptError.self) { try play.advance() }
        #expect(error.description == #"a.jsonl:2: a matcher in a message that is sent needs a "value", which is sent"#)
    }

    @Test func `nesting as deep as a message may be is compared`() throws {
        let depth = JSONReader.defaultMaximumDepth - 2
        let deep = String(repeating: "[", count: depth) + "$" + String(repeating: "]", count: depth)
        let pointer = "/params/v" + String(repeating: "/0", count: depth)
        let expected = deep.replacing("$", with: "1")
        #expect(try difference(expected, expected) == nil)
        #expect(
            try difference(expected, deep.replacing("$", with: "2")) == "line 3 \(pointer): expected 1 but 2 came")
    }

    private func difference(_ expected: String, _ actual: String) throws -> String? {
        func message(_ value: String) -> String { #"{"method":"n","params":{"v":\#(value)}}"# }
        let play = try Play("> {}\n< \(message(expected))")
        _ = try play.advance()
        let said = try play.receive(message(actual)).last
        return said == "finish" ? nil : said
    }
}
