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

/// Digits of numbers, two at a time, since each division waits for the one before.
enum DecimalDigits {
    @inline(__always)
    static func count(_ value: UInt64) -> Int {
        var count = 1
        var rest = value
        while rest >= 10_000 {
            rest /= 10_000
            count &+= 4
        }
        return count &+ (rest >= 1000 ? 3 : rest >= 100 ? 2 : rest >= 10 ? 1 : 0)
    }

    /// - Parameter end: the place behind the last digit; there must be room for all of them before it.
    @inline(__always)
    static func write(_ value: UInt64, before end: UnsafeMutableRawPointer) {
        var (rest, end) = (value, end)
        while rest >= 100 {
            end -= 2
            store(pair: rest % 100, to: end)
            rest /= 100
        }
        if rest >= 10 {
            store(pair: rest, to: end - 2)
        } else {
            (end - 1).storeBytes(of: ASCII.zero &+ UInt8(truncatingIfNeeded: rest), as: UInt8.self)
        }
    }

    /// The bytes of a point and four digits.
    static let maximumFraction = 5

    /// Writes a point and up to four digits, without zeros at the end but for one where there is no other digit.
    ///
    /// - Parameter fraction: ten-thousandths, below 10,000.
    /// - Parameter target: has room for `maximumFraction` bytes.
    /// - Returns: the number of bytes that count.
    @inline(__always)
    static func write(fraction: UInt64, to target: UnsafeMutableRawPointer) -> Int {
        target.storeBytes(of: ASCII.dot, as: UInt8.self)
        store(pair: fraction / 100, to: target + 1)
        store(pair: fraction % 100, to: target + 3)
        let places = fraction % 100 == 0 ? (fraction % 1000 == 0 ? 1 : 2) : (fraction % 10 == 0 ? 3 : 4)
        return places &+ 1
    }

    /// - Parameter pair: below 100.
    @inline(__always)
    private static func store(pair: UInt64, to target: UnsafeMutableRawPointer) {
        let digits = (pair / 10 | (pair % 10) &<< 8) | 0x3030
        target.storeBytes(of: UInt16(truncatingIfNeeded: digits).littleEndian, as: UInt16.self)
    }
}
