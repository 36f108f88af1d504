import JSONRPC
import Transport
import ViewModelProtocol

/// One end of a relay: a stream as whole messages, both ways.
///
/// Confined to the stream's loop. The stream keeps the channel, and the channel its owner, until the stream is closed.
final class MessageChannel {
    let stream: any ByteStream
    private var owner: (any MessageChannelOwner)?
    private var frames: FrameDecoder
    private var encoder: FrameEncoder
    /// The bound on messages that is to hold from the next one on.
    private var nextMessageBytes: Int?
    /// Messages that were whole.
    private(set) var messageCount = 0

    /// - Parameters:
    ///   - limits: of messages that come.
    ///   - framing: of messages that are sent before any has come.
    init(_ stream: any ByteStream, _ limits: FrameDecoder.Limits, sending framing: Framing) {
        self.stream = stream
        frames = FrameDecoder(limits: limits, dialect: .viewModels)
        encoder = FrameEncoder(stream.carriesMessages ? nil : framing)
    }

    /// Becomes the stream's handler, and starts it.
    func start(for owner: any MessageChannelOwner) {
        self.owner = owner
        stream.handler = self
        stream.start()
    }

    /// Takes messages of this length from the next one on. May be called from inside one.
    func setMessageBytes(_ bytes: Int) {
        nextMessageBytes = bytes
    }

    var heldBytes: Int { frames.heldBytes }
    var isBetweenMessages: Bool { frames.isBetweenMessages }

    /// Whether so much waits to be sent that nothing more may be taken for it until `channelDidSend`.
    var isFull: Bool { stream.unsentByteCount > StreamLimits.lowWaterBytes }

    /// Sends a whole message.
    func send(_ message: UnsafeRawBufferPointer) {
        stream.write { [encoder] in encoder.append(message, to: &$0) }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        frames.decode(bytes) { frame in
            switch frame {
            case .detected(let framing):
                encoder = FrameEncoder(framing)
                return true
            case .message(let message): return take(message: message)
            case .unreadable(let error): owner?.channel(self, cannotRead: error, endsInput: false)
            case .failure(let error): owner?.channel(self, cannotRead: error, endsInput: true)
            }
            return true
        }
        guard let bytes = nextMessageBytes else { return }
        nextMessageBytes = nil
        frames.limits.messageBytes = bytes
        frames.limits.isInitial = false
        take(UnsafeRawBufferPointer(start: nil, count: 0))
    }

    private func take(message: UnsafeRawBufferPointer) -> Bool {
        messageCount &+= 1
        owner?.channel(self, didReceive: message)
        return nextMessageBytes == nil
    }
}

extension MessageChannel: ByteStreamHandler {
    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        if stream.carriesMessages { _ = take(message: bytes) } else { take(bytes) }
        owner?.channelDidRead(self)
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        frames.finish { frame in
            switch frame {
            case .detected: break
            case .message(let message): _ = take(message: message)
            case .unreadable(let error), .failure(let error):
                owner?.channel(self, cannotRead: error, endsInput: false)
            }
        }
        owner?.channelDidReachEnd(self)
    }

    func streamDidSend(_ stream: any ByteStream) {
        owner?.channelDidSend(self)
    }

    func stream(_ stream: any ByteStream, didClose error: SystemError?) {
        let owner = owner
        self.owner = nil
        owner?.channel(self, didClose: error)
    }
}

/// The owner of the channels of a relay. All calls come on their loop.
protocol MessageChannelOwner: AnyObject {
    /// `message` is borrowed for the call.
    func channel(_ channel: MessageChannel, didReceive message: UnsafeRawBufferPointer)
    /// Something came that is no message, and is owed this error. With `endsInput` nothing more will be read.
    func channel(_ channel: MessageChannel, cannotRead error: RPCError, endsInput: Bool)
    /// All messages of what was read have been handed over.
    func channelDidRead(_ channel: MessageChannel)
    func channelDidReachEnd(_ channel: MessageChannel)
    /// The channel was full, and isn't any more.
    func channelDidSend(_ channel: MessageChannel)
    /// The last call, once.
    func channel(_ channel: MessageChannel, didClose error: SystemError?)
}
