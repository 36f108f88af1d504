import FoundationEssentials

extension NumberText {
    func integer<I: FixedWidthInteger>(as type: I.Type) -> I? {
        let (digits, exponent) = significance
        guard digits > 0 else { return 0 }
        // A digit takes more than three bits, so more of them fit no such integer and needn't be looked at.
        guard exponent >= 0, digits <= I.bitWidth / 3 + 1, exponent <= I.bitWidth / 3 + 1 else { return nil }
        return digits + exponent <= 18 && I.bitWidth <= 64
            ? short(exponent: exponent) : long(exponent: exponent)
    }

    /// 18 digits fit an `Int64`, so nothing needs a check on the way.
    private func short<I: FixedWidthInteger>(exponent: Int) -> I? {
        var value: Int64 = 0
        forEachSignificantDigit { value = value &* 10 &+ Int64($0) }
        for _ in 0..<exponent { value = value &* 10 }
        return I(exactly: isNegative ? 0 &- value : value)
    }

    /// Built downwards for a negative number, as there is one more of them.
    private func long<I: FixedWidthInteger>(exponent: Int) -> I? {
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
    func double() -> Double? {
        let (digits, exponent) = significance
        guard digits > 0 else { return isNegative ? -0.0 : 0.0 }
        // W. D. Clinger, "How to Read Floating Point Numbers Accurately" (1990): up to 15 digits and powers of ten up
        // to 22 are exact in a Double, so one operation on them is rounded once.
        if digits <= 15, exponent.magnitude <= 22 {
            var significand: Int64 = 0
            forEachSignificantDigit { significand = significand &* 10 &+ Int64($0) }
            let power = Self.powerOfTen(Int(exponent.magnitude))
            let magnitude = exponent < 0 ? Double(significand) / power : Double(significand) * power
            return isNegative ? -magnitude : magnitude
        }
        return rounded(to: Double.self)
    }

    /// Not by way of `Double`, which would round twice.
    func float() -> Float? {
        rounded(to: Float.self)
    }

    /// The standard library's conversion is correctly rounded and knows no locale.
    private func rounded<F: BinaryFloatingPoint & LosslessStringConvertible>(to type: F.Type) -> F? {
        guard let value = F(string()), value.isFinite else { return nil }
        return value
    }

    /// Up to 10^22, which is exact.
    static func powerOfTen(_ exponent: Int) -> Double { powersOfTen[exponent] }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}

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
