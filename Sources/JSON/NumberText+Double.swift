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
