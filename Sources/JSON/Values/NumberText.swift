/// A number's text that was validated before, taken apart: `± integer fraction × 10^exponent`.
struct NumberText {
    private let text: UnsafeRawBufferPointer
    let isNegative: Bool
    /// Where the digits before and behind the point are in `text`; the latter empty without a point.
    private let integer: Range<Int>
    private let fraction: Range<Int>
    /// As written, held within ± `exponentLimit`.
    private let exponent: Int

    /// Beyond the length of any text, so clamping to it changes no answer, and far from overflowing.
    private static let exponentLimit = 1 << 58

    init?(_ text: UnsafeRawBufferPointer) {
        guard let first = text.first, first == ASCII.minus || ASCII.isDigit(first) else { return nil }
        self.text = text
        isNegative = first == ASCII.minus
        let start = isNegative ? 1 : 0
        var end = Self.endOfDigits(text, from: start)
        integer = start..<end
        if end < text.count, text[end] == ASCII.dot {
            let fractionStart = end + 1
            end = Self.endOfDigits(text, from: fractionStart)
            fraction = fractionStart..<end
        } else {
            fraction = end..<end
        }
        exponent = end < text.count ? Self.exponent(text, from: end + 1) : 0
    }

    /// As it was written.
    func string() -> String { String(decoding: text, as: UTF8.self) }

    /// From the first to the last, without zeros before or behind them.
    func forEachSignificantDigit(_ body: (UInt8) -> Void) {
        let (first, last, _) = significantDigits
        guard first <= last else { return }
        for position in first...last { body(digit(position)) }
    }

    /// How many digits are left without zeros before and behind them, and the power of ten of the last one.
    var significance: (digits: Int, exponent: Int) {
        let (first, last, exponent) = significantDigits
        return (max(0, last - first + 1), exponent)
    }

    private var significantDigits: (first: Int, last: Int, exponent: Int) {
        let count = integer.count + fraction.count
        var first = 0
        while first < count, digit(first) == 0 { first += 1 }
        var last = count - 1
        while last >= first, digit(last) == 0 { last -= 1 }
        return (first, last, exponent - fraction.count + (count - 1 - last))
    }

    /// Of both runs of digits, counted as if the point weren't there.
    private func digit(_ position: Int) -> UInt8 {
        let offset =
            position < integer.count
            ? integer.lowerBound + position : fraction.lowerBound + (position - integer.count)
        return text[offset] &- ASCII.zero
    }

    private static func endOfDigits(_ text: UnsafeRawBufferPointer, from start: Int) -> Int {
        var end = start
        while end < text.count, ASCII.isDigit(text[end]) { end &+= 1 }
        return end
    }

    private static func exponent(_ text: UnsafeRawBufferPointer, from start: Int) -> Int {
        var offset = start
        let isNegative = offset < text.count && text[offset] == ASCII.minus
        if isNegative || (offset < text.count && text[offset] == ASCII.plus) { offset += 1 }
        var value = 0
        while offset < text.count {
            value = min(value &* 10 &+ Int(text[offset] &- ASCII.zero), exponentLimit)
            offset &+= 1
        }
        return isNegative ? -value : value
    }
}
