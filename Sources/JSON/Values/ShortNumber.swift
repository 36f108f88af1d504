/// A validated number with up to 18 digits and no exponent, as nearly all are, read in one pass. `NumberText` reads every
/// number, but takes several passes.
struct ShortNumber {
    /// All digits as one integer.
    let digits: Int64
    /// The number of digits behind the point.
    let fraction: Int
    let isNegative: Bool
    private let count: Int

    /// Reads a number; nil if the text is a longer number, one with an exponent, or none.
    @inline(__always)
    init?(_ text: UnsafeRawBufferPointer) {
        guard let base = text.baseAddress, text.count > 0, text.count <= 20 else { return nil }
        isNegative = base.load(as: UInt8.self) == ASCII.minus
        var digits: Int64 = 0
        var offset = isNegative ? 1 : 0
        var (count, point) = (0, text.count &- 1)
        while offset < text.count {
            let byte = base.load(fromByteOffset: offset, as: UInt8.self)
            if ASCII.isDigit(byte) {
                digits = digits &* 10 &+ Int64(byte &- ASCII.zero)
                count &+= 1
            } else if byte == ASCII.dot {
                point = offset
            } else {
                return nil
            }
            offset &+= 1
        }
        guard count <= 18 else { return nil }
        self.digits = digits
        self.count = count
        fraction = text.count &- 1 &- point
    }

    /// Returns the number as an integer; nil if there are digits behind the point, even zeros, or the number doesn't fit.
    @inline(__always)
    func integer<I: FixedWidthInteger>(as type: I.Type) -> I? {
        fraction == 0 ? I(exactly: isNegative ? 0 &- digits : digits) : nil
    }

    /// The number as a Double; nil if it has more than 15 digits, which a Double may not hold exactly.
    ///
    /// W. D. Clinger, "How to Read Floating Point Numbers Accurately" (1990): up to 15 digits and powers of ten up to 22 are
    /// exact in a Double, so one operation on them is rounded once.
    @inline(__always)
    var double: Double? {
        guard count <= 15 else { return nil }
        let magnitude = fraction == 0 ? Double(digits) : Double(digits) / Self.powersOfTen[fraction]
        return isNegative ? -magnitude : magnitude
    }

    /// Powers of ten, indexed by the exponent.
    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]
}
