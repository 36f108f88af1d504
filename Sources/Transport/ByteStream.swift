/// Bytes both ways between this process and one peer: a socket, standard input and output, or another stream in memory.
///
/// A stream belongs to its loop: all of it is used on the loop's thread. From its creation until it is closed the loop keeps it
/// alive, and the stream keeps its handler alive; after the handler's last call both are let go. So a connection that nobody
/// else holds lives as long as its stream, and none outlives the loop.
///
/// A handler is never called from inside `write`, `finish`, `finishWriting` or `close`; from inside `start`, `isReadingPaused`
/// neither; `readAvailable` calls it with what it reads.
package protocol ByteStream: AnyObject {
    var loop: EventLoop { get }
    /// Set before `start`. What is read without a handler is lost.
    var handler: (any ByteStreamHandler)? { get set }
    /// For logs: "stdio", "127.0.0.1:53214", "unix".
    var peerDescription: String { get }

    /// Whether the stream keeps messages apart: what is written in one call is one message, and so is each `didRead`.
    var carriesMessages: Bool { get }

    /// Starts reading; again is fine. Writing is possible before.
    func start()

    /// Appends to the unsent bytes in place: `body` gets them and must only append, without calling the stream. All that one
    /// turn of the loop appends is sent at its end, in one system call. When nothing can be sent any more (after `finish`,
    /// `finishWriting`, `close`, or when the peer is gone) `body` isn't called.
    func write(_ body: (inout [UInt8]) -> Void)

    /// Bytes that neither the kernel nor the peer stream has taken yet. Grows without bound while the peer doesn't read: who
    /// writes looks at it, and goes on at `streamDidSend`.
    var unsentByteCount: Int { get }

    /// While true nothing is read, so that the kernel slows the peer down; its end isn't noticed then either.
    var isReadingPaused: Bool { get set }

    /// Delivers now what can be read without waiting, up to `StreamLimits.drainBytes`, unless reading is paused. From inside
    /// this stream's `didRead` it does nothing: the rest comes after that call.
    func readAvailable()

    /// Sends what is unsent, then tells the peer that no more comes, while reading goes on: a half close. The stream closes
    /// when the peer has ended too.
    func finishWriting()

    /// Sends what is unsent, then closes; nothing is delivered any more but `didClose`. A peer that doesn't read delays that
    /// without end: who doesn't want to wait calls `close`.
    func finish()

    /// Closes now; unsent bytes are dropped.
    func close()
}

extension ByteStream {
    package var carriesMessages: Bool { false }
}

/// What a stream tells whoever uses it, on the stream's loop.
package protocol ByteStreamHandler: AnyObject {
    /// `bytes` are lent for this call. Anything may be called on the stream from inside.
    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer)

    /// The peer sends no more: end of input, a half close, a terminal that hung up. At most once. Writing goes on.
    func streamDidReachEnd(_ stream: any ByteStream)

    /// The unsent bytes were above `StreamLimits.lowWaterBytes` when the loop tried to send, and no longer are.
    func streamDidSend(_ stream: any ByteStream)

    /// The peer takes nothing more: it closed its end, or is gone. When true is returned, what it sent before is still read,
    /// up to its end, and only then the stream closes; what is written meanwhile is lost. At most once; nothing may be
    /// called on the stream from inside.
    func stream(_ stream: any ByteStream, readsOnAfter error: SystemError) -> Bool

    /// The last call, exactly once: at the end of the turn in which the stream closed, however it did. An error says that
    /// bytes may be lost; nil that it was closed from this side or both sides had ended.
    func stream(_ stream: any ByteStream, didClose error: SystemError?)
}

extension ByteStreamHandler {
    /// Whoever can't be answered isn't listened to: the stream closes.
    package func stream(_ stream: any ByteStream, readsOnAfter error: SystemError) -> Bool { false }
}

/// What all streams keep to.
package enum StreamLimits {
    /// See `ByteStreamHandler.streamDidSend`.
    package static let lowWaterBytes = 64 * 1024
    /// One stream is read for so many bytes in a turn, then it is the others' turn.
    package static let readBytesPerTurn = 256 * 1024
    /// What `readAvailable` reads at most: sixteen times what the largest pipe of Linux holds, and an end to a peer that
    /// writes as fast as it is read.
    package static let drainBytes = 16 * 1024 * 1024
    /// After `finish`, a socket's input is still taken in and thrown away for so long: closed with input unread, TCP would
    /// reset the connection, and the peer might lose the last bytes that it was sent.
    package static let lingerDuration: Duration = .seconds(1)
}
