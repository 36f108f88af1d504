extension JSONWriter {
    @inlinable
    package mutating func integer<I: FixedWidthInteger>(_ value: I) {
        beginValue()
        number(value)
    }

    /// An integer as the value of a key that was just written, or behind a comma.
    @inlinable
    mutating func number<I: FixedWidthInteger>(_ value: I) {
        if I.bitWidth <= 64 {
            if value < 0 { append(ASCII.minus) }
            digits(UInt64(truncatingIfNeeded: value.magnitude))
        } else {
            text(String(value))
        }
    }

    /// Writes the shortest text that reads back as the same number, and as a `Double`: `1.0`, not `1`, for readers such
    /// as Python's, which keep integers and floating-point numbers apart. The same text as `description`, `-0.0`
    /// included.
    ///
    /// JSON has no NaN and no infinities (RFC 8259 §6): these throw, and nothing is written.
    package mutating func double(_ value: Double) throws(NonFiniteNumber) {
        guard value.isFinite else { throw NonFiniteNumber() }
        beginValue()
        number(value)
    }

    /// A finite number as the value of a key that was just written, or behind a comma.
    mutating func number(_ value: Double) {
        if !decimal(value) { text(value.description) }
    }

    /// As `double`, with the fewer digits that distinguish one `Float` from the next.
    package mutating func float(_ value: Float) throws(NonFiniteNumber) {
        guard value.isFinite else { throw NonFiniteNumber() }
        beginValue()
        text(value.description)
    }

    /// Amounts and counts, nearly all that is sent: up to 15 digits, four of them behind the point. False when `value`
    /// isn't one.
    ///
    /// Up to 2^53 an integer divided by 10^4 is rounded once, so when that gives `value` back, the decimal reads back
    /// as `value`. No two decimals of 15 digits are the same Double, so there is no shorter text.
    private mutating func decimal(_ value: Double) -> Bool {
        let scaled = value.magnitude * 10_000
        guard scaled < 1e15 else { return false }
        let ticks = UInt64(scaled + 0.5)
        guard Double(ticks) / 10_000 == value.magnitude else { return false }
        if value.sign == .minus { append(ASCII.minus) }
        let (whole, fraction) = ticks.quotientAndRemainder(dividingBy: 10_000)
        digits(whole)
        reserve(DecimalDigits.maximumFraction)
        length &+= DecimalDigits.write(fraction: fraction, to: base + length)
        return true
    }

    @usableFromInline
    mutating func digits(_ value: UInt64) {
        if value < 10 { return append(ASCII.zero &+ UInt8(truncatingIfNeeded: value)) }
        let count = DecimalDigits.count(value)
        reserve(count)
        length &+= count
        DecimalDigits.write(value, before: base + length)
    }

    /// Writes the text unchanged, without quotes or a comma.
    @usableFromInline
    mutating func text(_ text: String) {
        var native = text
        native.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }
}

/// NaN or an infinity, which JSON can't say.
package struct NonFiniteNumber: Error, Hashable, Sendable, CustomStringConvertible {
    package init() {}

    package var description: String { "NaN and infinities can't be written as JSON" }
}
