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

    /// The shortest text that reads back as the same number, and as a `Double`: `1.0`, not `1`, so that readers that
    /// tell integers from others (Python's) see what was meant. The same text as `description`, `-0.0` included.
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

    /// As `double`, with the fewer digits that tell one `Float` from the next.
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
        // A point and four digits, of which those count that aren't zeros at the end.
        reserve(5)
        let target = base + length
        target.storeBytes(of: ASCII.dot, as: UInt8.self)
        Self.store(pair: fraction / 100, to: target + 1)
        Self.store(pair: fraction % 100, to: target + 3)
        let places = fraction % 100 == 0 ? (fraction % 1000 == 0 ? 1 : 2) : (fraction % 10 == 0 ? 3 : 4)
        length &+= places &+ 1
        return true
    }

    /// Two digits at a time, since each division waits for the one before.
    @usableFromInline
    mutating func digits(_ value: UInt64) {
        if value < 10 { return append(ASCII.zero &+ UInt8(truncatingIfNeeded: value)) }
        let count = Self.digitCount(value)
        reserve(count)
        var rest = value
        var end = base + (length &+ count)
        while rest >= 100 {
            end -= 2
            Self.store(pair: rest % 100, to: end)
            rest /= 100
        }
        if rest >= 10 {
            Self.store(pair: rest, to: end - 2)
        } else {
            (end - 1).storeBytes(of: ASCII.zero &+ UInt8(truncatingIfNeeded: rest), as: UInt8.self)
        }
        length &+= count
    }

    @inline(__always)
    private static func digitCount(_ value: UInt64) -> Int {
        var count = 1
        var rest = value
        while rest >= 10_000 {
            rest /= 10_000
            count &+= 4
        }
        return count &+ (rest >= 1000 ? 3 : rest >= 100 ? 2 : rest >= 10 ? 1 : 0)
    }

    /// - Parameter pair: below 100.
    @inline(__always)
    private static func store(pair: UInt64, to target: UnsafeMutableRawPointer) {
        let digits = (pair / 10 | (pair % 10) &<< 8) | 0x3030
        target.storeBytes(of: UInt16(truncatingIfNeeded: digits).littleEndian, as: UInt16.self)
    }

    /// As it stands.
    @usableFromInline
    mutating func text(_ text: String) {
        var native = text
        native.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }
}
