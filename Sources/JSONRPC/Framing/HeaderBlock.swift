/// The header lines before a message (Language Server Protocol, base protocol; the syntax is RFC 9110's).
///
/// Names are case-insensitive, unknown headers are skipped, lines end with `\r\n`.
package struct HeaderBlock {
    package private(set) var contentLength: Int?
    /// A charset other than UTF-8, as it was written.
    package private(set) var unsupportedCharset: String?

    package init() {}

    /// Takes one header line.
    ///
    /// - Parameter line: without its `\r\n`, not empty.
    package mutating func take(_ line: some Collection<UInt8>) throws(RPCError) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            throw RPCError(.parseError, "a header line has no colon: \"\(text(line))\"")
        }
        // A web page can make a browser send a request with a first line such as `COPY /a:b HTTP/1.1` and any body.
        // That must not be taken for a header that is skipped, with a message after it.
        guard colon != line.startIndex, line[..<colon].allSatisfy(Self.isTokenCharacter) else {
            throw RPCError(.parseError, "a header's name has a blank or another odd character: \"\(text(line))\"")
        }
        let name = text(line[..<colon]).lowercased()
        let value = trimmed(line[line.index(after: colon)...])
        switch name {
        case "content-length": try takeLength(value)
        case "content-type": takeType(value)
        default: break
        }
    }

    /// Whether a header's name may have this byte (RFC 9110, section 5.6.2).
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        let isLetter = UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
        return isLetter || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    private mutating func takeLength(_ value: some Collection<UInt8>) throws(RPCError) {
        guard contentLength == nil else {
            throw RPCError(.parseError, "more than one Content-Length header")
        }
        let isDigits = value.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        guard isDigits, !value.isEmpty else {
            throw RPCError(.parseError, "Content-Length must be a number of bytes, not \"\(text(value))\"")
        }
        // Digits that overflow are a length beyond every limit, and the caller refuses it as such.
        contentLength = Int(String(decoding: value, as: UTF8.self)) ?? .max
    }

    private mutating func takeType(_ value: some Collection<UInt8>) {
        for parameter in String(decoding: value, as: UTF8.self).split(separator: ";").dropFirst() {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, bare(parts[0]).lowercased() == "charset" else { continue }
            let charset = bare(parts[1])
            if !["utf-8", "utf8"].contains(charset.lowercased()) { unsupportedCharset = text(charset.utf8) }
        }
    }

    private func bare(_ text: Substring) -> String {
        let isPadding = { (character: Character) in character == " " || character == "\t" || character == "\"" }
        return String(text.drop(while: isPadding).reversed().drop(while: isPadding).reversed())
    }

    private func trimmed<C: Collection<UInt8>>(_ value: C) -> [UInt8] {
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        return Array(Array(value.drop(while: isBlank)).reversed().drop(while: isBlank).reversed())
    }

    /// Returns the first 200 bytes as text, for names and errors. What is not UTF-8 is replaced.
    private func text(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes.prefix(200), as: UTF8.self)
    }
}

/// A header block with nothing but the length, written as the protocol's text has it: `Content-Length: N\r\n\r\n`.
///
/// `HeaderBlock` reads each such block with the same result.
package struct PlainHeaderBlock {
    package let contentLength: Int
    /// The length of the block itself, up to where the message begins.
    package let byteCount: Int

    /// Reads the block at the beginning of `bytes`; nil for any other block, and for one whose end hasn't come.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        let name: StaticString = "Content-Length: "
        guard bytes.count > name.utf8CodeUnitCount, Self.hasPrefix(bytes, name) else { return nil }
        var length = 0
        let start = name.utf8CodeUnitCount
        var end = start
        // 18 digits fit an `Int`.
        while end < min(bytes.count, start + 18), case let digit = bytes[end] &- UInt8(ascii: "0"), digit <= 9 {
            length = length &* 10 &+ Int(digit)
            end += 1
        }
        guard end > start, bytes.count - end >= 4,
            bytes.loadUnaligned(fromByteOffset: end, as: UInt32.self).littleEndian == 0x0A0D_0A0D
        else { return nil }
        contentLength = length
        byteCount = end + 4
    }

    /// - Parameter text: must have 16 bytes.
    private static func hasPrefix(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in
            let text = UnsafeRawBufferPointer(text)
            func isEqual(at offset: Int) -> Bool {
                bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    == text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            }
            return isEqual(at: 0) && isEqual(at: 8)
        }
    }
}
