/// A key of a terminal, or text that was typed or pasted in one go.
package enum Key: Equatable, Sendable {
    case text(String)
    case enter, tab, shiftTab, backspace, delete
    case left, right, up, down, home, end, pageUp, pageDown, wordLeft, wordRight
    case escape
    /// Ctrl with a lower-case letter.
    case control(Character)
    case alt(Character)
    /// Any other key, which has no effect.
    case other
}

/// Decodes the bytes of a terminal into keys, in whatever pieces they come.
///
/// The decoder has no clock: after an escape byte it waits for the next byte, and `Esc b` becomes Alt-b, as on terminals
/// without an Alt key. An owner with a clock calls `takeEscape()` when no byte follows.
package struct KeyDecoder {
    private static let escape: UInt8 = 0x1B
    /// The length of the longest sequence that terminals send. A longer one is taken as an unknown key.
    private static let longestSequence = 32

    /// The first bytes of a key that isn't complete yet.
    private var pending: [UInt8] = []

    private enum Step {
        case incomplete
        case key(Key)
        /// The first bytes, this many, belong to no key. The bytes after them are decoded again.
        case dropped(Int)
    }

    package init() {}

    package mutating func keys(from bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes {
            pending.append(byte)
            decode(into: &keys)
        }
        return keys
    }

    /// Whether the last byte was an escape byte that may be the Escape key, or the beginning of another one.
    package var isAtEscape: Bool { pending == [Self.escape] }

    /// Takes the last byte as the Escape key. Returns false if it wasn't an escape byte.
    package mutating func takeEscape() -> Bool {
        guard isAtEscape else { return false }
        pending = []
        return true
    }

    private mutating func decode(into keys: inout [Key]) {
        while !pending.isEmpty {
            switch step() {
            case .incomplete: return
            case .key(let key):
                pending.removeAll(keepingCapacity: true)
                Self.append(key, to: &keys)
            case .dropped(let count): pending.removeFirst(count)
            }
        }
    }

    /// Appends a key, and joins adjacent texts: an accent may be a scalar of its own, and a pasted text is long.
    private static func append(_ key: Key, to keys: inout [Key]) {
        if case .text(let new) = key, case .text(let text)? = keys.last {
            keys[keys.count - 1] = .text(text + new)
        } else {
            keys.append(key)
        }
    }

    private func step() -> Step {
        let first = pending[0]
        switch first {
        case Self.escape: return sequence()
        case 0x0A, 0x0D: return .key(.enter)
        case 0x09: return .key(.tab)
        case 0x08, 0x7F: return .key(.backspace)
        case 0x01...0x1A: return .key(.control(Character(UnicodeScalar(first + 0x60))))
        case 0x00..<0x20: return .key(.other)
        case 0x20..<0x80: return .key(.text(String(UnicodeScalar(first))))
        default: return character()
        }
    }

    /// Decodes a character of several bytes in UTF-8.
    private func character() -> Step {
        let length =
            switch pending[0] {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 0
            }
        guard length > 0 else { return .key(.text("\u{FFFD}")) }
        if let wrong = pending.dropFirst().firstIndex(where: { $0 & 0xC0 != 0x80 }) { return .dropped(wrong) }
        guard pending.count == length else { return .incomplete }
        return .key(.text(String(decoding: pending, as: UTF8.self)))
    }

    private func sequence() -> Step {
        guard pending.count > 1 else { return .incomplete }
        switch pending[1] {
        case UInt8(ascii: "["): return controlSequence()
        case UInt8(ascii: "O"):
            guard pending.count > 2 else { return .incomplete }
            return .key(Self.key(final: pending[2], parameters: []))
        case 0x7F, 0x08: return .key(.alt("\u{7F}"))
        case 0x20..<0x7F: return .key(.alt(Character(UnicodeScalar(pending[1]))))
        default: return .dropped(1)
        }
    }

    /// Decodes a control sequence: `ESC [ parameters final` (ECMA-48).
    private func controlSequence() -> Step {
        guard pending.count > 2, let last = pending.last else { return .incomplete }
        // A function key of the Linux console, such as ESC [ [ A.
        if pending[2] == UInt8(ascii: "[") { return pending.count > 3 ? .key(.other) : .incomplete }
        switch last {
        case 0x40...0x7E: return .key(Self.key(final: last, parameters: Self.numbers(pending[2..<pending.count - 1])))
        case 0x20..<0x40: return pending.count < Self.longestSequence ? .incomplete : .key(.other)
        default: return .dropped(pending.count - 1)
        }
    }

    private static func numbers(_ bytes: ArraySlice<UInt8>) -> [Int] {
        bytes.split(separator: UInt8(ascii: ";")).map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
    }

    private static func key(final: UInt8, parameters: [Int]) -> Key {
        // The second parameter is 1 plus the sum of Shift (1), Alt (2) and Ctrl (4).
        let isByWord = parameters.count > 1 && (parameters[1] - 1) & 6 != 0
        switch UnicodeScalar(final) {
        case "A": return .up
        case "B": return .down
        case "C": return isByWord ? .wordRight : .right
        case "D": return isByWord ? .wordLeft : .left
        case "H": return .home
        case "F": return .end
        case "M": return .enter
        case "Z": return .shiftTab
        case "~":
            switch parameters.first {
            case 1, 7: return .home
            case 4, 8: return .end
            case 3: return .delete
            case 5: return .pageUp
            case 6: return .pageDown
            default: return .other
            }
        default: return .other
        }
    }
}
