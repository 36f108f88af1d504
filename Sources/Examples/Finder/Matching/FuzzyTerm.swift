/// A word of a pattern.
struct FuzzyTerm: Sendable, Equatable {
    enum Kind: Sendable {
        /// Its characters in this order, perhaps with others between them.
        case fuzzy
        /// Side by side.
        case exact
        /// Side by side, and with no letter or digit beside them.
        case word
        /// At the beginning.
        case prefix
        /// At the end.
        case suffix
        /// The whole path.
        case whole
    }

    let kind: Kind
    /// Whether it matches what it otherwise wouldn't.
    let isInverse: Bool
    let isCaseSensitive: Bool
    /// Scalars; in lower case, where case doesn't matter. Not empty.
    let characters: [UInt32]
    /// What a path must have to match, as far as `CharacterSet64` tells.
    let needs: CharacterSet64

    /// Nil for one without characters to look for.
    init?(_ word: String) {
        var scalars = word.unicodeScalars.map(\.value)[...]
        let folded = scalars.map { FuzzyCharacter.folded($0) }
        isCaseSensitive = folded[...] != scalars
        if !isCaseSensitive { scalars = folded[...] }

        isInverse = scalars.first == UInt32(ascii: "!")
        if isInverse { scalars.removeFirst() }
        let endsPath = scalars.count > 1 && scalars.last == UInt32(ascii: "$")
        if endsPath { scalars.removeLast() }
        let quote = UInt32(ascii: "'")
        switch scalars.first {
        case quote where scalars.count > 2 && scalars.last == quote:
            kind = .word
            scalars = scalars.dropFirst().dropLast()
        case quote:
            kind = isInverse ? .fuzzy : .exact
            scalars.removeFirst()
        case UInt32(ascii: "^"):
            kind = endsPath ? .whole : .prefix
            scalars.removeFirst()
        default:
            kind = endsPath ? .suffix : isInverse ? .exact : .fuzzy
        }
        guard !scalars.isEmpty else { return nil }
        characters = Array(scalars)
        needs = CharacterSet64(of: characters)
    }

    /// Whether every path that matches this term is known to match `earlier`, too: both are plain terms, and this one begins
    /// with `earlier`.
    func goesOn(from earlier: FuzzyTerm) -> Bool {
        guard kind == .fuzzy, earlier.kind == .fuzzy, !isInverse, !earlier.isInverse else { return false }
        return (isCaseSensitive || !earlier.isCaseSensitive) && characters.starts(with: earlier.characters)
    }
}

/// A set of bytes that may say too much: those that are no letter or digit of ASCII share bits. Case makes no difference.
struct CharacterSet64: Sendable, Hashable {
    private(set) var bits: UInt64 = 0

    init() {}

    /// The set of a term's characters. Those beyond ASCII are left out.
    init(of characters: [UInt32]) {
        for character in characters where character < 0x80 { insert(UInt8(truncatingIfNeeded: character)) }
    }

    init(of bytes: some Sequence<UInt8>) {
        for byte in bytes { insert(byte) }
    }

    mutating func insert(_ byte: UInt8) {
        switch byte {
        case 0x61...0x7A: bits |= 1 << UInt64(byte - 0x61)
        case 0x41...0x5A: bits |= 1 << UInt64(byte - 0x41)
        case 0x30...0x39: bits |= 1 << UInt64(byte - 0x30 + 26)
        default: bits |= 1 << UInt64(byte % 28 + 36)
        }
    }

    func union(_ other: CharacterSet64) -> CharacterSet64 {
        var all = self
        all.bits |= other.bits
        return all
    }

    func isSuperset(of other: CharacterSet64) -> Bool { bits & other.bits == other.bits }
}

extension UInt32 {
    init(ascii scalar: Unicode.Scalar) { self = scalar.value }
}
