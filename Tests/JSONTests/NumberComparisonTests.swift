import JSON
import Testing

struct NumberComparisonTests {
    @Test(arguments: [
        ("1", "1.0"), ("10e-1", "1"), ("-0", "0.0e9"), ("1e2", "100.00E0"),
        ("123456789012345678901234567890", "1234567890123456789012345678.90e2"),
        ("1e999999999999999999999", "1e999999999999999999999"),
    ])
    func `numbers are the same by value, however they are written`(_ left: String, _ right: String) throws {
        #expect(try isSame(left, right) && isSame(right, left))
    }

    @Test(arguments: [
        ("1", "-1"), ("1", "1.1"), ("0", "1e-400"), ("10", "1"), ("12345678901234567890", "12345678901234567891"),
        ("1e999999999999999999999", "1e9999999999999999999999"), ("1", #""1""#), ("1", "null"),
    ])
    func `other values, and values that aren't numbers, are never the same`(_ left: String, _ right: String) throws {
        #expect(try !isSame(left, right) && !isSame(right, left))
    }

    @Test(arguments: [
        ("0", true), ("-3", true), ("1.0", true), ("1.5e1", true), ("1e400", true), ("1.5", false), ("1e-1", false),
        ("true", false), (#""1""#, false),
    ])
    func `a number is an integer if it has no fraction`(_ text: String, _ isInteger: Bool) throws {
        #expect(try json(text).withValue(\.isInteger) == isInteger)
    }

    private func isSame(_ left: String, _ right: String) throws -> Bool {
        let right = try json(right)
        return try json(left).withValue { left in right.withValue { left.isSameNumber(as: $0) } }
    }

    private func json(_ text: String) throws -> JSONText {
        try Array(text.utf8).withUnsafeBytes { try JSONText(validating: $0) }
    }
}
