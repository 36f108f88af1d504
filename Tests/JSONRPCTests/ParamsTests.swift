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

    /// Of params that come twice the last count, and those alone in an array aren't what was noted.
    @Test(arguments: [
        (#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":[1]}}"#, "a"),
        (#"{"params":{"a":[1]},"jsonrpc":"2.0","id":1,"method":"m","params":{"b":{}},"x":{"c":1}}"#, "b"),
        (#"{"params":{"a":[1]},"jsonrpc":"2.0","id":1,"method":"m","params":[{"b":{}}]}"#, "b"),
        (#"{"p\u0061rams":{"a":[1]},"jsonrpc":"2.0","id":1,"method":"m"}"#, "a"),
    ])
    func `the members are those of the params that count`(message: String, names: String) throws {
        try Array(message.utf8).withUnsafeBytes { bytes in
            try ValueNotes.lend { notes in
                var found = ""
                if case .message(.request(_, _, let value)) = MessageDecoder().decode(bytes, notes: notes) {
                    try Params(value, notes: notes).parse { $0.forEachMember { name, _ in found += name.string() } }
                }
                #expect(found == names)
            }
        }
    }

    @Test func `a path escapes a member's name`() {
        #expect(Params.path("a/b").description == "/a~1b")
    }

    private func path(of error: RPCError?) throws -> String? {
        try withJSON(String(decoding: try #require(error?.data), as: UTF8.self)) { $0.member("path")?.string() }
    }
}
