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
