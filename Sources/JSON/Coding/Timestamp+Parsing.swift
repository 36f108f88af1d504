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
