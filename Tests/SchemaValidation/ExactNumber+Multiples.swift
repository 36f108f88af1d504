extension ExactNumber {
    /// Whether it is positive and has few enough digits for `isMultiple(of:)`.
    var isDivisor: Bool { !isNegative && !digits.isEmpty && digits.count <= 18 }

    /// Exact, however large or small both are.
    ///
    /// - Parameter divisor: one that `isDivisor`.
    func isMultiple(of divisor: ExactNumber) -> Bool {
        guard !digits.isEmpty else { return true }
        // This one's digits don't end with a zero, so no multiple of ten divides them.
        guard exponent >= divisor.exponent else { return false }
        let modulus = divisor.digits.reduce(UInt64(0)) { $0 * 10 + UInt64($1) }
        let remainder = digits.reduce(UInt64(0)) { ($0 * 10 + UInt64($1)) % modulus }
        let zeros = Self.power(of: 10, exponent - divisor.exponent, modulo: modulus)
        return Self.product(remainder, zeros, modulo: modulus) == 0
    }

    private static func power(of base: UInt64, _ exponent: Int, modulo modulus: UInt64) -> UInt64 {
        var (result, square, rest) = (1 % modulus, base % modulus, exponent)
        while rest > 0 {
            if rest & 1 == 1 { result = product(result, square, modulo: modulus) }
            square = product(square, square, modulo: modulus)
            rest >>= 1
        }
        return result
    }

    private static func product(_ left: UInt64, _ right: UInt64, modulo modulus: UInt64) -> UInt64 {
        // Both are smaller than the modulus, so the quotient fits.
        modulus.dividingFullWidth(left.multipliedFullWidth(by: right)).remainder
    }
}
