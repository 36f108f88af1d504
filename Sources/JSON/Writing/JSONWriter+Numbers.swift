extension JSONWriter {
    @inlinable
    package mutating func integer<I: FixedWidthInteger>(_ value: I) {
        beginValue()
        number(value)
    }

    /// Writes an integer as the value of a key that was just written, or behind a comma.
    @inlinable
    mutating func number<I: FixedWidthInteger>(_ value: I) {
        if I.bitWidth <= 64 {
            if value < 0 { append(ASCII.minus) }
            digits(UInt64(truncatingIfNeeded: value.magnitude))
        } else {
            text(String(value))
        }
    }

    /// Writes a number as the value of a key that was just written, or behind a comma. It must be finite: JSON has no NaN and
    /// no infinities (RFC 8259 §6).
    ///
    /// The text is the shortest that reads back as the same number, and as a `Double`: `1.0`, not `1`, for readers such as
    /// Python's, which keep integers and floating-point numbers apart. It is the same as `description`, `-0.0` included.
    mutating func number(_ value: Double) {
        if !decimal(value) { text(value.description) }
    }

    /// Writes a number with up to 15 digits, four of them behind the point, as nearly all amounts and counts are. Returns
    /// false, with nothing written, for any other.
    ///
    /// Up to 2^53 an integer divided by 10^4 is rounded once, so when that gives `value` back, the decimal reads back as
    /// `value`. No two decimals of 15 digits are the same Double, so there is no shorter text.
    private mutating func decimal(_ value: Double) -> Bool {
        let scaled = value.magnitude * 10_000
        guard scaled < 1e15 else { return false }
        let ticks = UInt64(scaled + 0.5)
        guard Double(ticks) / 10_000 == value.magnitude else { return false }
        if value.sign == .minus { append(ASCII.minus) }
        digits(ticks / 10_000)
        append(ASCII.dot)
        var fraction = ticks % 10_000
        repeat {
            fraction *= 10
            append(ASCII.zero &+ UInt8(truncatingIfNeeded: fraction / 10_000))
            fraction %= 10_000
        } while fraction > 0
        return true
    }

    @usableFromInline
    mutating func digits(_ value: UInt64) {
        if value < 10 { return append(ASCII.zero &+ UInt8(truncatingIfNeeded: value)) }
        guard value < 100_000_000 else { return text(String(value)) }
        // Puts eight digits into one word, the first in the lowest byte. The number is split into halves, quarters and eighths
        // that lie side by side, so that one multiplication and one shift divide all of them. 10486 / 2^20 is near enough to 1
        // / 100 below 10,000, and 103 / 2^10 to 1 / 10 below 100.
        let halves = value / 10_000 | (value % 10_000) &<< 32
        let hundreds = (halves &* 10_486) &>> 20 & 0x7F_0000_007F
        let quarters = hundreds | (halves &- hundreds &* 100) &<< 16
        let tens = (quarters &* 103) &>> 10 & 0x000F_000F_000F_000F
        let digits = tens | (quarters &- tens &* 10) &<< 8
        let zeros = digits.trailingZeroBitCount / 8
        let word = (digits | ByteScan.ones &* UInt64(ASCII.zero)) &>> UInt64(truncatingIfNeeded: zeros &* 8)
        reserve(8)
        (base + length).storeBytes(of: word.littleEndian, as: UInt64.self)
        length &+= 8 &- zeros
    }

    /// Writes the text unchanged, without quotes or a comma.
    @usableFromInline
    mutating func text(_ text: String) {
        var native = text
        native.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }
}
