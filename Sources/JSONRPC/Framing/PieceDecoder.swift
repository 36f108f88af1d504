/// A stretch of a message on its way through a relay; short messages are one piece.
package struct MessagePiece {
    /// Borrowed for the call that hands it over.
    package let bytes: UnsafeRawBufferPointer
    /// The length of the whole message.
    package let messageBytes: Int
    package let isFirst: Bool
    package let isLast: Bool

    package var isWhole: Bool { isFirst && isLast }

    package init(_ bytes: UnsafeRawBufferPointer, of messageBytes: Int, isFirst: Bool, isLast: Bool) {
        (self.bytes, self.messageBytes, self.isFirst, self.isLast) = (bytes, messageBytes, isFirst, isLast)
    }
}

/// Cuts a stream of messages with headers, as `FrameEncoder` writes them, into messages, and a long one into pieces as it
/// comes: so it never holds more than a short one.
///
/// For a relay, which passes messages on and doesn't judge them. Other clients' headers are for a `FrameDecoder`.
package struct PieceDecoder {
    /// A header block that is longer isn't one of a `FrameEncoder`.
    private static let headerBytes = 64

    private let maximumBytes: Int
    private let wholeBytes: Int
    /// The beginning of a header block, or a header and the beginning of a short message.
    private var pending: [UInt8] = []
    /// The length of the message that is handed over in pieces, and how much of it is to come.
    private var passed: (length: Int, left: Int)?

    /// - Parameters:
    ///   - maximumBytes: the length of the longest message.
    ///   - wholeBytes: a message up to this comes whole.
    package init(maximumBytes: Int, wholeBytes: Int) {
        (self.maximumBytes, self.wholeBytes) = (maximumBytes, wholeBytes)
    }

    /// Takes the next bytes and hands over the pieces that they complete, in order. `receive` must not call back.
    ///
    /// - Returns: false where the bytes are no messages. Then the decoder is not to be used any more.
    package mutating func decode(_ bytes: UnsafeRawBufferPointer, _ receive: (MessagePiece) -> Void) -> Bool {
        guard !pending.isEmpty else { return take(bytes, receive) }
        pending.append(contentsOf: bytes)
        var joined: [UInt8] = []
        swap(&joined, &pending)
        return joined.withUnsafeBytes { take($0, receive) }
    }

    private mutating func take(_ bytes: UnsafeRawBufferPointer, _ receive: (MessagePiece) -> Void) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            if let (length, left) = passed {
                pass(cut(min(left, rest.count), from: &rest), of: length, left, receive)
                continue
            }
            guard let header = PlainHeaderBlock(rest) else {
                guard rest.count < Self.headerBytes else { return false }
                break
            }
            let length = header.contentLength
            guard length <= maximumBytes else { return false }
            if rest.count - header.byteCount >= length {
                _ = cut(header.byteCount, from: &rest)
                receive(MessagePiece(cut(length, from: &rest), of: length, isFirst: true, isLast: true))
            } else if length > wholeBytes {
                _ = cut(header.byteCount, from: &rest)
                passed = (length, length)
            } else {
                break
            }
        }
        pending.append(contentsOf: rest)
        return true
    }

    private mutating func pass(
        _ piece: UnsafeRawBufferPointer, of length: Int, _ left: Int, _ receive: (MessagePiece) -> Void
    ) {
        let isLast = left == piece.count
        passed = isLast ? nil : (length, left - piece.count)
        receive(MessagePiece(piece, of: length, isFirst: left == length, isLast: isLast))
    }

    private func cut(_ count: Int, from bytes: inout UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        defer { bytes = bytes.suffix(from: count) }
        return bytes.prefix(upTo: count)
    }
}
