import Transport

/// A secret that clients carry in `initialize`.
package struct Token: Sendable {
    private let bytes: [UInt8]

    /// Makes a token of the text without the white space around it; nil when nothing is left.
    package init?(_ text: String) {
        let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        bytes = Array(Array(text.utf8.drop(while: isBlank)).reversed().drop(while: isBlank).reversed())
        if bytes.isEmpty { return nil }
    }

    package var byteCount: Int { bytes.count }

    /// The text, for a client in this process.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Returns whether the given text is this token. Compares in constant time, so that a guess can't be improved byte by
    /// byte.
    func matches(_ given: String?) -> Bool {
        bytes.matchesInConstantTime(Array((given ?? "").utf8))
    }
}
