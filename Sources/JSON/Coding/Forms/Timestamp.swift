import FoundationEssentials

/// `Date` as RFC 3339 text. Days are counted by arithmetic: no calendar, time zone or locale is consulted.
enum Timestamp {
    /// From 1970-01-01 to 2001-01-01, where `Date` counts from.
    static let referenceSeconds = 978_307_200

    /// In UTC, with the digits that it takes to read back the same `Date` and no fraction when whole. Digits beyond
    /// the thirtieth behind the point are dropped. Nil outside of the years 0000 to 9999, which RFC 3339 can't write.
    static func text(_ date: Date) -> String? {
        guard let (seconds, fraction) = split(date.timeIntervalSinceReferenceDate) else { return nil }
        let day = Int((Double(seconds) / 86_400).rounded(.down))
        let time = seconds - day * 86_400
        let (year, month, monthDay) = civil(daysSinceEpoch: day)
        guard (0...9999).contains(year) else { return nil }
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(monthDay, 2))"
        let clock = "\(padded(time / 3600, 2)):\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2))"
        return fraction.isEmpty ? "\(date)T\(clock)Z" : "\(date)T\(clock).\(fraction)Z"
    }

    /// Whole seconds since 1970 and the decimal digits of the rest, which is never negative.
    private static func split(_ interval: Double) -> (seconds: Int, fraction: String)? {
        guard abs(interval) < 1e12 else { return nil }
        let whole = interval.rounded(.towardZero)
        var seconds = Int(whole) + referenceSeconds
        var digits = fractionDigits(interval.magnitude)
        if interval < 0, !digits.isEmpty {
            seconds -= 1
            digits = tensComplement(digits)
        }
        return (seconds, digits)
    }

    /// Those that the shortest text of the number has. Numbers below a ten-thousandth are written with an exponent.
    private static func fractionDigits(_ value: Double) -> String {
        let text = value.description
        if let mark = text.firstIndex(of: "e") {
            guard let exponent = Int(text[text.index(after: mark)...]), exponent < 0 else { return "" }
            let digits = String(repeating: "0", count: -exponent - 1) + text[..<mark].filter { $0 != "." }
            return trimmed(digits.prefix(30))
        }
        guard let point = text.firstIndex(of: ".") else { return "" }
        return trimmed(text[text.index(after: point)...])
    }

    private static func trimmed(_ digits: Substring) -> String {
        guard let last = digits.lastIndex(where: { $0 != "0" }) else { return "" }
        return String(digits[...last])
    }

    /// The digits of 1 - 0.digits, where the last of them is not 0.
    private static func tensComplement(_ digits: String) -> String {
        var complement = digits.utf8.map { ASCII.nine - ($0 - ASCII.zero) }
        complement[complement.count - 1] += 1
        return String(decoding: complement, as: UTF8.self)
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    /// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": the Gregorian calendar, years starting in March.
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

    /// The inverse of `civil`.
    static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
