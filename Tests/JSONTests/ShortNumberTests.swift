import Testing
import TestSupport

@testable import JSON

/// Numbers that are read in one pass, held against `NumberText` that reads all.
@Suite struct ShortNumberTests {
    static let texts = [
        "0", "-0", "7", "-7", "10", "123456789012345678", "-123456789012345678", "1234567890123456789",
        "9223372036854775807", "0.0", "-0.0", "1.0", "1.50", "0.1", "-123.45", "123456789012345", "1234567890.12345",
        "1234567890.123456", "0.000000000000001", "0.0000000000000001", "99999999999999.9", "1e2", "1E2", "1.5e3",
        "12345678901234567890", "0.12345678901234567890", "1.7976931348623157", "100000000000000000.0",
    ]

    @Test(arguments: texts) func `either way it is the same number`(_ text: String) throws {
        try withBytes(text.utf8) { bytes in
            let long = try #require(NumberText(bytes))
            if let short = ShortNumber(bytes) {
                if let integer = short.integer(as: Int.self) { #expect(integer == long.integer(as: Int.self)) }
                if let integer = short.integer(as: Int8.self) { #expect(integer == long.integer(as: Int8.self)) }
                if let integer = short.integer(as: UInt64.self) { #expect(integer == long.integer(as: UInt64.self)) }
                if let double = short.double { #expect(double.bitPattern == long.double()?.bitPattern) }
            }
            let value = JSONValue(validated: bytes)
            #expect(value.integer(as: Int.self) == long.integer(as: Int.self))
            #expect(value.integer(as: Int32.self) == long.integer(as: Int32.self))
            #expect(value.double()?.bitPattern == Double(text)?.bitPattern)
        }
    }

    @Test func `usual numbers are short`() {
        for text in ["0", "-12", "123456789012345678", "1.5", "-0.25"] {
            withBytes(text.utf8) {
                #expect(ShortNumber($0)?.integer(as: Int.self) != nil || ShortNumber($0)?.double != nil)
            }
        }
        for text in ["", "true", "\"1\"", "1e2", "1234567890123456789"] {
            withBytes(text.utf8) { #expect(ShortNumber($0).map { _ in } == nil) }
        }
    }

    @Test func `random decimals are correctly rounded`() throws {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<20_000 {
            let digits = UInt64.random(in: 0...999_999_999_999_999, using: &generator)
            let places = Int.random(in: 0...15, using: &generator)
            var text = String(digits)
            if places > 0 {
                text = String(repeating: "0", count: max(0, places + 1 - text.count)) + text
                text.insert(".", at: text.index(text.endIndex, offsetBy: -places))
            }
            #expect(try read(text) { $0.double() }?.bitPattern == Double(text)?.bitPattern)
        }
    }
}
