/// Byte loops that look at eight bytes at a time ("SIMD within a register").
///
/// The functions named `…Mask` return a word whose high bits mark the bytes that match. A borrow in the subtraction can mark a
/// byte above a match by mistake, so callers use only the lowest mark, which is exact.
@usableFromInline
enum ByteScan {
    static let ones: UInt64 = 0x0101_0101_0101_0101
    static let highs: UInt64 = 0x8080_8080_8080_8080

    /// Loads eight bytes as a word, with the first byte lowest on any machine.
    @inlinable @inline(__always)
    static func word(_ bytes: UnsafeRawPointer) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    }

    /// Loads `count` bytes, fewer than eight, as a word filled up with zeros. No memory beyond these bytes is read.
    @inlinable @inline(__always)
    static func word(_ bytes: UnsafeRawPointer, count: Int) -> UInt64 {
        if count >= 4 {
            let low = UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
            let high = UInt32(littleEndian: (bytes + (count &- 4)).loadUnaligned(as: UInt32.self))
            return UInt64(low) | UInt64(high) &<< UInt64(truncatingIfNeeded: (count &- 4) &* 8)
        }
        guard count > 0 else { return 0 }
        // One to three bytes: the first, the middle and the last, which may be the same.
        let first = UInt64(bytes.load(as: UInt8.self))
        let middle = UInt64((bytes + count / 2).load(as: UInt8.self)) &<< UInt64(truncatingIfNeeded: count / 2 &* 8)
        let last = UInt64((bytes + (count &- 1)).load(as: UInt8.self)) &<< UInt64(truncatingIfNeeded: (count &- 1) &* 8)
        return first | middle | last
    }

    /// Returns a mask of the high bits of the lowest `count` bytes of a word; `count` is less than eight.
    @inline(__always)
    static func highs(count: Int) -> UInt64 {
        highs & ((1 &<< UInt64(truncatingIfNeeded: count &* 8)) &- 1)
    }

    /// Marks the bytes that must be escaped in a JSON string: quotes, backslashes and control characters.
    @inline(__always)
    static func escapeMask(_ word: UInt64) -> UInt64 {
        (quotesAndBackslashes(word) | (word &- (ones &* 0x20))) & ~word & highs
    }

    /// Marks the bytes that `escapeMask` marks, and those above 0x7F, which must be checked as UTF-8.
    @inline(__always)
    static func unusualMask(_ word: UInt64) -> UInt64 {
        (quotesAndBackslashes(word) | (word &- (ones &* 0x20)) | word) & highs
    }

    /// Marks quotes and backslashes. Exact only for bytes below 0x80.
    @inline(__always)
    private static func quotesAndBackslashes(_ word: UInt64) -> UInt64 {
        let quotes = (word ^ (ones &* UInt64(ASCII.quote))) &- ones
        let backslashes = (word ^ (ones &* UInt64(ASCII.backslash))) &- ones
        return quotes | backslashes
    }

    /// Returns the first offset from `start` on whose byte `mask` marks, or the end of the bytes.
    @inline(__always)
    static func first(
        _ bytes: UnsafeRawBufferPointer, from start: Int, _ mask: (UInt64) -> UInt64
    ) -> Int {
        bytes.baseAddress.map { first($0, count: bytes.count, from: start, mask) } ?? start
    }

    @inline(__always)
    static func first(_ bytes: UnsafeRawPointer, count: Int, from start: Int, _ mask: (UInt64) -> UInt64) -> Int {
        var offset = start
        while offset &+ 8 <= count {
            let found = mask(word(bytes + offset))
            if found != 0 { return offset &+ found.trailingZeroBitCount / 8 }
            offset &+= 8
        }
        // The last bytes, too few for a word.
        while offset < count, mask(UInt64(bytes.load(fromByteOffset: offset, as: UInt8.self))) & 0x80 == 0 {
            offset &+= 1
        }
        return offset
    }

    @inline(__always)
    static func isEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        guard left.count == right.count else { return false }
        guard let leftBase = left.baseAddress, let rightBase = right.baseAddress else { return true }
        return isEqual(leftBase, rightBase, count: left.count)
    }

    @inlinable @inline(__always)
    static func isEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, count: Int) -> Bool {
        if count < 8 { return word(left, count: count) == word(right, count: count) }
        var offset = 0
        while count &- offset > 8 {
            guard word(left + offset) == word(right + offset) else { return false }
            offset &+= 8
        }
        // The last eight bytes, some of which may be compared a second time.
        return word(left + (count &- 8)) == word(right + (count &- 8))
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the offset of the first `byte` from `start` on, or nil. `start` must not be beyond the end.
    package func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        let found = ByteScan.first(self, from: start) { word in
            let difference = word ^ (ByteScan.ones &* UInt64(byte))
            return (difference &- ByteScan.ones) & ~difference & ByteScan.highs
        }
        return found < count ? found : nil
    }

    /// Whether these bytes are those of the literal.
    ///
    /// Inlined, so that the literal's length and bytes are constants and most comparisons end at the length.
    @inlinable @inline(__always)
    func isExactly(_ literal: StaticString) -> Bool {
        literal.withUTF8Buffer { literal in
            guard count == literal.count else { return false }
            guard let left = baseAddress, let right = literal.baseAddress else { return true }
            return ByteScan.isEqual(left, right, count: literal.count)
        }
    }

    /// Returns the bytes from `start` up to `end`. The bounds aren't checked, as those of a slice are: callers get both from a
    /// scan of these same bytes.
    @inline(__always)
    func part(from start: Int, to end: Int) -> UnsafeRawBufferPointer {
        guard let baseAddress else { return self }
        return UnsafeRawBufferPointer(start: baseAddress + start, count: end &- start)
    }
}

extension String {
    /// Calls `body` with the string's UTF-8 bytes, which are valid only during the call.
    @inlinable @inline(__always)
    func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        if let result = try utf8.withContiguousStorageIfAvailable({ try body(UnsafeRawBufferPointer($0)) }) {
            return result
        }
        // A string bridged from another language; there are none on Linux.
        var native = self
        return try native.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
    }
}
