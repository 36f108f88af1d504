import JSON
import JSONRPC
import Transport

/// One connection of a play: frames what is sent on it, takes apart what comes.
///
/// What is sent before there is a stream waits for it.
final class PlayedConnection {
    let number: Int
    /// Used unless the other side has chosen one.
    private let framing: Framing
    private let runner: TranscriptRunner
    private var stream: (any ByteStream)?
    private var decoder = ContentDecoder()
    private var waiting: [TranscriptEntry.Content] = []

    private(set) var isClosed = false
    /// The other side sends no more.
    private(set) var hasInputEnded = false
    /// What came has neither framing.
    private(set) var isUnframed = false

    init(_ number: Int, framing: Framing, runner: TranscriptRunner) {
        self.number = number
        self.framing = framing
        self.runner = runner
    }

    /// The stream that it has waited for. Called once.
    func begin(_ stream: any ByteStream) {
        self.stream = stream
        stream.handler = self
        for content in waiting { send(content) }
        waiting = []
        stream.start()
    }

    /// After `end` nothing more is sent.
    func send(_ content: TranscriptEntry.Content) {
        guard let stream else { return waiting.append(content) }
        if content == .end { stream.finishWriting() } else { stream.write { append(content, to: &$0) } }
    }

    /// Takes what has arrived already.
    func readAvailable() {
        stream?.readAvailable()
    }

    /// Sends what is unsent, then closes.
    func finish() {
        if stream == nil { isClosed = true }
        stream?.finish()
    }

    func close() {
        isClosed = true
        stream?.close()
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
        // Collected first: what is sent in answer asks the decoder for the framing.
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
        // A connection that was lost has ended too.
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

extension TranscriptEntry.Content {
    fileprivate var isUnframed: Bool {
        if case .unframed = self { true } else { false }
    }
}
