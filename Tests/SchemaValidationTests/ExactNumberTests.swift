import SchemaValidation
import Testing

/// Numbers are compared by their value, in all their digits.
@Suite struct ExactNumberTests {
    @Test(arguments: [
        ("9007199254740993", #"{"const":9007199254740993}"#, true),
        ("9007199254740993", #"{"const":9007199254740992}"#, false),
        ("9007199254740993", #"{"maximum":9007199254740992}"#, false),
        ("9007199254740993", #"{"exclusiveMinimum":9007199254740992}"#, true),
        ("-9007199254740993", #"{"minimum":-9007199254740992}"#, false),
        ("9223372036854775808", #"{"maximum":9223372036854775807}"#, false),
        ("123456789012345678901234567890", #"{"type":"integer"}"#, true),
        ("1.0", #"{"type":"integer","const":1}"#, true),
        ("1e2", #"{"type":"integer","enum":[100]}"#, true),
        ("100e-2", #"{"type":"integer","const":1}"#, true),
        ("1e-1", #"{"type":"integer"}"#, false),
        ("0.1", #"{"const":0.10}"#, true),
        ("-0", #"{"const":0}"#, true),
        ("-0.0", #"{"exclusiveMaximum":0}"#, false),
        ("0", #"{"minimum":-1e-400}"#, true),
        ("1e400", #"{"minimum":1e399}"#, true),
        ("1e99999999999999999999", #"{"exclusiveMaximum":1e400}"#, false),
        ("1e-99999999999999999999", #"{"exclusiveMinimum":0}"#, true),
        ("-2", #"{"minimum":-10}"#, true),
        ("-20", #"{"minimum":-10}"#, false),
        ("0.3", #"{"multipleOf":0.1}"#, true),
        ("1e300", #"{"multipleOf":7}"#, false),
        ("7e300", #"{"multipleOf":7}"#, true),
        ("1000", #"{"multipleOf":2e2}"#, true),
        ("100", #"{"multipleOf":2e2}"#, false),
        ("-9", #"{"multipleOf":3}"#, true),
        ("0", #"{"multipleOf":0.7}"#, true),
        ("999999999999999998000000000000000001", #"{"multipleOf":999999999999999999}"#, true),
        ("999999999999999998000000000000000002", #"{"multipleOf":999999999999999999}"#, false),
        ("[1,1.0]", #"{"uniqueItems":true}"#, false),
        ("[9007199254740992,9007199254740993]", #"{"uniqueItems":true}"#, true),
    ])
    func `judged by its value`(_ value: String, _ schema: String, _ isValid: Bool) throws {
        let violations = try SchemaDocument(text: schema).validate(text: value)
        #expect(violations.isEmpty == isValid, "\(violations)")
    }

    @Test func `strings are compared by their scalars`() throws {
        let document = try SchemaDocument(text: #"{"enum":["\u00e9"]}"#)
        #expect(document.validate(text: #""é""#).isEmpty)
        #expect(!document.validate(text: #""e\u0301""#).isEmpty)
        #expect(try SchemaDocument(text: #"{"maxLength":2}"#).validate(text: #""e\u0301""#).isEmpty)
        #expect(try !SchemaDocument(text: #"{"maxLength":1}"#).validate(text: #""e\u0301""#).isEmpty)
    }
}
