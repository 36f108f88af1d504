import FoundationEssentials

/// Conversion between `Date` and RFC 3339 text. Days are counted by arithmetic: no calendar, time zone or locale is consulted.
enum Timestamp {
    /// The seconds from 1970-01-01 to 2001-01-01, the reference date of `Date`.
    static let referenceSeconds = 978_307_200

    /// Returns a date as text in UTC, with as many digits as it takes to read back the same `Date`, and no fraction for whole
    /// seconds. Digits beyond those of a `Decimal` are dropped. Nil outside of the years 0000 to 9999, which RFC 3339 can't
    /// write.
    static func text(_ date: Date) -> String? {
        let interval = date.timeIntervalSinceReferenceDate
        // The exact decimal value of the shortest text for the interval.
        guard abs(interval) < 1e12, let decimal = Decimal(string: interval.description) else { return nil }
        let whole = Int(interval.rounded(.down))
        let fraction = (decimal - Decimal(whole)).description.dropFirst(2)
        let seconds = whole + referenceSeconds
        let day = Int((Double(seconds) / 86_400).rounded(.down))
        let time = seconds - day * 86_400
        let (year, month, monthDay) = civil(daysSinceEpoch: day)
        guard (0...9999).contains(year) else { return nil }
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(monthDay, 2))"
        let clock = "\(padded(time / 3600, 2)):\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2))"
        return fraction.isEmpty ? "\(date)T\(clock)Z" : "\(date)T\(clock).\(fraction)Z"
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    /// Returns the Gregorian date. The algorithm, with years that start in March, is from Howard Hinnant, "chrono-Compatible
    /// Low-Level Date Algorithms".
    static func civil(daysSinceEpoch days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    /// Returns the number of days from 1970-01-01 to a Gregorian date: the inverse of `civil`.
    static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension Timestamp {
    /// Reads RFC 3339 §5.6 with any offset and number of digits, `t` and `z` in either case. Returns nil for any other text and
    /// for days that don't exist.
    ///
    /// A leap second, which `Date` doesn't count, becomes the second after it. It is accepted only at 23:59:60 UTC.
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

    /// Returns a date from seconds and the digits of a fraction. Their sum is read as one decimal number, so that it is rounded
    /// only once.
    private static func date(seconds: Int, fraction: Substring.UTF8View) -> Date? {
        guard let rest = Decimal(string: "0.\(Substring(fraction.prefix(25)))0") else { return nil }
        return Double((Decimal(seconds) + rest).description).map(Date.init(timeIntervalSinceReferenceDate:))
    }
}

/// Reads a timestamp's fields from left to right.
struct TimestampFields {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = text[...].utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Reads exactly `digits` digits, or returns nil.
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

    /// Reads the digits behind a decimal point. They are empty if there is no point; nil for a point without digits.
    mutating func fraction() -> Substring.UTF8View? {
        guard skip(".") else { return rest.prefix(0) }
        let digits = rest.prefix(while: ASCII.isDigit)
        guard !digits.isEmpty else { return nil }
        rest = rest[digits.endIndex...]
        return digits
    }

    /// Reads an offset, and returns the minutes east of UTC.
    mutating func offset() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        let isWest = skip("-")
        guard isWest || skip("+"), let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (isWest ? -1 : 1)
    }
}
