import FoundationEssentials

/// A validated number, taken apart: `± digits × 10^exponent`. Numbers of the same value have the same parts, however they are
/// written.
struct NumberText {
    private let text: UnsafeRawBufferPointer
    /// Whether the number is less than zero; false for `-0`.
    private let isNegative: Bool
    /// The digits from the first to the last that isn't 0; empty for zero.
    private let digits: String
    /// The power of ten of the last digit, clamped to ± `exponentLimit`.
    private let exponent: Int

    /// A bound that is greater than the length of any text, so that clamping changes no result, and small enough that sums
    /// don't overflow.
    private static let exponentLimit = 1 << 58

    init?(_ text: UnsafeRawBufferPointer) {
        guard let first = text.first, first == ASCII.minus || ASCII.isDigit(first) else { return nil }
        self.text = text
        let parts = text.split(maxSplits: 1, whereSeparator: ASCII.isExponentMark)
        let written = parts[0].filter(ASCII.isDigit)
        guard let start = written.firstIndex(where: { $0 != ASCII.zero }),
            let last = written.lastIndex(where: { $0 != ASCII.zero })
        else {
            (isNegative, digits, exponent) = (false, "", 0)
            return
        }
        let fraction = parts[0].firstIndex(of: ASCII.dot).map { parts[0].endIndex - $0 - 1 } ?? 0
        isNegative = first == ASCII.minus
        digits = String(decoding: written[start...last], as: UTF8.self)
        exponent = (parts.count > 1 ? Self.exponent(parts[1]) : 0) - fraction + (written.count - 1 - last)
    }

    private static func exponent(_ text: Slice<UnsafeRawBufferPointer>) -> Int {
        let limit = text.first == ASCII.minus ? -exponentLimit : exponentLimit
        let value = Int(String(decoding: text, as: UTF8.self)) ?? limit
        return max(-exponentLimit, min(value, exponentLimit))
    }

    var isInteger: Bool { exponent >= 0 }

    /// The number as an error's reason quotes it, cut to 40 bytes: a client's text may be megabytes long.
    var shown: String {
        text.count <= 40 ? string() : "\(String(decoding: text.prefix(40), as: UTF8.self))…"
    }

    /// Returns the number as it was written.
    private func string() -> String { String(decoding: text, as: UTF8.self) }
}

extension NumberText {
    /// Returns the number as an integer; nil if it isn't integral or doesn't fit.
    func integer<I: FixedWidthInteger>(as type: I.Type) -> I? {
        guard !digits.isEmpty else { return 0 }
        // A digit takes more than three bits, so no such integer has more digits.
        let most = I.bitWidth / 3 + 1
        guard exponent >= 0, exponent <= most, digits.utf8.count <= most else { return nil }
        return I("\(sign)\(digits)\(String(repeating: "0", count: exponent))")
    }

    /// Returns the number, correctly rounded; nil if it is too large for a finite one.
    ///
    /// The standard library's conversion rounds once and knows no locale. A `Float` isn't read by way of `Double`, which would
    /// round twice.
    func floatingPoint<F: BinaryFloatingPoint & LosslessStringConvertible>(as type: F.Type) -> F? {
        F(string()).flatMap { $0.isFinite ? $0 : nil }
    }

    /// Returns the exact number, never by way of `Double`; nil if `Decimal` can't hold all digits.
    func decimal() -> Decimal? {
        guard !digits.isEmpty else { return Decimal(0) }
        // Decimal has a significand of 128 bits and an exponent of 8.
        guard digits.utf8.count <= 39, exponent >= -128, exponent <= 127 + 38,
            digits.utf8.count < 39 || digits <= "\(UInt128.max)",
            let value = Decimal(string: "\(sign)\(digits)e\(exponent)"), value.isFinite
        else { return nil }
        return value
    }

    private var sign: String { isNegative ? "-" : "" }

    /// Whether both have the same value.
    func isEqual(to other: NumberText) -> Bool {
        // Near the limit, exponents may have been clamped.
        guard exponent.magnitude < Self.exponentLimit / 2 else { return string() == other.string() }
        return (isNegative, digits, exponent) == (other.isNegative, other.digits, other.exponent)
    }
}

extension JSONValue {
    /// Whether both values are numbers that are equal, however they are written and of any size.
    package func isSameNumber(as other: JSONValue) -> Bool {
        guard let left = NumberText(text), let right = NumberText(other.text) else { return false }
        return left.isEqual(to: right)
    }

    /// Whether this is a number without a fraction, of any size.
    package var isInteger: Bool { NumberText(text)?.isInteger ?? false }
}
