import JSON
import JSONRPC
import Testing

@Suite struct ParamsTests {
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

    @Test func `members are read by name and type`() throws {
        try withJSON(#"{"s":"text","i":-5,"e":1e2,"n":null,"o":{"x":1},"s2":"\u0041"}"#) { json in
            let params = try Params(json)
            #expect(try params.string("s") == "text")
            #expect(try params.requiredString("s2") == "A")
            #expect(try params.integer("i") == -5)
            #expect(try params.requiredInteger("e") == 100)
            #expect(params.value("o")?.string == #"{"x":1}"#)
            #expect(try params.requiredValue("o").string == #"{"x":1}"#)
            #expect(try params.string("n") == nil)
            #expect(try params.integer("absent") == nil)
            #expect(params.value("n") == nil)
        }
    }

    @Test(arguments: [
        "{}", "[]", #"{"a":1,"b":2,"c":3,"d":4}"#, #"{"d":4,"x":{"a":9},"b":[2],"a":"1"}"#, #"{"a":1,"a":2,"b":null}"#,
        #"{"a":1,"a":null,"b":null,"b":"2"}"#, #"{"\u0061":1.5,"b\u0000":2,"aa":3}"#,
    ])
    func `members from one pass are what each is by itself`(text: String) throws {
        try withJSON(text) { json in
            let params = try Params(json)
            let (a, b, c, d) = params.members("a", "b", "c", "d")
            for (found, name) in [(a, "a"), (b, "b"), (c, "c"), (d, "d")] as [(Params.Member, StaticString)] {
                #expect(found.value?.string == params.value(name)?.string)
                #expect(
                    described { try found.required().string } == described { try params.requiredValue(name).string })
                #expect(described { try found.requiredString() } == described { try params.requiredString(name) })
                #expect(described { try found.requiredInteger() } == described { try params.requiredInteger(name) })
                #expect(described { try found.integer() } == described { try params.integer(name) })
            }
        }
    }

    /// A value, or what is wrong and where.
    private func described<T>(_ value: () throws -> T) -> String {
        do {
            return "\(try value())"
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: [
        (#"{"a":1}"#, "expected a string but found a number"), (#"{"a":{}}"#, "expected a string but found an object"),
        (#"{"a":null}"#, "missing"), ("{}", "missing"), ("[]", "missing"),
    ])
    func `a required string that isn't there is InvalidParams with its path`(text: String, reason: String) throws {
        let error = #expect(throws: RPCError.self) { try withJSON(text) { _ = try Params($0).requiredString("a") } }
        #expect(error?.message == "/a: \(reason)")
        #expect(try path(of: error) == "/a")
    }

    @Test(arguments: [
        (#"{"a":1.5}"#, "expected a 64-bit integer but found 1.5"),
        (#"{"a":9223372036854775808}"#, "expected a 64-bit integer but found 9223372036854775808"),
        (#"{"a":"1"}"#, "expected a 64-bit integer but found a string"), ("{}", "missing"),
    ])
    func `a required integer that isn't there is InvalidParams with its path`(text: String, reason: String) throws {
        let error = #expect(throws: RPCError.self) { try withJSON(text) { _ = try Params($0).requiredInteger("a") } }
        #expect(error?.message == "/a: \(reason)")
    }

    @Test func `a required value may be anything but null`() throws {
        let error = #expect(throws: RPCError.self) { try withJSON("{}") { _ = try Params($0).requiredValue("a/b") } }
        #expect(try path(of: error) == "/a~1b")
    }

    private func path(of error: RPCError?) throws -> String? {
        try withJSON(String(decoding: try #require(error?.data), as: UTF8.self)) { $0.member("path")?.string() }
    }
}
