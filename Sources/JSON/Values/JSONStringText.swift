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

    /// Looks for escapes in the contents of a valid string. In such contents `ByteScan.escapeMask` can only find a backslash:
    /// control characters and bare quotes are invalid.
    @inline(__always)
    init(contents: UnsafeRawBufferPointer) {
        self.init(
            contents: contents, hasEscapes: ByteScan.first(contents, from: 0, ByteScan.escapeMask) < contents.count)
    }

    func string() -> String {
        hasEscapes ? String(decoding: unescaped, as: UTF8.self) : String(decoding: contents, as: UTF8.self)
    }

    @inlinable @inline(__always)
    func isEqual(to expected: StaticString) -> Bool {
        hasEscapes
            ? expected.withUTF8Buffer { isEqual(to: UnsafeRawBufferPointer($0)) } : contents.isExactly(expected)
    }

    @usableFromInline
    func isEqual(to expected: UnsafeRawBufferPointer) -> Bool {
        guard hasEscapes else { return ByteScan.isEqual(contents, expected) }
        // An escape takes at most six bytes for one byte of text, so a long text isn't unescaped for nothing.
        return contents.count / 6 <= expected.count && unescaped.elementsEqual(expected)
    }

    func isEqual(to expected: String) -> Bool {
        expected.withBytes { isEqual(to: $0) }
    }

    /// The string's UTF-8 bytes, with escapes replaced by what they stand for.
    var unescaped: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(contents.count)
        var source = 0
        while source < contents.count {
            let end = ByteScan.first(contents, from: source, ByteScan.escapeMask)
            bytes += contents.part(from: source, to: end)
            source = end
            guard contents.count &- source >= 2 else { break }
            if let character = StringEscape.character(for: contents[source &+ 1]) {
                bytes.append(character)
                source &+= 2
            } else {
                var scalar = UInt32(unit(at: source))
                source &+= 6
                if UTF16.isLeadSurrogate(UInt16(truncatingIfNeeded: scalar)) {
                    scalar = 0x10000 &+ (scalar & 0x3FF) << 10 &+ UInt32(unit(at: source)) & 0x3FF
                    source &+= 6
                }
                if let encoded = Unicode.Scalar(scalar).flatMap(UTF8.encode) { bytes += encoded }
            }
        }
        return bytes
    }

    /// Returns the UTF-16 code unit of the escape `\uXXXX` at `offset`.
    private func unit(at offset: Int) -> UInt16 {
        (try? JSONGrammar(contents, maximumDepth: 0).escapedUnit(at: offset)) ?? 0
    }
}

/// Escapes in strings: RFC 8259 §7.
enum StringEscape {
    @inline(__always)
    static func value(ofHexadecimalDigit byte: UInt8) -> Int? {
        switch byte {
        case ASCII.zero...UInt8(ascii: "9"): Int(byte &- ASCII.zero)
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte &- UInt8(ascii: "a") &+ 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte &- UInt8(ascii: "A") &+ 10)
        default: nil
        }
    }

    static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? ASCII.zero &+ value : UInt8(ascii: "a") &+ value &- 10
    }

    /// Returns the byte that a letter behind a backslash stands for; nil if there is no such escape.
    static func character(for letter: UInt8) -> UInt8? {
        letter == ASCII.slash ? letter : pairs.first { $0.letter == letter }?.byte
    }

    /// Returns the letter that escapes a byte behind a backslash; nil if there is none.
    static func letter(for byte: UInt8) -> UInt8? { pairs.first { $0.byte == byte }?.letter }

    private static let pairs: [(letter: UInt8, byte: UInt8)] = [
        (ASCII.quote, ASCII.quote), (ASCII.backslash, ASCII.backslash), (UInt8(ascii: "n"), ASCII.newline),
        (UInt8(ascii: "t"), ASCII.tab), (UInt8(ascii: "r"), ASCII.carriageReturn), (UInt8(ascii: "b"), 0x08),
        (UInt8(ascii: "f"), 0x0C),
    ]
}
