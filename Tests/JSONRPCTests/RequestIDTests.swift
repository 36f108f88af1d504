import JSON
import JSONRPC
import TestSupport
import Testing

@Suite(.inTurn) struct RequestIDTests {
    @Test(arguments: [
        "0", "1", "-1", "9007199254740993", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
        "1234567890123456789012345678901234567890", "-0", "1e2", "1.0", "1E+2", "100.00e-2", "-0.0", #""""#, #""A""#,
        #""\u0041""#, #""a\/b""#, #""\ud83d\ude00""#, #""😀""#, #""\"""#, #""1""#, #""\u0000""#,
    ])
    func `an id comes back byte for byte`(text: String) throws {
        let id = try #require(try requestID(text))
        let back = written { id.write(to: &$0) }
        #expect(back == text)
        #expect(id.description == text)
    }

    @Test(arguments: ["null", "true", "false", "1.5", "1e-1", "{}", "[]", "[1]", #"{"id":1}"#])
    func `an id is a string or an integer and nothing else`(text: String) throws {
        #expect(try requestID(text) == nil)
    }

    @Test(arguments: [
        (#""A""#, #""\u0041""#), (#""a/b""#, #""a\/b""#), (#""😀""#, #""\ud83d\ude00""#), ("1", "1.0"), ("100", "1e2"),
        ("0", "-0"),
    ])
    func `ids that mean the same are one id`(left: String, right: String) throws {
        let left = try requestID(left)
        let right = try requestID(right)
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
    }

    @Test(arguments: [
        ("1", #""1""#), ("1", "2"), ("9007199254740992", "9007199254740993"), (#""a""#, #""A""#),
        ("1234567890123456789012345678901234567890", "1234567890123456789012345678901234567891"),
        (#""\u00e9""#, #""e\u0301""#),
    ])
    func `ids that mean something else are two`(left: String, right: String) throws {
        #expect(try requestID(left) != requestID(right))
    }

    @Test(arguments: [
        0, 1, 9, 10, 99_999_999_999_999_999, 999_999_999_999_999_999, 1_000_000_000_000_000_000,
        9_223_372_036_854_775_807,
        -1, -999_999_999_999_999_999,
    ])
    func `an integer of any length is one id in all that it may be written as`(integer: Int64) throws {
        let plain = try requestID("\(integer)")
        for text in ["\(integer)", "\(integer).0", "\(integer)e0", "\(integer).00E+0"] {
            let id = try requestID(text)
            #expect(id == RequestID(integer))
            #expect(id == plain)
            #expect(id.hashValue == plain.hashValue)
            #expect(id?.description == text)
            #expect(id != RequestID(integer ^ 1))
        }
    }

    @Test func `an id of one's own is an integer`() throws {
        #expect(RequestID(7) == (try requestID("7")))
        let text = written { RequestID(-7).write(to: &$0) }
        #expect(text == "-7")
    }
}
