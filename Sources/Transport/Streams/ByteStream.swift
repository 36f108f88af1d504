import LibC

/// A channel for bytes both ways between this process and one peer: a socket, standard input and output, or another stream in
/// memory.
///
/// A stream belongs to its loop and is used on the loop's thread only. From its creation until it is closed, the loop retains
/// the stream, and the stream retains its handler; after the handler's last call both are released. So a connection that only
/// its stream retains lives as long as the stream, and none outlives the loop.
///
/// `write`, `finish`, `finishWriting`, `close`, `start` and `isReadingPaused` never call the handler before they
/// return; `readAvailable` calls it with the bytes that it reads.
package protocol ByteStream: AnyObject {
    var loop: EventLoop { get }
    /// The user of the stream. Set before `start`. Bytes that are read without a handler are lost.
    var handler: (any ByteStreamHandler)? { get set }
    /// The peer in words, for logs: "stdio", "127.0.0.1:53214", "unix".
    var peerDescription: String { get }

    /// The id of the user for whom the peer counts: for a Unix socket the peer's user when it connected, and otherwise this
    /// process's own.
    var peerUser: UInt32 { get }

    /// Whether the stream keeps messages apart: the bytes of one `write` are one message, and so are those of each
    /// `didRead`.
    var carriesMessages: Bool { get }

    /// Guards unfinished messages, where the stream keeps messages apart; other streams leave that to their user. Set before
    /// `start`.
    var inputGuard: InputGuard? { get set }

    /// Starts reading; more than once is fine. Writing is possible before.
    func start()

    /// Calls `body` to append to the unsent bytes in place. `body` must only append, without calling the stream.
    ///
    /// All bytes that are appended in one turn of the loop are sent at its end, in one system call. Once nothing can be sent
    /// any more (after `finish`, `finishWriting` or `close`, or when the peer is gone), `body` isn't called.
    func write(_ body: (inout [UInt8]) -> Void)

    /// Writes a part of a message. A stream that keeps messages apart takes all parts up to the one with `isLast` as one
    /// message. The caller writes nothing else between them.
    func write(isLast: Bool, _ body: (inout [UInt8]) -> Void)

    /// The number of bytes that neither the kernel nor the peer stream has taken yet.
    ///
    /// It grows without bound while the peer doesn't read: a writer watches the number, stops, and goes on at
    /// `streamDidSend`.
    var unsentByteCount: Int { get }

    /// Whether reading is paused, so that the kernel slows the peer down. The peer's end isn't noticed then either.
    var isReadingPaused: Bool { get set }

    /// Delivers now the bytes that can be read without waiting, up to `StreamLimits.drainBytes`, unless reading is
    /// paused.
    ///
    /// Does nothing inside this stream's `didRead`: the rest comes after that call.
    func readAvailable()

    /// Sends the unsent bytes, then the end of the output, while reading goes on: a half close. The stream closes when
    /// the peer has ended too.
    func finishWriting()

    /// Sends the unsent bytes, then closes. Of the handler only `didClose` is called from here on.
    ///
    /// A peer that doesn't read delays that without end; `close` doesn't wait.
    func finish()

    /// Closes now; unsent bytes are dropped.
    func close()
}

extension ByteStream {
    package var peerUser: UInt32 { getuid() }

    package var carriesMessages: Bool { false }

    package var inputGuard: InputGuard? {
        get { nil }
        set {}
    }

    package func write(isLast: Bool, _ body: (inout [UInt8]) -> Void) { write(body) }
}

/// The user of a stream. All calls come on the stream's loop.
package protocol ByteStreamHandler: AnyObject {
    /// Takes bytes that were read, borrowed for this call. All methods of the stream may be called from inside.
    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer)

    /// Takes note that the peer sends no more: end of input, a half close, or a terminal that hung up. Called at most once.
    /// Writing goes on.
    func streamDidReachEnd(_ stream: any ByteStream)

    /// Takes note that the unsent bytes were above `StreamLimits.lowWaterBytes` when the loop tried to send, and no longer
    /// are.
    func streamDidSend(_ stream: any ByteStream)

    /// Decides whether to read on, as the peer accepts no more bytes: it closed its end, or is gone. Called at most once. No
    /// method of the stream may be called from inside.
    ///
    /// - Returns: true to read the bytes that the peer sent before, up to its end, and only then close the stream; everything
    ///   that is written meanwhile is lost. False to close the stream now.
    func stream(_ stream: any ByteStream, readsOnAfter error: SystemError) -> Bool

    /// Takes note that the stream is closed. This is the last call, made exactly once, at the end of the turn in which the
    /// stream closed, for whatever reason.
    ///
    /// - Parameter error: the reason why bytes may be lost; nil when this side closed the stream or both sides had ended.
    func stream(_ stream: any ByteStream, didClose error: SystemError?)
}

extension ByteStreamHandler {
    /// Closes the stream: a peer that can't be answered isn't read either.
    package func stream(_ stream: any ByteStream, readsOnAfter error: SystemError) -> Bool { false }
}

/// Limits that all streams keep.
package enum StreamLimits {
    /// The number of unsent bytes for `ByteStreamHandler.streamDidSend`.
    package static let lowWaterBytes = 64 * 1024
    /// The number of unsent bytes beyond which a stream writes after those with fewer.
    static let longWriteBytes = 32 * 1024
    /// The most bytes that are read from one stream in a turn, before other streams have theirs.
    static let readBytesPerTurn = LoopCore.scratchBytes
    /// The most bytes that `readAvailable` reads: sixteen times the largest pipe of Linux, as a peer may write as fast as it
    /// is read.
    static let drainBytes = 16 * 1024 * 1024
    /// How long a socket's input is read and dropped after `finish`. If the socket were closed with unread input, TCP would
    /// reset the connection, and the peer might lose the last bytes.
    static let lingerDuration: Duration = .seconds(1)
}
