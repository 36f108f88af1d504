import JSONRPC
import Transport

/// The end of a relay at the process of the client: whole messages to it, and its messages in pieces.
///
/// Confined to the stream's loop. The stream keeps the channel, and the channel its owner, until the stream is closed.
final class ProcessChannel {
    /// Messages up to this are handed over whole.
    private static let wholeBytes = 64 << 10

    let stream: any ByteStream
    private var owner: (any ProcessChannelOwner)?
    private var pieces: PieceDecoder
    private let encoder = FrameEncoder(.headers)

    /// - Parameter messageBytes: the length of the longest message that may come.
    init(_ stream: any ByteStream, messageBytes: Int) {
        self.stream = stream
        pieces = PieceDecoder(maximumBytes: messageBytes, wholeBytes: Self.wholeBytes)
    }

    /// Becomes the stream's handler, and starts it.
    func start(for owner: any ProcessChannelOwner) {
        self.owner = owner
        stream.handler = self
        stream.start()
    }

    /// Whether so much waits to be sent that nothing more may be taken for it until `channelDidSend`.
    var isFull: Bool { stream.unsentByteCount > StreamLimits.lowWaterBytes }

    /// What waits to be sent where that is much.
    var waitingBytes: Int { isFull ? stream.unsentByteCount : 0 }

    func send(_ message: UnsafeRawBufferPointer) {
        stream.write { [encoder] in encoder.append(message, to: &$0) }
    }

    /// Ends the connection once the process has read what waits, and in any case after this time. Where much waits, it has shown
    /// that it doesn't read, and nothing is kept for it.
    func end(within time: Duration) {
        if isFull { stream.close() } else { stream.finish() }
        guard stream.unsentByteCount > 0 else { return }
        let bound = LoopBound(self, loop: stream.loop)
        stream.loop.schedule(after: time) { bound.value.stream.close() }
    }
}

extension ProcessChannel: ByteStreamHandler {
    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        let areMessages = pieces.decode(bytes) { owner?.channel(self, didReceive: $0) }
        guard !areMessages else { return }
        stream.isReadingPaused = true
        owner?.channelReadNoMessage(self)
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        owner?.channelDidReachEnd(self)
    }

    func streamDidSend(_ stream: any ByteStream) {
        owner?.channelDidSend(self)
    }

    func stream(_ stream: any ByteStream, didClose error: SystemError?) {
        let owner = owner
        self.owner = nil
        owner?.channelDidReachEnd(self)
    }
}

/// The owner of a relay's channel to a process. All calls come on its loop.
protocol ProcessChannelOwner: AnyObject {
    func channel(_ channel: ProcessChannel, didReceive piece: MessagePiece)
    /// Something came that is no message. Nothing more is read.
    func channelReadNoMessage(_ channel: ProcessChannel)
    /// The process sends no more, or the connection to it is lost. May come twice.
    func channelDidReachEnd(_ channel: ProcessChannel)
    /// The channel was full, and isn't any more.
    func channelDidSend(_ channel: ProcessChannel)
}
