/// A finding of a `FrameDecoder` in a stream of bytes.
package enum Frame {
    /// The framing has been chosen. Comes once, before anything else but a `failure`.
    case detected(Framing)
    /// The bytes of one message, borrowed for the call; whether they are JSON is not known yet.
    case message(UnsafeRawBufferPointer)
    /// A message that can't be read although its end is known. It is answered with this error, and the next message follows.
    case unreadable(RPCError)
    /// A message whose end can't be known. It is answered with this error, nothing follows it, and the connection ends.
    case failure(RPCError)
}

/// The way in which messages are kept apart on a stream of bytes. A connection's first byte chooses it for good.
package enum Framing: Sendable, CaseIterable {
    /// `Content-Length: N`, an empty line, N bytes: the Language Server Protocol's base protocol.
    case headers
    /// One message a line.
    case lines

    /// Returns the framing that begins with `byte`, which is not white space; nil when none does.
    static func starting(with byte: UInt8) -> Framing? {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["): .lines
        case UInt8(ascii: "C"), UInt8(ascii: "c"): .headers
        default: nil
        }
    }
}
