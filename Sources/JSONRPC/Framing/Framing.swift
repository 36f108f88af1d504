/// How messages are told apart on a stream of bytes. A connection keeps the one that its first byte chose.
package enum Framing: Sendable, CaseIterable {
    /// `Content-Length: N`, an empty line, N bytes: the Language Server Protocol's base protocol.
    case headers
    /// One message a line.
    case lines

    /// The framing that begins with `byte`, which is not white space; nil when none does.
    static func starting(with byte: UInt8) -> Framing? {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["): .lines
        case UInt8(ascii: "C"), UInt8(ascii: "c"): .headers
        default: nil
        }
    }
}
