import SchemaValidation
import Testing

/// Numbers are compared by their value, in all their digits.
@Suite struct ExactNumberTests {
    @Test(arguments: [
        ("9007199254740993", #"{"const":9007199254740993}"#, true),
        ("9007199254740993", #"{"const":9007199254740992}"#, false),
        ("9007199254740993", #"{"maximum":9007199254740992}"#, false),
        ("9007199254740993", #"{"minimum":9007199254740994}"#, false),
        ("-9007199254740993", #"{"minimum":-9007199254740992}"#, false),
        ("9223372036854775808", #"{"maximum":9223372036854775807}"#, false),
        ("123456789012345678901234567890", #"{"type":"integer"}"#, true),
        ("1.0", #"{"type":"integer","const":1}"#, true),
        ("1e2", #"{"type":"integer","enum":[100]}"#, true),
        ("100e-2", #"{"type":"integer","const":1}"#, true),
        ("1e-1", #"{"type":"integer"}"#, false),
        ("0.1", #"{"const":0.10}"#, true),
        ("-0", #"{"const":0}"#, true),
        ("-0.0", #"{"maximum":-1e-400}"#, false),
        ("0", #"{"minimum":-1e-400}"#, true),
        ("1e400", #"{"minimum":1e399}"#, true),
        ("1e99999999999999999999", #"{"maximum":1e400}"#, false),
        ("1e-99999999999999999999", #"{"maximum":0}"#, false),
        ("-2", #"{"minimum":-10}"#, true),
        ("-20", #"{"minimum":-10}"#, false),
    ])
    func `judged by its value`(_ value: String, _ schema: String, _ isValid: Bool) throws {
        let violations = try SchemaDocument(text: schema).validate(text: value)
        #expect(violations.isEmpty == isValid, "\(violations)")
    }

    @Test func `strings are compared by their scalars`() throws {
        let document = try SchemaDocument(text: #"{"enum":["\u00e9"]}"#)
        #expect(document.validate(text: #""é""#).isEmpty)
        #expect(!document.validate(text: #""e\u0301""#).isEmpty)
    }
}
