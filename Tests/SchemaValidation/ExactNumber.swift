import JSON

/// A number that equals another one of the same value, in all digits: `1`, `1.0` and `10e-1` are equal, and
/// `9007199254740993` isn't `9007199254740992`.
package struct ExactNumber: Hashable, Sendable {
    /// False for zero.
    private let isNegative: Bool
    /// The most significant first, without zeros at either end; none for zero.
    private let digits: [UInt8]
    /// The power of ten of the last digit; 0 for zero.
    private let exponent: Int

    /// Larger exponents are clamped to this, so that nothing overflows.
    private static let exponentLimit = 1 << 40

    /// - Parameter value: a number.
    init(_ value: JSONValue) {
        let text = value.text
        let mark = text.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? text.endIndex
        let significand = text[..<mark]
        let all = significand.compactMap { byte -> UInt8? in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? byte - UInt8(ascii: "0") : nil
        }
        guard let first = all.firstIndex(where: { $0 != 0 }), let last = all.lastIndex(where: { $0 != 0 }) else {
            (isNegative, digits, exponent) = (false, [], 0)
            return
        }
        isNegative = text.first == UInt8(ascii: "-")
        digits = Array(all[first...last])
        let point = significand.firstIndex(of: UInt8(ascii: "."))
        let fraction = point.map { mark - $0 - 1 } ?? 0
        exponent = Self.exponent(in: text[mark...]) - fraction + (all.count - 1 - last)
    }

    var isInteger: Bool { exponent >= 0 }

    /// As an `Int`; nil for negative and fractional numbers, and for those of more than 18 digits.
    var count: Int? {
        guard isInteger, !isNegative, digits.count + exponent <= 18 else { return nil }
        let value = digits.reduce(0) { $0 * 10 + Int($1) }
        return (0..<exponent).reduce(value) { value, _ in value * 10 }
    }

    /// As JSON.
    var text: String {
        guard !digits.isEmpty else { return "0" }
        let significand = (isNegative ? "-" : "") + digits.map { "\($0)" }.joined()
        switch exponent {
        case 0: return significand
        case 1...20: return significand + String(repeating: "0", count: exponent)
        default: return "\(significand)e\(exponent)"
        }
    }

    private static func exponent(in text: Slice<UnsafeRawBufferPointer>) -> Int {
        let written = String(decoding: text.dropFirst(), as: UTF8.self)
        guard !written.isEmpty else { return 0 }
        let limit = written.hasPrefix("-") ? -exponentLimit : exponentLimit
        return Int(written).map { max(-exponentLimit, min($0, exponentLimit)) } ?? limit
    }
}

extension ExactNumber: Comparable {
    package static func < (left: ExactNumber, right: ExactNumber) -> Bool {
        guard left.sign == right.sign else { return left.sign < right.sign }
        return left.isNegative ? right.isSmaller(than: left) : left.isSmaller(than: right)
    }

    private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

    /// Of two numbers with the same sign, whether this one is nearer to zero.
    private func isSmaller(than other: ExactNumber) -> Bool {
        let (place, otherPlace) = (digits.count + exponent, other.digits.count + other.exponent)
        guard place == otherPlace else { return place < otherPlace }
        return digits.lexicographicallyPrecedes(other.digits)
    }
}
