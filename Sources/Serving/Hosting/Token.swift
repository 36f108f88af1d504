/// The secret that lets a client in.
package struct Token: Sendable {
    private let bytes: [UInt8]

    /// Nil when `text`, without the white space around it, is empty.
    package init?(_ text: String) {
        let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        bytes = Array(Array(text.utf8.drop(while: isBlank)).reversed().drop(while: isBlank).reversed())
        if bytes.isEmpty { return nil }
    }

    /// For a client of this process's own.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Takes the same time wherever the two differ, so that a guess can't be bettered byte by byte.
    func matches(_ given: String?) -> Bool {
        let given = Array((given ?? "").utf8)
        var difference = given.count ^ bytes.count
        for (index, byte) in bytes.enumerated() {
            difference |= Int(byte ^ (index < given.count ? given[index] : 0))
        }
        return difference == 0
    }
}
