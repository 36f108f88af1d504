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
