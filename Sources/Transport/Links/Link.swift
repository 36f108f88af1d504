/// One end of a connection between two servers, which carries many streams of messages: its channels.
///
/// The near side opens a channel for each of its clients that needs the far side; the far side's acceptor serves the channel.
/// A channel that nobody reads delays no other, as each has its own window in each direction. The link is confined to the
/// loop of its stream; channels live on any loop. Any thread may use this object. It is only a reference to the link: the
/// link lives on without it.
package final class Link: Sendable {
    /// The times of a link, and the windows of its channels.
    package struct Settings: Sendable {
        /// The time after which a link that has received or sent nothing sends a ping.
        package var pingInterval = Duration.seconds(1)
        /// The time after which a link that receives nothing is lost.
        package var silenceLimit = Duration.seconds(3)
        /// The time within which the other end's first frame must come. A server that was stopped still accepts connections,
        /// so a client that waits for one of its sessions waits for this time beyond the lease.
        package var helloTime = Duration.seconds(1)
        /// The time after `close` in which earlier writes are still sent.
        package var closeTime = Duration.seconds(2)
        /// The most bytes that a side may send on a channel before it gets credit for them. Both ends have the same.
        package var windowBytes = 256 << 10

        package init() {}

        /// The settings of a link to another process of this server.
        ///
        /// There is no limit of silence: the system reports when the process has ended, and the process may be suspended for
        /// any time. The windows are small, to bound this server's memory.
        package static let ofProcess = {
            var settings = Settings()
            settings.pingInterval = .seconds(Int32.max)
            settings.silenceLimit = .seconds(Int32.max)
            settings.helloTime = .seconds(Int32.max)
            settings.windowBytes = 64 << 10
            return settings
        }()
    }

    /// Makes the stream of a channel that the acceptor accepts, on this loop and with this `peerDescription`.
    package typealias MakeStream = (_ loop: EventLoop, _ peer: String) -> LinkStream

    /// The link's loop.
    package let loop: EventLoop
    /// The address of the other end, for logs.
    package let peerDescription: String
    private let windowBytes: Int
    private let core: LoopBound<LinkCore>

    /// Makes the near end, which may open channels at once, and starts `stream`. Called on the loop of `stream`.
    ///
    /// - Parameters:
    ///   - token: shown to the far side, at most 64 KiB.
    ///   - didOpen: called once the far side has accepted the token.
    ///   - didClose: called once, as the last call, with the reason; nil where this end closed the link.
    package convenience init(
        connecting stream: any ByteStream, token: [UInt8], settings: Settings = Settings(),
        didOpen: @escaping () -> Void = {}, didClose: @escaping (SystemError?) -> Void = { _ in }
    ) {
        self.init(LinkCore(stream, settings, .near(didOpen: didOpen), token, didClose: didClose))
    }

    /// Makes the far end, and starts `stream`. Called on the loop of `stream`.
    ///
    /// - Parameters:
    ///   - token: the token that the near side must show.
    ///   - didClose: as for the near end.
    ///   - accept: called on the link's loop for each channel, with the payload that the near side gave. It accepts the
    ///     channel by calling the second argument, once; otherwise the channel is refused. Messages wait until the stream is
    ///     started.
    package convenience init(
        accepting stream: any ByteStream, token: [UInt8], settings: Settings = Settings(),
        didClose: @escaping (SystemError?) -> Void = { _ in },
        accept: @escaping (_ payload: [UInt8], _ makeStream: MakeStream) -> Void
    ) {
        self.init(LinkCore(stream, settings, .far(accept: accept), token, didClose: didClose))
    }

    private init(_ core: LinkCore) {
        loop = core.loop
        peerDescription = core.peerDescription
        windowBytes = core.settings.windowBytes
        self.core = LoopBound(core, loop: core.loop)
        core.start()
    }

    /// Opens a channel from the near side. Any thread may call this; on a thread other than that of `loop`, the stream may
    /// only be handed to `loop`.
    ///
    /// Messages may be written at once. Where the link is gone, or the far side refuses the channel, `didClose` reports that.
    ///
    /// - Parameters:
    ///   - payload: for the far side's acceptor, at most 64 KiB.
    ///   - loop: the loop of the stream.
    ///   - peer: the stream's `peerDescription`.
    package func openChannel(payload: [UInt8], on loop: EventLoop, peer: String) -> LinkStream {
        let stream = LinkStream(peer: peer, on: loop, windowBytes: windowBytes)
        let channel = LoopBound(
            LinkChannel(stream: LoopBound(stream, loop: loop), on: loop, windowBytes: windowBytes), loop: self.loop)
        // Before the stream can send.
        self.loop.execute { [core] in core.value.open(channel.value, payload) }
        stream.begin { [core, linkLoop = self.loop] departures in
            linkLoop.execute { core.value.take(departures, of: channel.value) }
        }
        return stream
    }

    /// Hands everything that has arrived to the channels, without waiting for the poller. Any thread may call this.
    package func readAvailable() {
        loop.execute { [core] in core.value.readAvailable() }
    }

    /// Calls `body` once everything that was given to channels before is written, as far as the other end's windows take it.
    /// Any thread may call this.
    package func afterWriting(_ body: @escaping @Sendable () -> Void) {
        // Streams write after the work for the end of a turn, so this waits for the next one.
        loop.execute { [loop] in loop.atEndOfTurn { loop.atEndOfTurn { body() } } }
    }

    /// Closes all channels, then the link. What was written before is sent first, within `closeTime`.
    ///
    /// Any thread may call this. Later calls do nothing.
    ///
    /// - Parameter code: the code for the streams of the other end.
    package func close(_ code: LinkCloseCode = .goingAway) {
        loop.execute { [core] in core.value.close(code) }
    }
}
