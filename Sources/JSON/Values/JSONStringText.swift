/// The text between the quotes of a string that was validated before.
@usableFromInline
struct JSONStringText {
    @usableFromInline let contents: UnsafeRawBufferPointer
    @usableFromInline let hasEscapes: Bool

    @inline(__always)
    init(contents: UnsafeRawBufferPointer, hasEscapes: Bool) {
        self.contents = contents
        self.hasEscapes = hasEscapes
    }

    /// Without a closing quote there is none inside either, but before an escape.
    @inline(__always)
    init(contents: UnsafeRawBufferPointer) {
        self.init(
            contents: contents, hasEscapes: ByteScan.first(contents, from: 0, ByteScan.stringMask) < contents.count)
    }

    func string() -> String {
        guard hasEscapes else { return String(validated: contents) }
        return String(unsafeUninitializedCapacity: contents.count) { unescape(into: UnsafeMutableRawBufferPointer($0)) }
    }

    @inlinable @inline(__always)
    func isEqual(to expected: StaticString) -> Bool {
        hasEscapes ? isEqualUnescaped(to: expected) : contents.isExactly(expected)
    }

    @usableFromInline
    func isEqualUnescaped(to expected: StaticString) -> Bool {
        expected.withUTF8Buffer { isEqual(to: UnsafeRawBufferPointer($0)) }
    }

    @usableFromInline
    func isEqual(to expected: UnsafeRawBufferPointer) -> Bool {
        hasEscapes ? isEqualUnescaped(to: expected) : ByteScan.isEqual(contents, expected)
    }

    func isEqual(to expected: String) -> Bool {
        expected.utf8.withContiguousStorageIfAvailable { isEqual(to: UnsafeRawBufferPointer($0)) }
            ?? string().utf8.elementsEqual(expected.utf8)
    }

    private func isEqualUnescaped(to expected: UnsafeRawBufferPointer) -> Bool {
        // An escape takes at most six bytes for one byte of text, so nothing long is unescaped in vain.
        guard contents.count >= expected.count, contents.count / 6 <= expected.count else { return false }
        return withUnsafeTemporaryAllocation(byteCount: contents.count, alignment: 1) { buffer in
            let count = unescape(into: buffer)
            return ByteScan.isEqual(UnsafeRawBufferPointer(rebasing: buffer[..<count]), expected)
        }
    }

    /// Returns the number of bytes written: never more than `contents` has, as no escape is shorter than its character.
    private func unescape(into target: UnsafeMutableRawBufferPointer) -> Int {
        var source = 0
        var written = 0
        while source < contents.count {
            let end = ByteScan.first(contents, from: source, ByteScan.stringMask)
            if end > source {
                UnsafeMutableRawBufferPointer(rebasing: target[written...]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: contents[source..<end]))
                written &+= end &- source
                source = end
            }
            guard contents.count &- source >= 2 else { break }
            if let character = StringEscape.character(for: contents[source &+ 1]) {
                target[written] = character
                written &+= 1
                source &+= 2
            } else {
                let (scalar, length) = escapedScalar(at: source)
                for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                    target[written] = byte
                    written &+= 1
                }
                source &+= length
            }
        }
        return written
    }

    /// `\uXXXX`, or two of them for a surrogate pair.
    private func escapedScalar(at offset: Int) -> (Unicode.Scalar, length: Int) {
        let unit = unit(at: offset)
        if let scalar = Unicode.Scalar(unit) { return (scalar, 6) }
        let trail = self.unit(at: offset &+ 6)
        let value = 0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(trail & 0x3FF))
        return (Unicode.Scalar(value) ?? "\u{FFFD}", 12)
    }

    private func unit(at offset: Int) -> UInt16 {
        (try? JSONGrammar(contents, maximumDepth: 0).escapedUnit(at: offset)) ?? 0
    }
}

/// Escapes in strings: RFC 8259 §7.
enum StringEscape {
    static func value(ofHexadecimalDigit byte: UInt8) -> UInt8? {
        switch byte {
        case ASCII.zero...ASCII.nine: byte &- ASCII.zero
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte &- UInt8(ascii: "a") &+ 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte &- UInt8(ascii: "A") &+ 10
        default: nil
        }
    }

    static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? ASCII.zero &+ value : UInt8(ascii: "a") &+ value &- 10
    }

    /// The byte that a letter behind a backslash means; nil where it means none.
    static func character(for letter: UInt8) -> UInt8? {
        letter == ASCII.slash ? letter : pairs.first { $0.letter == letter }?.byte
    }

    /// The letter behind a backslash for a byte that must be escaped; nil where there is none.
    static func letter(for byte: UInt8) -> UInt8? { pairs.first { $0.byte == byte }?.letter }

    private static let pairs: [(letter: UInt8, byte: UInt8)] = [
        (ASCII.quote, ASCII.quote), (ASCII.backslash, ASCII.backslash), (UInt8(ascii: "n"), ASCII.newline),
        (UInt8(ascii: "t"), ASCII.tab), (UInt8(ascii: "r"), ASCII.carriageReturn), (UInt8(ascii: "b"), 0x08),
        (UInt8(ascii: "f"), 0x0C),
    ]
}

extension String {
    /// Copies text that was validated before, mostly without the second validation of `String(decoding:as:)`.
    @inline(__always)
    init(validated text: UnsafeRawBufferPointer) {
        // Those that take no memory of their own are made fastest this way.
        if text.count <= 15 {
            self.init(unsafeUninitializedCapacity: text.count) { target in
                UnsafeMutableRawBufferPointer(target).copyMemory(from: text)
                return text.count
            }
        } else {
            self.init(long: text)
        }
    }

    @inline(never)
    private init(long text: UnsafeRawBufferPointer) {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            self.init(decoding: text, as: UTF8.self)
            return
        }
        let bytes = text.assumingMemoryBound(to: UInt8.self)
        self.init(copying: UTF8Span(unchecked: bytes.span, isKnownASCII: ByteScan.isASCII(text)))
    }
}
