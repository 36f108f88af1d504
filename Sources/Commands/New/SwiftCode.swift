/// The text of a Swift file, and what of it is code: enough to find declarations and calls.
///
/// It is no parser. What it takes for a string by mistake, such as a quote in a regular expression, ends with its line.
struct SwiftCode {
    let text: String
    /// The text with spaces for each byte of comments, so that what stands in it stands at the same place of the text.
    let uncommented: String
    /// Without string literals, too.
    let bare: String

    init(_ text: String) {
        self.text = text
        var reader = SwiftCodeReader(text)
        reader.readCode(depth: 0)
        uncommented = String(decoding: reader.uncommented, as: UTF8.self)
        bare = String(decoding: reader.bare, as: UTF8.self)
    }

    /// The offset of the bracket that closes the one at `offset` of `bytes`, which are code without strings.
    static func closing(_ bytes: [UInt8], from offset: Int) -> Int? {
        var depth = 0
        for index in offset..<bytes.count {
            depth += nesting(bytes[index])
            if depth == 0 { return index }
        }
        return nil
    }

    /// How much deeper in brackets it is behind this byte.
    static func nesting(_ byte: UInt8) -> Int {
        switch byte {
        case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): 1
        case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): -1
        default: 0
        }
    }
}
