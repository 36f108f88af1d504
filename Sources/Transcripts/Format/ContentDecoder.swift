package import JSONRPC
import JSON

/// Takes the bytes of one side of a connection apart into what lines of a transcript hold. Nothing is lost: what is no
/// message is text, and what has no framing, up to the end, is `unframed`.
package struct ContentDecoder {
    /// Far beyond what servers take, as whoever records takes no side.
    private static let limits = FrameDecoder.Limits(messageBytes: 256 << 20, headerBytes: 64 << 10)

    private var frames = FrameDecoder(limits: limits, keepsUnframed: true)
    /// Nil until the first byte has chosen it.
    package private(set) var framing: Framing?
    /// A character whose last bytes haven't come, of bytes without framing.
    private var incomplete: [UInt8] = []

    package init() {}

    /// - Parameter body: called in order for each content that is complete.
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

    /// The side has ended: what is left is handed over, then `end`.
    package mutating func finish(_ body: (TranscriptEntry.Content) -> Void) {
        frames.finish { Self.content(of: $0).map(body) }
        takeUnframed(isEnd: true, body)
        body(.end)
    }

    private static func content(of frame: Frame) -> TranscriptEntry.Content? {
        switch frame {
        case .message(let bytes): content(of: bytes)
        // Another charset than UTF-8, which nobody sends; the bytes are skipped before they are seen.
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
        let cut = isEnd ? bytes.count : Self.endOfWholeCharacters(bytes)
        incomplete = Array(bytes[cut...])
        if cut > 0 { body(.unframed(String(decoding: bytes[..<cut], as: UTF8.self))) }
    }

    /// The place before a last character that has begun and isn't whole; what is no UTF-8 at all counts as whole.
    private static func endOfWholeCharacters(_ bytes: [UInt8]) -> Int {
        for length in 1...3 where bytes.count >= length {
            let byte = bytes[bytes.count - length]
            if byte & 0xC0 == 0x80 { continue }
            let expected = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return expected > length ? bytes.count - length : bytes.count
        }
        return bytes.count
    }
}
