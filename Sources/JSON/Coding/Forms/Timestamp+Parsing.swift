import FoundationEssentials

extension Timestamp {
    /// RFC 3339 §5.6 with any offset and number of digits, `t` and `z` in either case. Nil for any other text and for
    /// days that don't exist.
    ///
    /// A leap second, which `Date` doesn't count, is the second after it; it is taken only at 23:59:60 UTC.
    static func date(_ text: String) -> Date? {
        var fields = TimestampFields(text)
        guard let year = fields.number(4), fields.skip("-"), let month = fields.number(2), fields.skip("-"),
            let day = fields.number(2), fields.skip("T") || fields.skip("t"),
            let hour = fields.number(2), fields.skip(":"), let minute = fields.number(2), fields.skip(":"),
            let second = fields.number(2), let fraction = fields.fraction(), let offset = fields.offset(),
            fields.isAtEnd, hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = daysSinceEpoch(year: year, month: month, day: day)
        guard civil(daysSinceEpoch: days) == (year, month, day) else { return nil }
        let minutes = days * 1440 + hour * 60 + minute - offset
        guard second < 60 || (minutes + 1) % 1440 == 0 else { return nil }
        return date(seconds: minutes * 60 + second - referenceSeconds, fraction: fraction)
    }

    /// Rounded once, by reading the sum as one decimal number.
    private static func date(seconds: Int, fraction: Substring.UTF8View) -> Date? {
        let isNegative = seconds < 0 && !fraction.allSatisfy { $0 == ASCII.zero }
        let whole = isNegative ? -(seconds + 1) : seconds
        let digits = isNegative ? complement(fraction) : Array(fraction)
        let text = "\(isNegative ? "-" : "")\(whole).\(String(decoding: digits, as: UTF8.self))0"
        return Double(text).map(Date.init(timeIntervalSinceReferenceDate:))
    }

    /// The digits of 1 - 0.digits.
    private static func complement(_ digits: Substring.UTF8View) -> [UInt8] {
        var complement = digits.map { ASCII.nine - ($0 - ASCII.zero) }
        for place in complement.indices.reversed() {
            if complement[place] < ASCII.nine {
                complement[place] += 1
                break
            }
            complement[place] = ASCII.zero
        }
        return complement
    }
}

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
