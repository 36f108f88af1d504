extension JSONWriter {
    package mutating func key(_ name: String) {
        beginValue()
        name.withBytes { quoted($0, and: ASCII.colon) }
    }

    @inlinable
    package mutating func string(_ value: String) {
        beginValue()
        quoted(value)
    }

    /// Writes a string as the value of a key that was just written, or behind a comma.
    @inlinable @inline(__always)
    mutating func quoted(_ value: String) {
        value.withBytes { quoted($0) }
    }

    /// Writes a literal in quotes.
    ///
    /// - Parameter value: must have no character that needs an escape. Only debug builds check that.
    @inlinable
    package mutating func string(_ value: StaticString) {
        beginValue()
        append(ASCII.quote)
        value.withUTF8Buffer {
            assert($0.allSatisfy { $0 >= 0x20 && $0 != ASCII.quote && $0 != ASCII.backslash }, "\(value)")
            append(UnsafeRawBufferPointer($0))
        }
        append(ASCII.quote)
    }

    @usableFromInline @inline(__always)
    mutating func quoted(_ text: UnsafeRawBufferPointer) {
        quoted(text, and: ASCII.space)
        length &-= 1
    }

    /// Writes a string in quotes and escapes quotes, backslashes and control characters in it (RFC 8259 §7), but not `/`. One
    /// pass looks for these and copies, eight bytes at a time.
    ///
    /// - Parameter last: the byte to write behind the closing quote.
    @inline(__always)
    private mutating func quoted(_ text: UnsafeRawBufferPointer, and last: UInt8) {
        // This includes room for a whole word at the end, whose bytes behind the text don't count.
        reserve(text.count &+ 11)
        let target = base + (length &+ 1)
        (target - 1).storeBytes(of: ASCII.quote, as: UInt8.self)
        guard let source = text.baseAddress else { return closeQuotes(around: 0, and: last) }
        var offset = 0
        while text.count &- offset >= 8 {
            let mask = Self.copyWord(ByteScan.word(source + offset), to: target + offset)
            if mask != 0 { return escaped(text, from: offset &+ mask.trailingZeroBitCount / 8, and: last) }
            offset &+= 8
        }
        if text.count >= 8 {
            // The last eight bytes, some of which may be copied a second time: loading a word of fewer bytes takes longer.
            let mask = Self.copyWord(ByteScan.word(source + (text.count &- 8)), to: target + (text.count &- 8))
            if mask != 0 { return escaped(text, from: text.count &- 8 &+ mask.trailingZeroBitCount / 8, and: last) }
        } else {
            let mask = Self.copyWord(ByteScan.word(source, count: text.count), to: target)
            let found = mask & ByteScan.highs(count: text.count)
            if found != 0 { return escaped(text, from: found.trailingZeroBitCount / 8, and: last) }
        }
        closeQuotes(around: text.count, and: last)
    }

    /// Copies a word, and returns the mask of its bytes that must be escaped.
    @inline(__always)
    private static func copyWord(_ word: UInt64, to target: UnsafeMutableRawPointer) -> UInt64 {
        target.storeBytes(of: word.littleEndian, as: UInt64.self)
        return ByteScan.escapeMask(word)
    }

    /// Ends a string whose opening quote and `count` bytes are already stored behind `length`: writes the closing quote and
    /// `last`, and adds all of them to `length`. There must be room for these two bytes.
    @inline(__always)
    private mutating func closeQuotes(around count: Int, and last: UInt8) {
        let pair = UInt16(last) &<< 8 | UInt16(ASCII.quote)
        (base + (length &+ 1 &+ count)).storeBytes(of: pair.littleEndian, as: UInt16.self)
        length &+= count &+ 3
    }

    /// Writes the rest of the string from `start`, the first byte that must be escaped. The bytes before it were already
    /// copied.
    @inline(never)
    private mutating func escaped(_ text: UnsafeRawBufferPointer, from start: Int, and last: UInt8) {
        length &+= start &+ 1
        var offset = start
        while offset < text.count {
            escape(text[offset])
            let end = ByteScan.first(text, from: offset &+ 1, ByteScan.escapeMask)
            append(text.part(from: offset &+ 1, to: end))
            offset = end
        }
        append(ASCII.quote)
        append(last)
    }

    private mutating func escape(_ byte: UInt8) {
        append(ASCII.backslash)
        if let letter = StringEscape.letter(for: byte) { return append(letter) }
        literal("u00")
        append(StringEscape.hexadecimalDigit(byte >> 4))
        append(StringEscape.hexadecimalDigit(byte & 0xF))
    }
}
