import JSON
import TestSupport
import Testing

/// Numbers with up to 18 digits and no exponent are read in one pass, others in several: all come out as Swift reads them.
@Suite(.inTurn) struct ShortNumberTests {
    static let texts = [
        "0", "-0", "7", "-7", "10", "123456789012345678", "-123456789012345678", "1234567890123456789",
        "9223372036854775807", "0.0", "-0.0", "1.0", "1.50", "0.1", "-123.45", "123456789012345", "1234567890.12345",
        "1234567890.123456", "0.000000000000001", "0.0000000000000001", "99999999999999.9", "1e2", "1E2", "1.5e3",
        "12345678901234567890", "0.12345678901234567890", "1.7976931348623157", "100000000000000000.0",
    ]

    @Test(arguments: texts) func `a number is the one that Swift reads`(_ text: String) throws {
        try read(text) { value in
            let double = try #require(Double(text))
            #expect(value.double()?.bitPattern == double.bitPattern)
            // Up to 2^53 an integral Double is the exact integer; other texts are integers as they are written.
            let isExact = double.magnitude <= 9_007_199_254_740_992
            let exact = isExact ? Int(exactly: double) : Int(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
            #expect(value.integer(as: Int.self) == exact)
            #expect(value.integer(as: Int8.self) == exact.flatMap { Int8(exactly: $0) })
            #expect(value.integer(as: Int32.self) == exact.flatMap { Int32(exactly: $0) })
            #expect(value.integer(as: UInt64.self) == (exact.flatMap { UInt64(exactly: $0) } ?? UInt64(text)))
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
