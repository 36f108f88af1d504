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
