import JSON
import JSONRPC
import Transcripts
import Transport

/// The other end of a played connection, which runs the script of a test. Confined to its loop.
final class ScriptedPeer: ByteStreamHandler {
    /// Called for each content that comes, and for `end`.
    typealias Script = @Sendable (ScriptedPeer, TranscriptEntry.Content) -> Void

    let stream: MemoryStream
    private let framing: Framing
    private let script: Script
    private var decoder = ContentDecoder()
    private var hasEnded = false

    init(_ stream: MemoryStream, _ framing: Framing = .lines, _ script: @escaping Script) {
        self.stream = stream
        self.framing = framing
        self.script = script
        stream.handler = self
        stream.start()
    }

    func send(_ messages: String...) {
        for message in messages {
            stream.write { output in
                Array(message.utf8).withUnsafeBytes { FrameEncoder(framing).append($0, to: &output) }
            }
        }
    }

    func send(bytes: String) {
        stream.write { $0.append(contentsOf: bytes.utf8) }
    }

    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        var contents: [TranscriptEntry.Content] = []
        decoder.decode(bytes) { contents.append($0) }
        for content in contents { script(self, content) }
    }

    func streamDidReachEnd(_ stream: any ByteStream) { end() }
    func streamDidSend(_ stream: any ByteStream) {}
    func stream(_ stream: any ByteStream, didClose error: SystemError?) { end() }

    private func end() {
        if !hasEnded { script(self, .end) }
        hasEnded = true
    }
}

extension TranscriptEntry.Content {
    /// A message's text.
    var message: String? {
        if case .message(let message) = self { message.description } else { nil }
    }
}
