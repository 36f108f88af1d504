/// A pattern with `*`, `?`, `[…]` and `**`, as git's wildmatch reads it: bytes, whatever their encoding is.
///
/// It is a machine that is in several states at once, so that the time is bounded by the product of both lengths.
struct Glob: Sendable {
    private enum Step: Sendable {
        case byte(UInt8)
        /// A byte, but no `/`.
        case set(ByteSet)
        /// Any bytes but `/`.
        case star
        /// Any bytes.
        case anything
        /// The two steps after it may be passed over: `**/` is nothing, or anything up to a `/`.
        case option
    }

    private let steps: [Step]

    static func isSpecial(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "[")
            || byte == UInt8(ascii: "\\")
    }

    /// Nil for a pattern that can't match: with a `[` without its `]`, an unknown class, or a backslash at the end.
    init?(_ pattern: ArraySlice<UInt8>) {
        var steps: [Step] = []
        var rest = pattern
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "*"):
                let isAtStart = pattern[..<rest.startIndex].last.map { $0 == UInt8(ascii: "/") } ?? true
                let stars = rest.prefix { $0 == UInt8(ascii: "*") }.count
                rest.removeFirst(stars)
                steps += Self.steps(stars: stars, isAtStart: isAtStart, rest: &rest)
            case UInt8(ascii: "?"):
                steps.append(.set(ByteSet().inverted))
                rest.removeFirst()
            case UInt8(ascii: "["):
                guard let set = ByteSet(readingFrom: &rest) else { return nil }
                steps.append(.set(set))
            case UInt8(ascii: "\\"):
                rest.removeFirst()
                guard let escaped = rest.popFirst() else { return nil }
                steps.append(.byte(escaped))
            default:
                steps.append(.byte(byte))
                rest.removeFirst()
            }
        }
        self.steps = steps
    }

    /// - Parameter rest: what follows the stars; a `/` that belongs to them is taken from it.
    private static func steps(stars: Int, isAtStart: Bool, rest: inout ArraySlice<UInt8>) -> [Step] {
        guard stars > 1, isAtStart else { return [.star] }
        if rest.isEmpty || rest.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "/")]) { return [.anything] }
        guard rest.first == UInt8(ascii: "/") else { return [.star] }
        rest.removeFirst()
        return [.option, .anything, .byte(UInt8(ascii: "/"))]
    }

    /// Whether all of the text matches.
    func matches(_ text: ArraySlice<UInt8>) -> Bool {
        withUnsafeTemporaryAllocation(of: Bool.self, capacity: 2 * (steps.count + 1)) { memory in
            memory.initialize(repeating: false)
            var states = memory[..<(steps.count + 1)]
            var next = memory[(steps.count + 1)...]
            states[states.startIndex] = true
            advanceFreely(&states)
            for byte in text {
                for index in next.indices { next[index] = false }
                guard advance(states, to: &next, over: byte) else { return false }
                advanceFreely(&next)
                swap(&states, &next)
            }
            return states[states.endIndex - 1]
        }
    }

    private typealias States = Slice<UnsafeMutableBufferPointer<Bool>>

    /// Over what needs no byte.
    private func advanceFreely(_ states: inout States) {
        let start = states.startIndex
        for (index, step) in steps.enumerated() where states[start + index] {
            switch step {
            case .byte, .set: break
            case .star, .anything: states[start + index + 1] = true
            case .option:
                states[start + index + 1] = true
                states[start + index + 3] = true
            }
        }
    }

    /// False where there is no way on.
    private func advance(_ states: States, to next: inout States, over byte: UInt8) -> Bool {
        var goesOn = false
        for (index, step) in steps.enumerated() where states[states.startIndex + index] {
            let here = next.startIndex + index
            switch step {
            case .byte(let wanted) where wanted == byte: next[here + 1] = true
            case .set(let set) where set.contains(byte) && byte != UInt8(ascii: "/"): next[here + 1] = true
            case .star where byte != UInt8(ascii: "/"): next[here] = true
            case .anything: next[here] = true
            default: continue
            }
            goesOn = true
        }
        return goesOn
    }
}

