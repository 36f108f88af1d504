import JSON
import JSONRPC
import TestSupport
import Testing

@Suite(.inTurn) struct ParamsTests {
    @Test(arguments: ["null", "[]", "[null]", "[ ]"])
    func `no parameters come in many forms`(text: String) throws {
        #expect(try withJSON(text) { try Params($0).object == nil })
    }

    @Test func `absent params are no parameters`() throws {
        #expect(try Params(nil).object == nil)
    }

    @Test(arguments: [("{}", "{}"), (#"{"a":1}"#, #"{"a":1}"#), ("[{}]", "{}"), (#"[{"a":1}]"#, #"{"a":1}"#)])
    func `an object counts, also alone in an array`(text: String, expected: String) throws {
        #expect(try withJSON(text) { try Params($0).object?.string } == expected)
    }

    @Test(arguments: ["3", #""a""#, "true", "[1]", "[1,2]", "[{},{}]", "[null,null]", "[null,{}]", "[[]]", "[{},1]"])
    func `anything else is InvalidParams for all of params`(text: String) throws {
        let error = #expect(throws: RPCError.self) { try withJSON(text) { _ = try Params($0) } }
        #expect(error?.code == .invalidParams)
        #expect(try path(of: error) == "")
    }

    @Test func `a path escapes a member's name`() {
        #expect(Params.path("a/b").description == "/a~1b")
    }

    private func path(of error: RPCError?) throws -> String? {
        try withJSON(String(decoding: try #require(error?.data), as: UTF8.self)) { $0.member("path")?.string() }
    }
}
