/// A header block that says nothing but the length, written as the protocol's text has it: `Content-Length: N\r\n\r\n`.
///
/// What it takes, `HeaderBlock` takes with the same result.
struct PlainHeaderBlock {
    let contentLength: Int
    /// Of the block itself, up to where the message begins.
    let byteCount: Int

    /// Nil for any other block, and for one whose end hasn't come.
    init?(_ bytes: UnsafeRawBufferPointer) {
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

    /// - Parameter text: of 16 bytes.
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
