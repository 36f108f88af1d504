/// Validates UTF-8 that comes in pieces, and fails at the first byte that can't be valid (RFC 3629: no overlong forms,
/// no surrogates, nothing beyond U+10FFFF).
package struct UTF8Check {
    /// The number of bytes that the unfinished character still lacks.
    private var missing = 0
    /// The valid values of the next continuation byte.
    private var next: ClosedRange<UInt8> = 0x80...0xBF

    package init() {}

    /// Whether the text so far ends with a whole character.
    package var isComplete: Bool { missing == 0 }

    /// Checks the next bytes of the text.
    ///
    /// - Returns: false when the text can't be valid, whatever follows.
    package mutating func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var place = 0
        while place < bytes.count {
            if missing == 0 { place = Self.skipASCII(bytes, from: place) }
            guard place < bytes.count else { break }
            guard take(bytes[place]) else { return false }
            place += 1
        }
        return true
    }

    /// Returns the place of the next byte that isn't ASCII. Compares eight bytes at a time, as most text is ASCII.
    private static func skipASCII(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var place = start
        while place + 8 <= bytes.count,
            bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
            place += 8
        }
        while place < bytes.count, bytes[place] < 0x80 { place += 1 }
        return place
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard missing == 0 else {
            guard next.contains(byte) else { return false }
            missing -= 1
            next = 0x80...0xBF
            return true
        }
        switch byte {
        case 0x00...0x7F: break
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, next) = (2, 0xA0...0xBF)
        case 0xED: (missing, next) = (2, 0x80...0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, next) = (3, 0x90...0xBF)
        case 0xF4: (missing, next) = (3, 0x80...0x8F)
        case 0xF1...0xF3: missing = 3
        default: return false
        }
        return true
    }
}
