extension JSONWriter {
    @inlinable
    package mutating func key(_ name: StaticString) {
        beginValue()
        name.withUTF8Buffer { quoted(UnsafeRawBufferPointer($0)) }
        append(ASCII.colon)
    }

    @inlinable
    package mutating func key(_ name: String) {
        string(name)
        append(ASCII.colon)
    }

    /// Escapes only what must be (RFC 8259 §7): quotes, backslashes and control characters; not `/`.
    @inlinable
    package mutating func string(_ value: String) {
        beginValue()
        let done: Void? = value.utf8.withContiguousStorageIfAvailable { quoted(UnsafeRawBufferPointer($0)) }
        if done == nil {
            // A string bridged from another language; there are none on Linux.
            var native = value
            native.withUTF8 { quoted(UnsafeRawBufferPointer($0)) }
        }
    }

    /// Nearly all strings need no escape: one pass that looks and copies, eight bytes at a time.
    @usableFromInline
    mutating func quoted(_ text: UnsafeRawBufferPointer) {
        // Beside the quotes there is room for a whole word at the end, whose bytes behind the text don't count.
        reserve(text.count &+ 10)
        append(ASCII.quote)
        var offset = 0
        if let source = text.baseAddress {
            let target = base + length
            while text.count &- offset >= 8 {
                let word = ByteScan.word(source + offset)
                target.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
                let mask = ByteScan.escapeMask(word)
                if mask != 0 { return escaped(text, from: offset &+ mask.trailingZeroBitCount / 8) }
                offset &+= 8
            }
            let rest = text.count &- offset
            let word = ByteScan.word(source + offset, count: rest)
            target.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
            let mask = ByteScan.escapeMask(word) & ByteScan.highs(count: rest)
            if mask != 0 { return escaped(text, from: offset &+ mask.trailingZeroBitCount / 8) }
            length &+= text.count
        }
        append(ASCII.quote)
    }

    /// Behind the opening quote: `text`, of which the bytes before `start` stand there already, and the closing one.
    @inline(never)
    private mutating func escaped(_ text: UnsafeRawBufferPointer, from start: Int) {
        length &+= start
        var offset = start
        while offset < text.count {
            escape(text[offset])
            let end = ByteScan.first(text, from: offset &+ 1, ByteScan.escapeMask)
            append(text.part(from: offset &+ 1, to: end))
            offset = end
        }
        append(ASCII.quote)
    }

    private mutating func escape(_ byte: UInt8) {
        append(ASCII.backslash)
        switch byte {
        case ASCII.quote, ASCII.backslash: append(byte)
        case ASCII.newline: append(UInt8(ascii: "n"))
        case ASCII.tab: append(UInt8(ascii: "t"))
        case ASCII.carriageReturn: append(UInt8(ascii: "r"))
        case 0x08: append(UInt8(ascii: "b"))
        case 0x0C: append(UInt8(ascii: "f"))
        default:
            raw("u00")
            append(Self.hexadecimalDigit(byte >> 4))
            append(Self.hexadecimalDigit(byte & 0xF))
        }
    }

    private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? ASCII.zero &+ value : UInt8(ascii: "a") &+ value &- 10
    }
}
