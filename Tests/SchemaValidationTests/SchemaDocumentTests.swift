import SchemaValidation
import Testing

/// Schemas that can't be read, and where violations are. `ConformanceTests` compares the judgement itself with that of
/// Python's `jsonschema`.
@Suite struct SchemaDocumentTests {
    // With its type, which the compiler looks for much longer in a macro's argument.
    private static let unreadable: [(String, String)] = [
        ("1", "#"),
        ("{", "#"),
        (#"{"mimimum":1}"#, "#/mimimum"),
        (#"{"properties":{"a":{"typo":"string"}}}"#, "#/properties/a/typo"),
        (#"{"$defs":{"unused":{"typo":1}}}"#, "#/$defs/unused/typo"),
        (#"{"unevaluatedProperties":false}"#, "#/unevaluatedProperties"),
        (#"{"patternProperties":{}}"#, "#/patternProperties"),
        (#"{"dependentRequired":{}}"#, "#/dependentRequired"),
        (#"{"contains":{}}"#, "#/contains"),
        (#"{"uniqueItems":true}"#, "#/uniqueItems"),
        (#"{"multipleOf":1}"#, "#/multipleOf"),
        (#"{"exclusiveMinimum":1}"#, "#/exclusiveMinimum"),
        (#"{"then":true}"#, "#/then"),
        (#"{"else":true}"#, "#/else"),
        (#"{"$anchor":"a"}"#, "#/$anchor"),
        (#"{"$schema":"http://json-schema.org/draft-07/schema#"}"#, "#/$schema"),
        (#"{"$defs":{"a":{"$id":"b.json"}}}"#, "#/$defs/a/$id"),
        (#"{"type":"text"}"#, "#/type"),
        (#"{"type":["string","text"]}"#, "#/type"),
        (#"{"type":1}"#, "#/type"),
        (#"{"enum":1}"#, "#/enum"),
        (#"{"minimum":"1"}"#, "#/minimum"),
        (#"{"minItems":"1"}"#, "#/minItems"),
        (#"{"minItems":-1}"#, "#/minItems"),
        (#"{"maxItems":1.5}"#, "#/maxItems"),
        (#"{"minLength":"1"}"#, "#/minLength"),
        (#"{"maxLength":-1}"#, "#/maxLength"),
        (#"{"pattern":"("}"#, "#/pattern"),
        (#"{"pattern":1}"#, "#/pattern"),
        (#"{"required":"a"}"#, "#/required"),
        (#"{"required":[1]}"#, "#/required"),
        (#"{"properties":[]}"#, "#/properties"),
        (#"{"properties":{"a":1}}"#, "#/properties/a"),
        (#"{"properties":{},"additionalProperties":1}"#, "#/additionalProperties"),
        (#"{"items":[true]}"#, "#/items"),
        (#"{"allOf":{}}"#, "#/allOf"),
        (#"{"not":null}"#, "#/not"),
        (#"{"description":1}"#, "#/description"),
        (#"{"$ref":1}"#, "#/$ref"),
        (##"{"$ref":"#/$defs/a"}"##, "#/$ref"),
        (##"{"$ref":"#a"}"##, "#/$ref"),
        (##"{"$ref":"#/$defs/%61","$defs":{"a":true}}"##, "#/$ref"),
        (#"{"$ref":"other.json"}"#, "#/$ref"),
        (##"{"$ref":"#"}"##, "#"),
        (##"{"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"not":{"$ref":"#/$defs/a"}}}}"##, "#/$defs/a"),
        (#"{"properties":{"name":{"name":"x"}}}"#, "#/properties/name/name"),
        (#"{"name":1}"#, "#/name"),
        (#"{"lists":1}"#, "#/lists"),
        (#"{"lists":{"a":{"id":"b"}}}"#, "#/lists/a"),
        (#"{"lists":{"a":{"row":1}}}"#, "#/lists/a/row"),
        (#"{"lists":{"a":{"row":{},"id":1}}}"#, "#/lists/a/id"),
    ]

    @Test(arguments: unreadable)
    func `a schema that isn't supported is an error that says where`(_ text: String, _ place: String) {
        let error = #expect(throws: SchemaError.self) { try SchemaDocument(text: text) }
        #expect(error?.place == place, "\(error.map { "\($0)" } ?? "")")
    }

    @Test(arguments: [
        (#"{"a":[1,"x"]}"#, "/a/1", "#/$defs/list/items/type"),
        (#"{"x/y~z":1}"#, "/x~1y~0z", "#/additionalProperties"),
        (#"{"b":[]}"#, "/b", "#/properties/b/minItems"),
        ("[]", "", "#/type"),
    ])
    func `a violation names the wrong value and the keyword`(
        _ text: String, _ instancePath: String, _ schemaPath: String
    ) throws {
        let document = try SchemaDocument(
            text: ##"""
                {"type":"object","properties":{"a":{"$ref":"#/$defs/list"},"b":{"minItems":1}},
                "additionalProperties":false,"$defs":{"list":{"items":{"type":"integer"}}}}
                """##)
        let violations = document.validate(text: text)
        #expect(violations.map(\.instancePath) == [instancePath])
        #expect(violations.map(\.schemaPath) == [schemaPath])
    }

    @Test func `every violation is reported, and why no alternative fits`() throws {
        let document = try SchemaDocument(
            text: #"{"required":["a","b"],"properties":{"c":{"anyOf":[{"type":"null"},{"minimum":3}]}}}"#)
        let reasons = document.validate(text: #"{"c":2}"#).map(\.reason)
        #expect(
            reasons == [
                #"fits none: (1) the value is 2, not of type null (#/properties/c/anyOf/0/type); "#
                    + #"(2) the value is 2, not at least 3 (#/properties/c/anyOf/1/minimum)"#,
                #"lacks the member "a""#, #"lacks the member "b""#,
            ])
    }

    @Test func `a schema is chosen by its pointer, and one that isn't there accepts nothing`() throws {
        let document = try SchemaDocument(
            text: #"""
                {"name":"x","arguments":{"type":"null"},"viewEvent":false,"viewModelEvent":true,"$defs":{"a/b":{"const":1}},
                "lists":{"a":{"row":{"type":"null"},"id":"b"}}}
                """#)
        #expect(document.validate(text: "null", by: "/arguments").isEmpty)
        #expect(document.validate(text: "1", by: "/arguments").count == 1)
        #expect(document.validate(text: "1", by: "/viewEvent").count == 1)
        #expect(document.validate(text: "1", by: "/viewModelEvent").isEmpty)
        #expect(document.validate(text: "1", by: "/$defs/a~1b").isEmpty)
        #expect(document.validate(text: "1", by: "/$defs/c").count == 1)
        #expect(document.validate(text: "1").isEmpty)
        #expect(document.validate(text: "1", by: "/lists/a/row").count == 1)
        let parts = ["/arguments", "/lists/a/row", "/viewEvent", "/viewModelEvent"]
        #expect(document.pointers == ["", "/$defs/a~1b"] + parts)
    }

    @Test(arguments: [("éé", false), ("ééé", true), ("😀😀😀😀", true), ("12345", false)])
    func `the length of a string is its count of Unicode scalars`(text: String, isValid: Bool) throws {
        let document = try SchemaDocument(text: #"{"minLength":3,"maxLength":4}"#)
        #expect(document.validate(text: "\"\(text)\"").isEmpty == isValid)
        #expect(document.validate(text: "1").isEmpty)
    }

    @Test func `text that is no JSON is a violation`() throws {
        #expect(try SchemaDocument(text: "true").validate(text: "{").count == 1)
    }
}
