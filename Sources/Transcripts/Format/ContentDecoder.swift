package import JSONRPC
import JSON

/// A decoder of the bytes of one side of a connection into the contents of transcript lines.
///
/// Nothing is lost: a frame that isn't a message becomes `text`, and bytes that belong to no frame become `unframed`.
package struct ContentDecoder {
    /// Limits far above those of servers, so that a recording also shows what a server rejects.
    private static let limits = FrameDecoder.Limits(messageBytes: 256 << 20, headerBytes: 64 << 10)

    private var frames = FrameDecoder(limits: limits, keepsUnframed: true)
    /// The side's framing; nil until it is detected from the first bytes.
    package private(set) var framing: Framing?
    /// The first bytes of a UTF-8 character, outside of frames, whose other bytes haven't come yet.
    private var incomplete: [UInt8] = []

    package init() {}

    /// Decodes bytes that came next.
    ///
    /// - Parameter body: called for each complete content, in order.
    package mutating func decode(_ bytes: UnsafeRawBufferPointer, _ body: (TranscriptEntry.Content) -> Void) {
        var detected = framing
        frames.decode(bytes) { frame in
            if case .detected(let framing) = frame { detected = framing }
            Self.content(of: frame).map(body)
            return true
        }
        framing = detected
        takeUnframed(isEnd: false, body)
    }

    /// Passes what is left to `body`, then `end`. Must be called once, after the last bytes.
    package mutating func finish(_ body: (TranscriptEntry.Content) -> Void) {
        frames.finish { Self.content(of: $0).map(body) }
        takeUnframed(isEnd: true, body)
        body(.end)
    }

    private static func content(of frame: Frame) -> TranscriptEntry.Content? {
        switch frame {
        case .message(let bytes): content(of: bytes)
        // The charset isn't UTF-8. The frame decoder skips such a body, so there is nothing to show.
        case .unreadable(let error): .text("(\(error.message))")
        case .detected, .failure: nil
        }
    }

    private static func content(of bytes: UnsafeRawBufferPointer) -> TranscriptEntry.Content {
        guard let text = try? JSONText(validating: bytes), "{[".utf8.contains(text.bytes.first ?? 0) else {
            return .text(String(decoding: bytes, as: UTF8.self))
        }
        return .message(text)
    }

    private mutating func takeUnframed(isEnd: Bool, _ body: (TranscriptEntry.Content) -> Void) {
        let bytes = incomplete + frames.unframed
        guard !bytes.isEmpty else { return }
        let cut = isEnd ? bytes.count : Self.endOfCompleteCharacters(bytes)
        incomplete = Array(bytes[cut...])
        if cut > 0 { body(.unframed(String(decoding: bytes[..<cut], as: UTF8.self))) }
    }

    /// Returns the offset of a last character that is incomplete, or the end. Bytes that can't be UTF-8 count as complete.
    private static func endOfCompleteCharacters(_ bytes: [UInt8]) -> Int {
        for length in 1...3 where bytes.count >= length {
            let byte = bytes[bytes.count - length]
            if byte & 0xC0 == 0x80 { continue }
            let expected = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return expected > length ? bytes.count - length : bytes.count
        }
        return bytes.count
    }
}
