import SchemaValidation
import Testing

@Suite struct ExactJSONTests {
    @Test(arguments: [
        (#"{"a":1,"b":[true,null]}"#, #" { "b" : [ true , null ] , "a" : 1.0 } "#, true),
        (#"{"a":1,"a":2}"#, #"{"a":2}"#, true),
        ("[1,2]", "[2,1]", false),
        ("{}", "[]", false),
        ("0", "false", false),
        (#""1""#, "1", false),
        ("9007199254740993", "9007199254740992", false),
        ("1e2", "100", true),
        (#""\u0041""#, #""A""#, true),
        (#"{"\u00e9":1}"#, #"{"e\u0301":1}"#, false),
    ])
    func `equal is what means the same`(_ left: String, _ right: String, _ isEqual: Bool) throws {
        #expect(try (ExactJSON(text: left) == ExactJSON(text: right)) == isEqual)
    }

    @Test(arguments: [
        "null", "true", "[]", "{}", "0", "-1", "1.5", "-0.25", "1e300", "12345678901234567890", "1e-7", "100",
        #""""#, #""é \" \\ \u0000 \u001f / 𝄞""#, #"{"a":{"b":[1,"x",{"c":null}]},"\"":[]}"#,
    ])
    func `its text means the same`(_ text: String) throws {
        let value = try ExactJSON(text: text)
        #expect(try ExactJSON(text: value.text) == value, "\(value.text)")
    }

    @Test func `text that is no JSON is an error`() {
        #expect(throws: (any Error).self) { try ExactJSON(text: "{") }
        #expect(throws: (any Error).self) { try ExactJSON(text: "") }
    }

    @Test func `near misses differ in one place`() throws {
        let value = try ExactJSON(text: #"{"a":[1,2],"b":true}"#)
        let misses = value.nearMisses
        #expect(!misses.contains(value) && Set(misses).count == misses.count)
        for text in [
            #"{"a":[1,2]}"#, #"{"b":true}"#, #"{"a":[1,2],"b":true,"surplus":true}"#, #"{"a":[null,2],"b":true}"#,
            #"{"a":{},"b":true}"#, #"{"a":[1,2],"b":"other"}"#, "null", "[]",
        ] {
            #expect(try misses.contains(ExactJSON(text: text)), "\(text)")
        }
    }

    @Test func `values of the same shape differ only in what they say`() throws {
        let shapes = try [#"{"a":1,"b":["x"]}"#, #"{"b":["y"],"a":2}"#, #"{"a":"1","b":["x"]}"#, #"{"a":1}"#].map {
            try ExactJSON(text: $0).shape
        }
        #expect(shapes[0] == shapes[1])
        #expect(Set(shapes).count == 3)
    }
}
