import FoundationEssentials

extension NumberText {
    func integer<I: FixedWidthInteger>(as type: I.Type) -> I? {
        let (digits, exponent) = significance
        guard digits > 0 else { return 0 }
        // A digit takes more than three bits, so more of them fit no such integer and needn't be looked at.
        guard exponent >= 0, digits <= I.bitWidth / 3 + 1, exponent <= I.bitWidth / 3 + 1 else { return nil }
        // Built downwards for a negative number, as there is one more of them.
        var value: I = 0
        var overflows = false
        func append(_ digit: UInt8) {
            let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
            let step = I(truncatingIfNeeded: digit)
            let next = isNegative ? tenfold.subtractingReportingOverflow(step) : tenfold.addingReportingOverflow(step)
            overflows = overflows || overflow || next.overflow
            value = next.partialValue
        }
        forEachSignificantDigit(append)
        for _ in 0..<exponent { append(0) }
        return overflows ? nil : value
    }
}

extension NumberText {
    /// Correctly rounded; nil when too large for a finite one.
    ///
    /// The standard library's conversion rounds once and knows no locale. A `Float` isn't read by way of `Double`,
    /// which would round twice.
    func floatingPoint<F: BinaryFloatingPoint & LosslessStringConvertible>(as type: F.Type) -> F? {
        F(string()).flatMap { $0.isFinite ? $0 : nil }
    }

    /// Exact, never by way of `Double`; nil when `Decimal` can't hold all digits.
    func decimal() -> Decimal? {
        let (digits, exponent) = significance
        guard digits > 0 else { return Decimal(0) }
        // Decimal has a significand of 128 bits and an exponent of 8.
        guard digits <= 39, exponent >= -128, exponent <= 127 + 38 else { return nil }
        var significand = ""
        forEachSignificantDigit { significand.append(Character(Unicode.Scalar(ASCII.zero + $0))) }
        guard significand <= Self.largestSignificand || digits < 39,
            let value = Decimal(string: "\(isNegative ? "-" : "")\(significand)e\(exponent)"), value.isFinite
        else { return nil }
        return value
    }

    /// 2^128 - 1; texts of equal length compare as their numbers do.
    private static let largestSignificand = "340282366920938463463374607431768211455"
}

extension NumberText {
    /// Whether both have the same value, however they are written and however many digits they have: `1`, `1.0`, `10e-1`.
    func isEqual(to other: NumberText) -> Bool {
        let (left, right) = (significance, other.significance)
        // Zeros of either sign and of any exponent are equal.
        guard left.digits > 0, right.digits > 0 else { return left.digits == right.digits }
        // Near the bound, exponents are clamped.
        guard left.exponent.magnitude < 1 << 57 else { return string() == other.string() }
        guard left == right, isNegative == other.isNegative else { return false }
        return significantText == other.significantText
    }

    private var significantText: [UInt8] {
        var digits: [UInt8] = []
        forEachSignificantDigit { digits.append($0) }
        return digits
    }
}

extension JSONValue {
    /// Whether both are numbers of the same value, however they are written and of any size.
    package func isSameNumber(as other: JSONValue) -> Bool {
        guard let left = NumberText(text), let right = NumberText(other.text) else { return false }
        return left.isEqual(to: right)
    }

    /// Whether it is a number without a fraction, of any size.
    package var isInteger: Bool {
        NumberText(text).map { $0.significance.digits == 0 || $0.significance.exponent >= 0 } ?? false
    }
}
