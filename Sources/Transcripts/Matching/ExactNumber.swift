import JSON

/// A number by its value, however it is written and however many digits it has: `1`, `1.0` and `10e-1` are equal.
struct ExactNumber: Equatable {
    /// Nil for zero, whose sign means nothing.
    private let isNegative: Bool?
    /// Without zeros before and behind.
    private let digits: [UInt8]
    /// The power of ten of the last digit.
    private let exponent: Int

    /// Nil when it isn't a number, or one whose exponent nobody means: those equal only what is written the same.
    init?(_ value: JSONValue) {
        guard value.kind == .number else { return nil }
        let text = value.text
        let mark = text.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? text.endIndex
        let written = mark == text.endIndex ? 0 : Int(String(decoding: text[(mark + 1)...], as: UTF8.self))
        guard let written, written.magnitude < 1 << 32 else { return nil }

        let significand = text[..<mark]
        let point = significand.firstIndex(of: UInt8(ascii: "."))
        let all = significand.filter { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        let zero = UInt8(ascii: "0")
        guard let first = all.firstIndex(where: { $0 != zero }), let last = all.lastIndex(where: { $0 != zero }) else {
            (isNegative, digits, exponent) = (nil, [], 0)
            return
        }
        isNegative = text.first == UInt8(ascii: "-")
        digits = Array(all[first...last])
        exponent = written - (point.map { mark - $0 - 1 } ?? 0) + (all.count - 1 - last)
    }

    var isInteger: Bool { exponent >= 0 }
}

extension JSONValue {
    /// Whether both are numbers of the same value.
    func isSameNumber(as other: JSONValue) -> Bool {
        guard kind == .number, other.kind == .number else { return false }
        if text.elementsEqual(other.text) { return true }
        if let left = integer(as: Int64.self), let right = other.integer(as: Int64.self) { return left == right }
        guard let left = ExactNumber(self), let right = ExactNumber(other) else { return false }
        return left == right
    }

    /// Whether it is a number without a fraction, of any size.
    var isInteger: Bool { ExactNumber(self)?.isInteger ?? false }
}
