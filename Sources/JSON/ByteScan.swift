/// Byte loops that look at eight bytes at a time ("SIMD within a register").
///
/// Each mask has the high bit set in the bytes that are looked for. Borrows can set false bits, but only above a true
/// one, so the lowest bit, which is all that is used, is exact.
@usableFromInline
enum ByteScan {
    @usableFromInline static let ones: UInt64 = 0x0101_0101_0101_0101
    @usableFromInline static let highs: UInt64 = 0x8080_8080_8080_8080

    /// Eight bytes, the first one lowest whatever the machine's order.
    @inlinable @inline(__always)
    static func word(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inlinable @inline(__always)
    static func mask(_ word: UInt64, equalTo byte: UInt8) -> UInt64 {
        let difference = word ^ (ones &* UInt64(byte))
        return (difference &- ones) & ~difference & highs
    }

    /// Bytes that a JSON string can't hold as they stand: quotes, backslashes and control characters.
    @inlinable @inline(__always)
    static func escapeMask(_ word: UInt64) -> UInt64 {
        let controls = (word &- (ones &* 0x20)) & ~word & highs
        return mask(word, equalTo: ASCII.quote) | mask(word, equalTo: ASCII.backslash) | controls
    }

    @inlinable @inline(__always)
    static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == ASCII.quote || byte == ASCII.backslash
    }

    /// The first place from `start` on that needs an escape, or the end. Bytes of multi-byte characters don't.
    @inlinable
    static func endOfUnescapedRun(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var offset = start
        while bytes.count &- offset >= 8 {
            let mask = escapeMask(word(bytes, at: offset))
            if mask != 0 { return offset &+ mask.trailingZeroBitCount / 8 }
            offset &+= 8
        }
        while offset < bytes.count, !needsEscape(bytes[offset]) { offset &+= 1 }
        return offset
    }

    /// As `endOfUnescapedRun`, but stops at bytes above 0x7F too, whose sequence must be checked.
    static func endOfPlainASCII(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var offset = start
        while bytes.count &- offset >= 8 {
            let word = word(bytes, at: offset)
            let mask = escapeMask(word) | (word & highs)
            if mask != 0 { return offset &+ mask.trailingZeroBitCount / 8 }
            offset &+= 8
        }
        while offset < bytes.count, bytes[offset] < 0x80, !needsEscape(bytes[offset]) { offset &+= 1 }
        return offset
    }

    /// The first quote or backslash from `start` on, or the end.
    static func endOfStringRun(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var offset = start
        while bytes.count &- offset >= 8 {
            let word = word(bytes, at: offset)
            let mask = mask(word, equalTo: ASCII.quote) | mask(word, equalTo: ASCII.backslash)
            if mask != 0 { return offset &+ mask.trailingZeroBitCount / 8 }
            offset &+= 8
        }
        while offset < bytes.count, bytes[offset] != ASCII.quote, bytes[offset] != ASCII.backslash { offset &+= 1 }
        return offset
    }

    @inlinable
    static func isEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        guard left.count == right.count else { return false }
        var offset = 0
        while left.count &- offset >= 8 {
            guard word(left, at: offset) == word(right, at: offset) else { return false }
            offset &+= 8
        }
        while offset < left.count {
            guard left[offset] == right[offset] else { return false }
            offset &+= 1
        }
        return true
    }
}
