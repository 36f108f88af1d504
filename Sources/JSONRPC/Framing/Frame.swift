/// What a `FrameDecoder` finds in a stream of bytes.
package enum Frame {
    /// Comes once, before anything else but a `failure`.
    case detected(Framing)
    /// The bytes of one message, borrowed for the call; whether they are JSON is not known yet.
    case message(UnsafeRawBufferPointer)
    /// A message that can't be read although its end is known: owed this error, and the next one follows.
    case unreadable(RPCError)
    /// The end of the message can't be known: owed this error, and the connection ends. Nothing comes after it.
    case failure(RPCError)
}
