import SchemaValidation
import Testing

/// What the test suite has no cases for: what can't be read, where a violation is, and other documents.
@Suite struct SchemaDocumentTests {
    @Test(arguments: [
        ("1", "#"),
        ("{", "#"),
        (#"{"mimimum":1}"#, "#/mimimum"),
        (#"{"properties":{"a":{"typo":"string"}}}"#, "#/properties/a/typo"),
        (#"{"$defs":{"unused":{"typo":1}}}"#, "#/$defs/unused/typo"),
        (##"{"$dynamicRef":"#a"}"##, "#/$dynamicRef"),
        (#"{"$dynamicAnchor":"a"}"#, "#/$dynamicAnchor"),
        (#"{"$vocabulary":{}}"#, "#/$vocabulary"),
        (#"{"unevaluatedProperties":false}"#, "#/unevaluatedProperties"),
        (#"{"unevaluatedItems":false}"#, "#/unevaluatedItems"),
        (#"{"definitions":{}}"#, "#/definitions"),
        (#"{"dependencies":{}}"#, "#/dependencies"),
        (#"{"additionalItems":false}"#, "#/additionalItems"),
        (#"{"$schema":"http://json-schema.org/draft-07/schema#"}"#, "#/$schema"),
        (#"{"$defs":{"a":{"$id":"b.json"}}}"#, "#/$defs/a/$id"),
        (#"{"type":"text"}"#, "#/type"),
        (#"{"type":["string","text"]}"#, "#/type"),
        (#"{"type":1}"#, "#/type"),
        (#"{"enum":1}"#, "#/enum"),
        (#"{"minimum":"1"}"#, "#/minimum"),
        (#"{"minLength":-1}"#, "#/minLength"),
        (#"{"minLength":1.5}"#, "#/minLength"),
        (#"{"minItems":"1"}"#, "#/minItems"),
        (#"{"multipleOf":0}"#, "#/multipleOf"),
        (#"{"multipleOf":-2}"#, "#/multipleOf"),
        (#"{"multipleOf":1234567890123456789}"#, "#/multipleOf"),
        (#"{"uniqueItems":1}"#, "#/uniqueItems"),
        (#"{"pattern":"("}"#, "#/pattern"),
        (#"{"pattern":1}"#, "#/pattern"),
        (#"{"patternProperties":{"(":true}}"#, "#/patternProperties/("),
        (#"{"required":"a"}"#, "#/required"),
        (#"{"required":[1]}"#, "#/required"),
        (#"{"dependentRequired":{"a":"b"}}"#, "#/dependentRequired/a"),
        (#"{"properties":[]}"#, "#/properties"),
        (#"{"properties":{"a":1}}"#, "#/properties/a"),
        (#"{"items":[true]}"#, "#/items"),
        (#"{"prefixItems":true}"#, "#/prefixItems"),
        (#"{"allOf":{}}"#, "#/allOf"),
        (#"{"not":null}"#, "#/not"),
        (#"{"description":1}"#, "#/description"),
        (#"{"$ref":1}"#, "#/$ref"),
        (##"{"$ref":"#/$defs/a"}"##, "#/$ref"),
        (##"{"$ref":"#a"}"##, "#/$ref"),
        (##"{"$ref":"#%4"}"##, "#/$ref"),
        (#"{"$ref":"other.json"}"#, "#/$ref"),
        (##"{"$ref":"#"}"##, "#"),
        (##"{"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"not":{"$ref":"#/$defs/a"}}}}"##, "#/$defs/a"),
        (#"{"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}}"#, "#/$defs/b/$anchor"),
        (#"{"properties":{"name":{"name":"x"}}}"#, "#/properties/name/name"),
        (#"{"name":1}"#, "#/name"),
    ])
    func `what can't be understood is an error that says where`(_ text: String, _ place: String) {
        let error = #expect(throws: SchemaError.self) { try SchemaDocument(text: text) }
        #expect(error?.place == place, "\(error.map { "\($0)" } ?? "")")
    }

    @Test func `an error in another document says which`() {
        let error = #expect(throws: SchemaError.self) {
            try SchemaDocument(text: #"{"$ref":"b.json"}"#, others: ["b.json": #"{"typo":1}"#])
        }
        #expect(error?.place == "b.json#/typo")
    }

    @Test func `schemas of other documents are referred to by file name`() throws {
        let document = try SchemaDocument(
            text: #"{"properties":{"a":{"$ref":"b.json#/$defs/x~1y.z"},"b":{"$ref":"b.json#z"}}}"#,
            others: [
                "b.json": ##"""
                {"$defs":{"x/y.z":{"$ref":"#/$defs/q"},"q":{"type":"null"},"r":{"$anchor":"z","const":1}}}
                """##
            ])
        #expect(document.validate(text: #"{"a":null,"b":1}"#).isEmpty)
        #expect(document.validate(text: #"{"a":1}"#).map(\.schemaPath) == ["b.json#/$defs/q/type"])
        #expect(document.validate(text: #"{"b":2}"#).map(\.schemaPath) == ["b.json#/$defs/r/const"])
    }

    @Test(arguments: [
        (#"{"a":[1,"x"]}"#, "/a/1", "#/$defs/list/items/type"),
        (#"{"x/y~z":1}"#, "/x~1y~0z", "#/additionalProperties"),
        (#"{"b":1}"#, "", "#/dependentRequired"),
        ("[]", "", "#/type"),
    ])
    func `a violation says what is wrong, and by which keyword`(
        _ text: String, _ instancePath: String, _ schemaPath: String
    ) throws {
        let document = try SchemaDocument(
            text: ##"""
                {"type":"object","properties":{"a":{"$ref":"#/$defs/list"},"b":true},"additionalProperties":false,
                "dependentRequired":{"b":["a"]},"$defs":{"list":{"items":{"type":"integer"}}}}
                """##)
        let violations = document.validate(text: text)
        #expect(violations.map(\.instancePath) == [instancePath])
        #expect(violations.map(\.schemaPath) == [schemaPath])
    }

    @Test func `all that is wrong is told, and of alternatives why none fits`() throws {
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
                {"name":"x","arguments":{"type":"null"},"viewEvent":false,"viewModelEvent":true,"$defs":{"a/b":{"const":1}}}
                """#)
        #expect(document.validate(text: "null", by: "/arguments").isEmpty)
        #expect(document.validate(text: "1", by: "/arguments").count == 1)
        #expect(document.validate(text: "1", by: "/viewEvent").count == 1)
        #expect(document.validate(text: "1", by: "/viewModelEvent").isEmpty)
        #expect(document.validate(text: "1", by: "/$defs/a~1b").isEmpty)
        #expect(document.validate(text: "1", by: "/$defs/c").count == 1)
        #expect(document.validate(text: "1").isEmpty)
        #expect(document.pointers == ["", "/$defs/a~1b", "/arguments", "/viewEvent", "/viewModelEvent"])
    }

    @Test func `text that is no JSON is a violation`() throws {
        #expect(try SchemaDocument(text: "true").validate(text: "{").count == 1)
    }
}
