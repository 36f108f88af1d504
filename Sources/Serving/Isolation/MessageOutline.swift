/// The text of a message without what is long in it, made of its pieces as they pass: long strings are empty, and so are
/// arrays and what is nested deeply.
///
/// What a `RelayLedger` looks for is left: the messages of a batch, their members, and those of results and params. Of a text
/// that is valid JSON the outline is, too; whether a text is valid isn't checked.
package struct MessageOutline {
    /// Of objects: a message in a batch, or the `value` in the `params` of a message.
    private static let maximumDepth = 3

    private let maximumStringBytes: Int
    package private(set) var text: [UInt8] = []
    /// The objects and arrays that are open.
    private var depth = 0
    /// The depth of the one whose content is left out.
    private var emptiedDepth: Int?
    /// Where the string that is open begins in the text, behind its quote. While content is left out the place is any.
    private var string: Int?
    private var isEscaped = false

    /// - Parameter maximumStringBytes: longer strings are left out.
    package init(maximumStringBytes: Int) {
        self.maximumStringBytes = maximumStringBytes
    }

    package mutating func append(_ piece: UnsafeRawBufferPointer) {
        for byte in piece {
            if let start = string { takeInString(byte, since: start) } else { take(byte) }
        }
    }

    private mutating func takeInString(_ byte: UInt8, since start: Int) {
        let ends = byte == UInt8(ascii: "\"") && !isEscaped
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        if ends { string = nil }
        guard emptiedDepth == nil else { return }
        // One more than are kept says that it is too long.
        if ends || text.count - start <= maximumStringBytes { text.append(byte) }
        if ends, text.count - start > maximumStringBytes + 1 {
            text.removeSubrange(start..<(text.count - 1))
        }
    }

    private mutating func take(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["): open(isArray: byte == UInt8(ascii: "["), byte)
        case UInt8(ascii: "}"), UInt8(ascii: "]"): close(byte)
        case UInt8(ascii: "\""):
            keep(byte)
            string = text.count
        default: keep(byte)
        }
    }

    private mutating func keep(_ byte: UInt8) {
        if emptiedDepth == nil { text.append(byte) }
    }

    private mutating func open(isArray: Bool, _ byte: UInt8) {
        keep(byte)
        depth += 1
        guard emptiedDepth == nil, depth > (isArray ? 1 : Self.maximumDepth) else { return }
        emptiedDepth = depth
    }

    private mutating func close(_ byte: UInt8) {
        if emptiedDepth == depth { emptiedDepth = nil }
        depth -= 1
        keep(byte)
    }
}
