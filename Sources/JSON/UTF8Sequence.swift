/// Well-formed byte sequences: The Unicode Standard, table 3-7; RFC 3629 §4.
enum UTF8Sequence {
    /// The length, 2 to 4, of the well-formed sequence for a character above U+007F at `offset`; nil where there is none.
    static func length(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int? {
        let lead = bytes[offset]
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        guard bytes.count &- offset >= length, second.contains(bytes[offset &+ 1]) else { return nil }
        for place in 2..<4 where place < length {
            guard bytes[offset &+ place] & 0xC0 == 0x80 else { return nil }
        }
        return length
    }
}