/// A set of bytes, as `[…]` writes it.
struct ByteSet: Sendable {
    private var words = SIMD4<UInt64>()

    init() {}

    func contains(_ byte: UInt8) -> Bool { words[Int(byte >> 6)] & 1 << UInt64(byte & 63) != 0 }

    mutating func insert(_ byte: UInt8) { words[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }

    /// All other bytes.
    var inverted: ByteSet {
        var set = self
        set.words = ~words
        return set
    }

    /// Takes a set from the beginning of a pattern; nil where it has no end, or a class that there isn't.
    init?(readingFrom pattern: inout ArraySlice<UInt8>) {
        pattern.removeFirst()
        let isInverted = pattern.first == UInt8(ascii: "!") || pattern.first == UInt8(ascii: "^")
        if isInverted { pattern.removeFirst() }
        // With which a range may begin.
        var previous: UInt8?
        repeat {
            guard let byte = pattern.popFirst() else { return nil }
            if byte == UInt8(ascii: "-"), let first = previous, let next = pattern.first, next != UInt8(ascii: "]") {
                guard let last = Self.member(of: &pattern) else { return nil }
                if first <= last { for member in first...last { insert(member) } }
                previous = nil
            } else if byte == UInt8(ascii: "["), pattern.first == UInt8(ascii: ":") {
                guard let end = pattern.firstIndex(of: UInt8(ascii: "]")) else { return nil }
                let name = pattern[pattern.startIndex..<end].dropFirst()
                if name.last == UInt8(ascii: ":") {
                    guard insert(class: String(decoding: name.dropLast(), as: UTF8.self)) else { return nil }
                    pattern = pattern[(end + 1)...]
                    previous = nil
                } else {
                    insert(byte)
                    previous = byte
                }
            } else {
                var member = byte
                if byte == UInt8(ascii: "\\") {
                    guard let escaped = pattern.popFirst() else { return nil }
                    member = escaped
                }
                insert(member)
                previous = member
            }
            // A `]` at the beginning is a member.
        } while pattern.first != UInt8(ascii: "]")
        pattern.removeFirst()
        if isInverted { self = inverted }
    }

    /// A byte, perhaps behind a backslash.
    private static func member(of pattern: inout ArraySlice<UInt8>) -> UInt8? {
        let byte = pattern.popFirst()
        return byte == UInt8(ascii: "\\") ? pattern.popFirst() : byte
    }

    /// Takes the ASCII characters of a class. Returns false for an unknown name.
    private mutating func insert(class name: String) -> Bool {
        let digits: ClosedRange<UInt8> = 0x30...0x39
        let upper: ClosedRange<UInt8> = 0x41...0x5A
        let lower: ClosedRange<UInt8> = 0x61...0x7A
        let isMember: (UInt8) -> Bool
        switch name {
        case "alnum": isMember = { digits ~= $0 || upper ~= $0 || lower ~= $0 }
        case "alpha": isMember = { upper ~= $0 || lower ~= $0 }
        case "blank": isMember = { $0 == 0x20 || $0 == 0x09 }
        case "cntrl": isMember = { $0 < 0x20 || $0 == 0x7F }
        case "digit": isMember = { digits ~= $0 }
        case "graph": isMember = { $0 > 0x20 && $0 < 0x7F }
        case "lower": isMember = { lower ~= $0 }
        case "print": isMember = { $0 >= 0x20 && $0 < 0x7F }
        case "punct":
            isMember = { $0 > 0x20 && $0 < 0x7F && !(digits ~= $0 || upper ~= $0 || lower ~= $0) }
        // Git has no form feed and no vertical tab in it.
        case "space": isMember = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        case "upper": isMember = { upper ~= $0 }
        case "xdigit": isMember = { digits ~= $0 || 0x41...0x46 ~= $0 || 0x61...0x66 ~= $0 }
        default: return false
        }
        for byte in 0...UInt8.max where isMember(byte) { insert(byte) }
        return true
    }
}
