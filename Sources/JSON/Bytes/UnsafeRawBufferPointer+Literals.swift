extension UnsafeRawBufferPointer {
    /// Whether these are the bytes of a literal.
    ///
    /// Inlined, so that the literal's length and bytes are constants and most comparisons end at the length.
    @inlinable @inline(__always)
    package func isExactly(_ literal: StaticString) -> Bool {
        literal.withUTF8Buffer { literal in
            guard count == literal.count else { return false }
            guard let left = baseAddress, let start = literal.baseAddress else { return true }
            let right = UnsafeRawPointer(start)
            func isSame<Word: FixedWidthInteger & BitwiseCopyable>(_ type: Word.Type, at offset: Int) -> Bool {
                left.loadUnaligned(fromByteOffset: offset, as: type)
                    == right.loadUnaligned(fromByteOffset: offset, as: type)
            }
            // The last look overlaps the one before where the length is no power of two.
            switch count {
            case 0: return true
            case 1: return isSame(UInt8.self, at: 0)
            case 2...3: return isSame(UInt16.self, at: 0) && isSame(UInt16.self, at: count &- 2)
            case 4...7: return isSame(UInt32.self, at: 0) && isSame(UInt32.self, at: count &- 4)
            default:
                var offset = 0
                while count &- offset > 8 {
                    guard isSame(UInt64.self, at: offset) else { return false }
                    offset &+= 8
                }
                return isSame(UInt64.self, at: count &- 8)
            }
        }
    }

    /// The bytes from `start` up to `end`, both within this. Not checked, as slices are: every one here comes from a
    /// scan of these same bytes.
    @inline(__always)
    func part(from start: Int, to end: Int) -> UnsafeRawBufferPointer {
        guard let baseAddress else { return self }
        return UnsafeRawBufferPointer(start: baseAddress + start, count: end &- start)
    }
}
