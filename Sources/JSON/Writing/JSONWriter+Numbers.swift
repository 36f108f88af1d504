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

    /// A finite number as the value of a key that was just written, or behind a comma: JSON has no NaN and no
    /// infinities (RFC 8259 §6).
    ///
    /// The shortest text that reads back as the same number, and as a `Double`: `1.0`, not `1`, for readers such as
    /// Python's, which keep integers and floating-point numbers apart. The same text as `description`, `-0.0` included.
    mutating func number(_ value: Double) {
        if !decimal(value) { text(value.description) }
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
        // Up to eight digits in one word, the last one first, so that in the end the first one is the lowest byte.
        var (word, count, rest) = (0 as UInt64, 0, value)
        repeat {
            word = word &<< 8 | UInt64(ASCII.zero) &+ rest % 10
            rest /= 10
            count &+= 1
        } while rest > 0
        reserve(8)
        (base + length).storeBytes(of: word.littleEndian, as: UInt64.self)
        length &+= count
    }

    /// Writes the text unchanged, without quotes or a comma.
    @usableFromInline
    mutating func text(_ text: String) {
        var native = text
        native.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }
}
