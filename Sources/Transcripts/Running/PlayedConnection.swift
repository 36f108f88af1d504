import JSON
import JSONRPC
import Transport

/// One connection of a play: frames the content that is sent on it, and decodes the bytes that come.
///
/// Content that is sent before there is a stream waits for one. Confined to the loop of its runner.
final class PlayedConnection {
    let number: Int
    /// The framing to send with until the other side has chosen one.
    private let framing: Framing
    private let runner: TranscriptRunner
    private var stream: (any ByteStream)?
    private var decoder = ContentDecoder()
    private var waiting: [TranscriptEntry.Content] = []

    private(set) var isClosed = false
    /// Whether the other side has ended, so that it sends nothing more.
    private(set) var hasInputEnded = false
    /// Whether bytes came that belong to no frame.
    private(set) var isUnframed = false

    init(_ number: Int, framing: Framing, runner: TranscriptRunner) {
        self.number = number
        self.framing = framing
        self.runner = runner
    }

    /// Takes over the stream and starts it. Called once.
    func begin(_ stream: any ByteStream) {
        self.stream = stream
        stream.handler = self
        for content in waiting { send(content) }
        waiting = []
        stream.start()
    }

    /// Sends content, or keeps it until there is a stream. Nothing may be sent after `end`.
    func send(_ content: TranscriptEntry.Content) {
        guard let stream else { return waiting.append(content) }
        if content == .end { stream.finishWriting() } else { stream.write { append(content, to: &$0) } }
    }

    /// Reads the bytes that have already arrived.
    func readAvailable() {
        stream?.readAvailable()
    }

    /// Closes the stream once everything is sent.
    func finish() {
        if stream == nil { isClosed = true }
        stream?.finish()
    }

    func close() {
        isClosed = true
        stream?.close()
    }

    /// Answers an unexpected request with an error that says what was expected. Does nothing for other content.
    func refuse(_ content: TranscriptEntry.Content, _ failure: PlayerFailure) {
        guard case .message(let message) = content, let id = message.withValue(Self.requestID) else { return }
        var reason = "line \(failure.line) of the transcript: \(failure.reason)"
        if let difference = failure.difference { reason += " at \(difference)" }
        send(.message(JSONText { MessageEncoder.response(id, into: &$0, error: RPCError(.invalidRequest, reason)) }))
    }

    private static func requestID(of message: JSONValue) -> RequestID? {
        guard message.member("method") != nil else { return nil }
        return message.member("id").flatMap(RequestID.init)
    }

    private func append(_ content: TranscriptEntry.Content, to output: inout [UInt8]) {
        let encoder = FrameEncoder(decoder.framing ?? framing)
        switch content {
        case .message(let message): message.bytes.withUnsafeBytes { encoder.append($0, to: &output) }
        case .text(let text): Array(text.utf8).withUnsafeBytes { encoder.append($0, to: &output) }
        case .unframed(let text): output.append(contentsOf: text.utf8)
        case .end: break
        }
    }
}

extension PlayedConnection: ByteStreamHandler {
    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        // The contents are collected first, since answering one asks the decoder for its framing.
        var contents: [TranscriptEntry.Content] = []
        decoder.decode(bytes) { contents.append($0) }
        deliver(contents)
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        endInput()
    }

    func streamDidSend(_ stream: any ByteStream) {}

    func stream(_ stream: any ByteStream, didClose error: SystemError?) {
        isClosed = true
        // A lost connection counts as ended.
        endInput()
        runner.didClose(self)
    }

    private func endInput() {
        guard !hasInputEnded else { return }
        hasInputEnded = true
        var contents: [TranscriptEntry.Content] = []
        decoder.finish { contents.append($0) }
        deliver(contents)
    }

    private func deliver(_ contents: [TranscriptEntry.Content]) {
        if contents.contains(where: \.isUnframed) { isUnframed = true }
        runner.receive(contents, on: self)
    }
}
