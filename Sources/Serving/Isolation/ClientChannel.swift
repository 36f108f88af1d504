import JSONRPC
import Transport
import ViewModelProtocol

/// The end of a relay at the client: whole messages from it, and messages to it, long ones in pieces.
///
/// Confined to the stream's loop. The stream keeps the channel, and the channel its owner, until the stream is closed.
final class ClientChannel {
    let stream: any ByteStream
    private var owner: (any ClientChannelOwner)?
    private var frames: FrameDecoder
    /// Errors before a framing is known go out in lines, which a person can read.
    private var encoder: FrameEncoder
    /// The bound on messages that is to hold from the next one on.
    private var nextMessageBytes: Int?
    /// Messages that were whole.
    private(set) var messageCount = 0
    private var hasReachedEnd = false
    /// A message is sent in pieces, and the last one hasn't come.
    private(set) var isInMessage = false
    /// Messages for behind that one.
    private var waiting: [[UInt8]] = []
    /// Messages of the owner's own wait for the client: it is to take none that it answers itself until `channelDidSend`.
    private(set) var hasBacklog = false

    /// - Parameter limits: of messages that come.
    init(_ stream: any ByteStream, _ limits: FrameDecoder.Limits) {
        self.stream = stream
        frames = FrameDecoder(limits: limits, dialect: .viewModels)
        encoder = FrameEncoder(stream.carriesMessages ? nil : .lines)
    }

    /// Becomes the stream's handler, and starts it.
    func start(for owner: any ClientChannelOwner) {
        self.owner = owner
        stream.handler = self
        stream.start()
    }

    /// Takes messages of this length from the next one on. May be called from inside one.
    func setMessageBytes(_ bytes: Int) {
        nextMessageBytes = bytes
    }

    /// While true nothing is read, and no message is handed over of what was read. May be set from inside one.
    var isPaused = false {
        didSet {
            guard isPaused != oldValue else { return }
            // Not from inside a message.
            if isPaused { stream.isReadingPaused = true } else { stream.loop.atEndOfTurn { self.goOn() } }
        }
    }

    var heldBytes: Int { frames.heldBytes }
    var isBetweenMessages: Bool { frames.isBetweenMessages }

    private var takesMessages: Bool { !isPaused || hasReachedEnd }

    /// Reads more only once what was read is taken, or that would grow from pause to pause.
    private func goOn() {
        guard !isPaused else { return }
        if frames.heldBytes > 0 {
            take(UnsafeRawBufferPointer(start: nil, count: 0))
            owner?.channelDidRead(self)
        }
        stream.isReadingPaused = isPaused
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        guard takesMessages else { return frames.append(bytes) }
        frames.decode(bytes) { frame in
            switch frame {
            case .detected(let framing): encoder = FrameEncoder(framing)
            case .message(let message): take(message: message)
            case .unreadable(let error): owner?.channel(self, cannotRead: error, endsInput: false)
            case .failure(let error): owner?.channel(self, cannotRead: error, endsInput: true)
            }
            return takesMessages && nextMessageBytes == nil
        }
        guard let bytes = nextMessageBytes else { return }
        nextMessageBytes = nil
        frames.limits.messageBytes = bytes
        frames.limits.isInitial = false
        take(UnsafeRawBufferPointer(start: nil, count: 0))
    }

    private func take(message: UnsafeRawBufferPointer) {
        messageCount &+= 1
        owner?.channel(self, didReceive: message)
    }
}

/// Sending.
extension ClientChannel {
    /// Whether so much waits to be sent that nothing more may be taken for it until `channelDidSend`.
    var isFull: Bool { stream.unsentByteCount > StreamLimits.lowWaterBytes }

    /// Sends a message of the owner's own: behind the one that is being sent, if one is.
    func send(_ message: UnsafeRawBufferPointer) {
        if isInMessage {
            waiting.append(Array(message))
            hasBacklog = true
        } else {
            write(message)
            hasBacklog = isFull
        }
    }

    /// Sends a message of the process, or the next piece of one.
    func send(_ piece: MessagePiece) {
        guard !piece.isWhole else { return write(piece.bytes) }
        isInMessage = !piece.isLast
        stream.write(isLast: piece.isLast) { [encoder] output in
            if piece.isFirst { encoder.appendBeginning(ofMessage: piece.messageBytes, to: &output) }
            output.append(contentsOf: piece.bytes)
            if piece.isLast { encoder.appendEnd(to: &output) }
        }
        if piece.isLast { sendWaiting() }
    }

    private func sendWaiting() {
        guard !waiting.isEmpty else { return }
        for message in waiting { message.withUnsafeBytes { write($0) } }
        waiting = []
        hasBacklog = isFull
    }

    private func write(_ message: UnsafeRawBufferPointer) {
        stream.write { [encoder] in encoder.append(message, to: &$0) }
    }
}

extension ClientChannel: ByteStreamHandler {
    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        if stream.carriesMessages { take(message: bytes) } else { take(bytes) }
        owner?.channelDidRead(self)
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        hasReachedEnd = true
        if !stream.carriesMessages { take(UnsafeRawBufferPointer(start: nil, count: 0)) }
        frames.finish { frame in
            switch frame {
            case .detected: break
            case .message(let message): take(message: message)
            case .unreadable(let error), .failure(let error):
                owner?.channel(self, cannotRead: error, endsInput: false)
            }
        }
        owner?.channelDidReachEnd(self)
    }

    func streamDidSend(_ stream: any ByteStream) {
        hasBacklog = !waiting.isEmpty
        owner?.channelDidSend(self)
    }

    func stream(_ stream: any ByteStream, didClose error: SystemError?) {
        let owner = owner
        self.owner = nil
        owner?.channel(self, didClose: error)
    }
}

/// The owner of a relay's channel to a client. All calls come on its loop.
protocol ClientChannelOwner: AnyObject {
    /// `message` is borrowed for the call.
    func channel(_ channel: ClientChannel, didReceive message: UnsafeRawBufferPointer)
    /// Something came that is no message, and is owed this error. With `endsInput` nothing more will be read.
    func channel(_ channel: ClientChannel, cannotRead error: RPCError, endsInput: Bool)
    /// All messages that are to be taken of what was read have been handed over.
    func channelDidRead(_ channel: ClientChannel)
    func channelDidReachEnd(_ channel: ClientChannel)
    /// The channel was full, and isn't any more.
    func channelDidSend(_ channel: ClientChannel)
    /// The last call, once.
    func channel(_ channel: ClientChannel, didClose error: SystemError?)
}
