import JSON
import TestSupport
import Testing

@Suite(.inTurn) struct JSONValueTests {
    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("1", 1), ("1.0", 1), ("1e2", 100), ("1.50e1", 15), ("100e-2", 1), ("-0.0e9", 0),
            ("0e99999999999999999999", 0),
            ("9223372036854775807", .max), ("-9223372036854775808", .min), ("9223372036854775808", nil), ("1.5", nil),
            ("-9223372036854775809", nil), ("9.223372036854775807e18", .max), ("1e19", nil),
            ("1e999999999999999999999", nil),
            ("1e-1", nil), ("1e-999999999999999999999", nil), ("\"1\"", nil), ("true", nil), ("[1]", nil),
        ] as [(String, Int64?)])
    func `an integer is exact or nil`(_ text: String, _ expected: Int64?) throws {
        #expect(try read(text) { $0.integer(as: Int64.self) } == expected)
    }

    @Test func `an integer fits its type or is nil`() throws {
        try read("18446744073709551615") { #expect($0.integer() == UInt64.max) }
        try read("18446744073709551616") { #expect($0.integer(as: UInt64.self) == nil) }
        try read("-1") { #expect($0.integer(as: UInt64.self) == nil) }
        try read("-1") { #expect($0.integer(as: UInt8.self) == nil) }
        try read("255") { #expect($0.integer() == UInt8.max) }
        try read("256") { #expect($0.integer(as: UInt8.self) == nil) }
        try read("-128") { #expect($0.integer() == Int8.min) }
        try read("-129") { #expect($0.integer(as: Int8.self) == nil) }
        try read("\(Int128.min)") { #expect($0.integer() == Int128.min) }
        try read("\(UInt128.max)") { #expect($0.integer() == UInt128.max) }
        try read("\(UInt128.max)0") { #expect($0.integer(as: UInt128.self) == nil) }
    }

    @Test func `a number of a million digits is read without trouble`() throws {
        let digits = String(repeating: "9", count: 1_000_000)
        try read(digits) { value in
            #expect(value.integer(as: Int.self) == nil)
            #expect(value.double() == nil)
        }
        try read("0.\(digits)") { #expect($0.double() == 1) }
        try read("1\(digits.map { _ in "0" }.joined())e-1000000") { value in
            #expect(value.integer(as: Int.self) == 1)
            #expect(value.double() == 1)
        }
    }

    @Test func `doubles are correctly rounded`() throws {
        try read("-0.0") { #expect($0.double()?.sign == .minus) }
        try read("1e400") { #expect($0.double() == nil) }
        try read("-1e400") { #expect($0.double() == nil) }
        try read("1e-400") { #expect($0.double() == 0) }
        try read("5e-324") { #expect($0.double() == .leastNonzeroMagnitude) }
        try read("9007199254740993") { #expect($0.double() == 9_007_199_254_740_992) }
        try read("0.1") { #expect($0.double() == 0.1) }
        try read("123456789012345e22") { #expect($0.double() == 123456789012345e22) }
        try read("1.7976931348623157e308") { #expect($0.double() == .greatestFiniteMagnitude) }
        try read("\"1\"") { #expect($0.double() == nil) }
    }

    @Test(arguments: [
        (#""""#, ""), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0000""#, "\u{0}"),
        (#""\u00e9\u20AC""#, "é€"),
        (#""\ud83d\ude00!""#, "😀!"), (#""a long text \u0041 with \n escapes""#, "a long text A with \n escapes"),
    ])
    func `escapes are decoded`(_ text: String, _ expected: String) throws {
        #expect(try read(text) { $0.string() } == expected)
    }

    @Test func `strings compare without being made`() throws {
        try read(#""view/event""#) { #expect($0.isString("view/event") && !$0.isString("view/even")) }
        try read(#""view\/ev\u0065nt""#) { #expect($0.isString("view/event") && !$0.isString("view/eventx")) }
        try read("1") { #expect(!$0.isString("1")) }
        try read(#""""#) { #expect($0.isString("") && !$0.isString("a")) }
        try read(#""\u0061""#) { #expect($0.isString("a") && !$0.isString("b") && !$0.isString("u0061")) }
    }

    @Test func `members are found by name and the last of duplicates counts`() throws {
        try read(#"{"a":1,"b":{"a":2,"x":"]}\""},"\u0061":3,"c":[{"a":4}]}"#) { value in
            #expect(value.member("a")?.integer() == 3)
            #expect(value.member("b")?.member("a")?.integer() == 2)
            #expect(value.member("b")?.member("x")?.string() == "]}\"")
            #expect(value.member("d") == nil)
            #expect(value.member("c")?.member("a") == nil)
        }
    }

    @Test func `an error thrown for a member comes through with its type`() throws {
        struct Stop: Error {}
        try read(#"{"a":1}"#) { value in
            _ = #expect(throws: Stop.self) { try value.forEachMember { (_, _) throws(Stop) in throw Stop() } }
        }
    }

    @Test func `text is the value alone`() throws {
        #expect(try read(" [ 1 ] ") { String(decoding: $0.text, as: UTF8.self) } == "[ 1 ]")
    }

    @Test(arguments: [("1", true), ("-12", true), ("0", true), ("1.0", false), ("1e2", false), ("\"1\"", false)])
    func `an id's text is told from other numbers`(_ text: String, _ expected: Bool) throws {
        #expect(try read(text) { $0.isIntegerText() } == expected)
    }

    @Test func `kinds and booleans are told apart`() throws {
        try read(#"[{},[],"",0,true,false,null]"#) { value in
            var kinds: [JSONValue.Kind] = []
            var booleans: [Bool?] = []
            value.forEachElement { element in
                kinds.append(element.kind)
                booleans.append(element.boolean())
            }
            #expect(kinds == [.object, .array, .string, .number, .boolean, .boolean, .null])
            #expect(booleans == [nil, nil, nil, nil, true, false, nil])
        }
    }
}
