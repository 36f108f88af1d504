import FoundationEssentials

extension NumberText {
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
