/// Reads the header lines before a message (Language Server Protocol, base protocol; the syntax is RFC 9110's).
///
/// Names are case-insensitive, unknown headers are skipped, lines end with `\r\n`.
struct HeaderBlock {
    private(set) var contentLength: Int?
    /// A charset other than UTF-8, as it was written.
    private(set) var unsupportedCharset: String?

    /// - Parameter line: without its `\r\n`, not empty.
    mutating func take(_ line: some Collection<UInt8>) throws(RPCError) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            throw RPCError(.parseError, "a header line has no colon: \"\(text(line))\"")
        }
        // A web page can make a browser send a request with a first line such as `COPY /a:b HTTP/1.1` and any body. That must
        // not be taken for a header that is skipped, with a message after it.
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

    /// RFC 9110, section 5.6.2.
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
        // Digits that overflow are a length beyond every limit, which is what the caller says of it.
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

    /// For names and errors, so what is not UTF-8 may be replaced, and what is long be cut.
    private func text(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes.prefix(200), as: UTF8.self)
    }
}
