import JSONRPC
import TestSupport
import Testing

/// How often a message is copied that comes in many pieces, told from where the decoder keeps its beginning, which can't be
/// seen from outside: a mirror is asked for it.
@Suite(.inTurn) struct FrameDecoderLongMessagesTests {
    /// A line is searched for its end, which takes a microsecond a byte in a debug build.
    @Test(arguments: [(Framing.headers, 10_000_000), (.lines, 1_000_000)])
    func `of a long message in pieces of 64 KiB each byte is moved twice at most`(framing: Framing, count: Int) throws {
        let message = [UInt8](repeating: UInt8(ascii: "["), count: count)
        var bytes: [UInt8] = []
        message.withUnsafeBytes { FrameEncoder(framing).append($0, to: &bytes) }

        var decoder = FrameDecoder()
        var messageCounts: [Int] = []
        var kept = try #require(KeptBytes(of: decoder))
        var movedBytes = 0
        for start in stride(from: 0, to: bytes.count, by: 1 << 16) {
            let piece = bytes[start..<min(start + 1 << 16, bytes.count)]
            piece.withUnsafeBytes { piece in
                decoder.decode(piece) {
                    if case .message(let message) = $0 { messageCounts.append(message.count) }
                    return true
                }
            }
            let before = kept
            kept = try #require(KeptBytes(of: decoder))
            if kept.address != before.address, kept.count > 0 { movedBytes += before.count }
        }
        #expect(movedBytes > 0)
        #expect(movedBytes <= 2 * count)
        #expect(messageCounts == [count])
        #expect(kept.count == 0)
    }
}

/// The beginning of a message whose end hasn't come.
private struct KeptBytes {
    let address: UnsafeRawPointer?
    let count: Int

    /// Nil where the decoder has no property of this name. Holds nothing of the decoder's, which would make it copy.
    init?(of decoder: FrameDecoder) {
        guard let pending = Mirror(reflecting: decoder).descendant("pending") as? [UInt8] else { return nil }
        address = pending.withUnsafeBytes { $0.baseAddress }
        count = pending.count
    }
}
