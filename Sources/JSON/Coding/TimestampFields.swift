/// Reads a timestamp's fields from left to right.
struct TimestampFields {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = text[...].utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Exactly that many digits.
    mutating func number(_ digits: Int) -> Int? {
        let field = rest.prefix(digits)
        guard field.count == digits, field.allSatisfy(ASCII.isDigit) else { return nil }
        rest = rest.dropFirst(digits)
        return field.reduce(0) { $0 * 10 + Int($1 - ASCII.zero) }
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let byte = rest.first, byte == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// The digits behind the point, empty without one; nil for a point without digits.
    mutating func fraction() -> Substring.UTF8View? {
        guard skip(".") else { return rest.prefix(0) }
        let digits = rest.prefix(while: ASCII.isDigit)
        guard !digits.isEmpty else { return nil }
        rest = rest[digits.endIndex...]
        return digits
    }

    /// In minutes east of UTC.
    mutating func offset() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        let isWest = skip("-")
        guard isWest || skip("+"), let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (isWest ? -1 : 1)
    }
}
