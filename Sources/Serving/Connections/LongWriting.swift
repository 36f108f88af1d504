import JSONRPC

/// A long message that is written piece by piece, as the client reads, so that no copy of the whole waits for it.
struct LongWriting {
    private let message: LongMessage
    private var part = 0
    private var offset = 0
    /// The bytes that the message counts in the outbox until it is written.
    let countedBytes: Int

    /// - Parameter countedBytes: the bytes that the message counts in the outbox; 0 for an event, which its session has
    ///   counted.
    init(_ message: LongMessage, countedBytes: Int) {
        self.message = message
        self.countedBytes = countedBytes
    }

    /// The length of the whole message.
    var count: Int { message.count }
    var hasBegun: Bool { part > 0 || offset > 0 }
    var isOver: Bool { part == message.parts.count }

    /// Takes the next piece. A piece never spans two parts of the message.
    mutating func next(atMost maximumBytes: Int) -> ArraySlice<UInt8> {
        let bytes = message.parts[part].bytes
        let piece = bytes[offset..<min(bytes.count, offset + maximumBytes)]
        offset = piece.endIndex
        if offset == bytes.count { (part, offset) = (part + 1, 0) }
        return piece
    }
}
