import FoundationEssentials
import JSON
import Testing
import TestSupport

@Suite(.inTurn) struct ValueCoderTests {
    struct Everything: Codable, Equatable {
        var int = Int.min
        var int8 = Int8.min
        var int16 = Int16.max
        var int32 = Int32.min
        var int64 = Int64.max
        var uint = UInt.max
        var uint8 = UInt8.max
        var uint16 = UInt16.max
        var uint32 = UInt32.max
        var uint64 = UInt64.max
        var float: Float = 0.1
        var double = -0.0
        var bool = true
        var string = "é\u{0}\n\"😀"
        var none: Int?
        var some: String? = "x"
        var nested: [[Int?]] = [[], [1, nil]]
        var names = ["a/b": 1.5]
        var numbers = [-7: "x"]
        var date = Date(timeIntervalSinceReferenceDate: 0.5)
        var data = Data([0, 255, 1])
        var url = URL(string: "https://example.org/a?b=c#d")
        var uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        var decimal = Decimal(string: "12345678901234567890.123456789012345678")
        var variants = [Variant.a(x: 1), .b]
    }
    enum Variant: Codable, Equatable { case a(x: Int), b }

    @Test func `every kind of value reads back the same`() throws {
        let value = Everything()
        let text = try encoded(value)
        #expect(try decoded(Everything.self, text) == value)
        #expect(try decoded(Everything.self, text).double.sign == .minus)
        #expect(!text.contains("none"))
        for part in [
            #""nested":[[],[1,null]]"#, #""names":{"a/b":1.5}"#, #""numbers":{"-7":"x"}"#, #""data":"AP8B""#,
            #""uint64":18446744073709551615"#, #""date":"2001-01-01T00:00:00.5Z""#,
            #""url":"https://example.org/a?b=c#d""#, #""uuid":"01020304-0506-0708-090A-0B0C0D0E0F10""#,
            #""decimal":12345678901234567890.123456789012345678"#, #""variants":[{"a":{"x":1}},{"b":{}}]"#,
            #""float":0.1,"double":-0.0"#,
        ] { #expect(text.contains(part)) }
    }

    @Test func `random numbers read back bit by bit`() throws {
        var generator = SeededGenerator(seed: 3)
        let doubles = (0..<5000).map { _ in Double(bitPattern: generator.next()) }.filter(\.isFinite)
        let floats = doubles.map { Float(bitPattern: UInt32(truncatingIfNeeded: $0.bitPattern)) }.filter(\.isFinite)
        #expect(try decoded([Double].self, encoded(doubles)).map(\.bitPattern) == doubles.map(\.bitPattern))
        #expect(try decoded([Float].self, encoded(floats)).map(\.bitPattern) == floats.map(\.bitPattern))
    }

    @Test func `values stand at the outermost place too`() throws {
        #expect(try encoded("x") == "\"x\"")
        #expect(try encoded(Int?.none) == "null")
        #expect(try encoded(Int?.some(1)) == "1")
        #expect(try decoded(Int?.self, "null") == nil)
        #expect(try decoded([String: [Bool]].self, #"{"a":[true]}"#) == ["a": [true]])
        #expect(try decoded(Decimal.self, "-1.5e3") == -1500)
    }

    struct Small: Codable { var a: Int32; var list: [String: [Small]]? }

    @Test(arguments: [
        (#"{"a":3000000000}"#, "/p/a", "3000000000 does not fit Int32"),
        (#"{"a":1e99}"#, "/p/a", "1e99 does not fit Int32"),
        (
            #"{"a":1,"list":{"x~y":[{"a":1},{"a":false}]}}"#, "/p/list/x~0y/1/a",
            "expected an integer but found a boolean"
        ),
        (#"{"a":1,"list":{"x":[{}]}}"#, "/p/list/x/0/a", "missing"),
        (#"3"#, "/p", "expected an object but found a number"),
    ])
    func `a value that doesn't fit says where and why`(_ text: String, _ path: String, _ reason: String) {
        #expect {
            try decoded(Small.self, text, at: "/p")
        } throws: { error in
            let error = error as? JSONCodingError
            return error?.path.description == path && error?.reason == reason
        }
    }

    @Test func `forms that are almost right are refused`() {
        expectFailure("/0", "expected base64") { _ = try decoded([Data].self, #"["AP8"]"#) }
        expectFailure("/0", "expected a UUID") { _ = try decoded([UUID].self, #"["1"]"#) }
        expectFailure("/0", "expected a URL") { _ = try decoded([URL].self, #"[""]"#) }
        expectFailure("/0", "expected an RFC 3339 date and time") { _ = try decoded([Date].self, #"["now"]"#) }
        expectFailure("/0", "expected a string but found a number") { _ = try decoded([Date].self, "[0]") }
        expectFailure("/0", "\(String(repeating: "1", count: 40))… does not fit Decimal with all its digits") {
            _ = try decoded([Decimal].self, "[\(String(repeating: "1", count: 50))]")
        }
        expectFailure("", "inf is not a number that JSON can say") { _ = try encoded(Float.infinity) }
        expectFailure("/a/1", "NaN is not a number that JSON can say") { _ = try encoded(["a": [Decimal(1), .nan]]) }
    }

    @Test func `of duplicate members the last counts, however many there are`() throws {
        #expect(try decoded([String: Int].self, #"{"a":1,"b":2,"a":3,"\u0062":4}"#) == ["a": 3, "b": 4])
        let many = (0..<1000).map { "\"k\($0 % 500)\":\($0)" }.joined(separator: ",")
        let members = try decoded([String: Int].self, "{\(many)}")
        #expect(members.count == 500 && members["k7"] == 507)
        #expect(try decoded([String: Int].self, #"{"\u00e9":1,"e\u0301":2}"#).count == 1)
    }

    /// Names that look the same to what remembers them by length and ends, and those that are the same.
    @Test func `members with names that are alike are told apart`() throws {
        let alike = (0..<100).map { "n\($0 / 10)x\($0 % 10)n" }
        let text = alike.enumerated().map { "\"\($1)\":\($0)" }.joined(separator: ",")
        let expected = Dictionary(uniqueKeysWithValues: alike.enumerated().map { ($1, $0) })
        #expect(try decoded([String: Int].self, "{\(text)}") == expected)
        for (place, name) in alike.enumerated() where place % 7 == 0 {
            let again = try decoded([String: Int].self, #"{\#(text),"\#(name)":1000}"#)
            #expect(again.count == 100 && again[name] == 1000)
        }
    }

    struct Doubled: Codable, Equatable { var a: Int; var b: [Doubled]? }

    @Test func `of duplicates the last one counts at every depth`() throws {
        let text = #"{"a":1,"b":[{"a":2,"b":[],"a":3},{"b":[{"a":4,"\u0061":5}],"a":6}],"a":7}"#
        let inner = Doubled(a: 6, b: [Doubled(a: 5)])
        #expect(try decoded(Doubled.self, text) == Doubled(a: 7, b: [Doubled(a: 3, b: []), inner]))
    }

    @Test(arguments: ["[]", "[1]", "[1,2,3]", "[ ]", "[ 1 , 2 ]"]) func `arrays have all of their elements`(
        _ text: String
    ) throws {
        let expected = text.split { !$0.isNumber }.compactMap { Int($0) }
        #expect(try decoded([Int].self, text) == expected)
        #expect(try decoded([Int32].self, text) == expected.map(Int32.init))
        #expect(try decoded([[Int]].self, "[\(text),\(text)]") == [expected, expected])
        #expect(try decoded([String: [Int]].self, #"{"a":\#(text)}"#) == ["a": expected])
        #expect(try decoded(Set<Int>.self, text) == Set(expected))
    }

    @Test func `an element that fails says which`() {
        expectFailure("/2", "expected an integer but found a string") { _ = try decoded([Int].self, #"[1,2,"3"]"#) }
        expectFailure("/1/0", "expected a string but found null") {
            _ = try decoded([[String]].self, #"[["a"],[null]]"#)
        }
        expectFailure("/a", "expected an array but found an object") {
            _ = try decoded([String: [Int]].self, #"{"a":{}}"#)
        }
        expectFailure("", "expected an array but found null") { _ = try decoded([Int].self, "null") }
    }

    @Test func `errors of a type's own code come with the path`() {
        struct Failing: Codable {
            struct Reason: Error, CustomStringConvertible { let description = "out of tea" }
            init() {}
            init(from decoder: any Decoder) throws { throw Reason() }
            func encode(to encoder: any Encoder) throws { throw Reason() }
        }
        expectFailure("/a/1", "out of tea") { _ = try decoded([String: [Failing?]].self, #"{"a":[null,1]}"#) }
        expectFailure("/a/1", "out of tea") { _ = try encoded(["a": [nil, Failing()]]) }
    }
}
