/// One end of a connection between two servers, which carries many streams of messages: its channels.
///
/// The near side opens a channel for each of its clients that needs the far side, and the far side's acceptor serves it.
/// A channel that nobody reads holds up no other: each has a window of its own in each direction. The link is confined
/// to the loop of its stream; channels live on any loop. Any thread may use this object, which is a name for the link,
/// and which the link doesn't need to live.
package final class Link: Sendable {
    /// The times of a link, and the windows of its channels.
    package struct Settings: Sendable {
        /// A link that has heard or said nothing for so long sends a ping.
        package var pingInterval = Duration.seconds(1)
        /// A link that hears nothing for so long is lost.
        package var silenceLimit = Duration.seconds(3)
        /// The time that the other end has for its first frame. A server that was stopped still takes connections, and a
        /// client that waits for one of its sessions waits for this beyond the lease.
        package var helloTime = Duration.seconds(1)
        /// The time that is left, after `close`, to what was written before.
        package var closeTime = Duration.seconds(2)
        /// The most that a side may have sent of a channel without credit for it. Both ends have the same.
        package var windowBytes = 256 << 10

        package init() {}

        /// The settings of a link to another process of this server.
        ///
        /// They have no limit of silence: the system says when the process has ended, and it may be suspended for any time. The
        /// windows are small, as this server is to hold little in memory.
        package static let ofProcess = {
            var settings = Settings()
            settings.pingInterval = .seconds(Int32.max)
            settings.silenceLimit = .seconds(Int32.max)
            settings.helloTime = .seconds(Int32.max)
            settings.windowBytes = 64 << 10
            return settings
        }()
    }

    /// Makes the stream of a channel that the acceptor takes: on which loop it lives, and its `peerDescription`.
    package typealias MakeStream = (_ loop: EventLoop, _ peer: String) -> LinkStream

    /// The link's loop.
    package let loop: EventLoop
    /// For logs: the address of the other end.
    package let peerDescription: String
    private let windowBytes: Int
    private let core: LoopBound<LinkCore>

    /// The near end, which may open channels at once. On the loop of `stream`, which it starts.
    ///
    /// - Parameters:
    ///   - token: shown to the far side, of at most 64 KiB.
    ///   - didOpen: called once the far side has let this one in.
    ///   - didClose: called once, the last call; nil: this end closed the link.
    package convenience init(
        connecting stream: any ByteStream, token: [UInt8], settings: Settings = Settings(),
        didOpen: @escaping () -> Void = {}, didClose: @escaping (SystemError?) -> Void = { _ in }
    ) {
        self.init(LinkCore(stream, settings, .near(didOpen: didOpen), token, didClose: didClose))
    }

    /// The far end. On the loop of `stream`, which it starts.
    ///
    /// - Parameters:
    ///   - token: what the near side must show.
    ///   - didClose: as of the near end.
    ///   - accept: called on the link's loop for each channel with what the near side gave for it. It takes the channel
    ///     by calling the second argument, once, and refuses it by not doing so. Messages wait until the stream is started.
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

    /// Opens a channel, on the near side. Any thread; other than on `loop`, the stream may only be handed to `loop`.
    ///
    /// Messages may be written at once. Where there is no link any more, or the far side refuses the channel, `didClose`
    /// says so.
    ///
    /// - Parameters:
    ///   - payload: for the far side's acceptor, at most 64 KiB.
    ///   - loop: where the stream lives.
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

    /// Hands what has come to the channels, without waiting for the poller. Any thread.
    package func readAvailable() {
        loop.execute { [core] in core.value.readAvailable() }
    }

    /// Calls `body` once what was given to channels before is written, as far as the other end's windows take it. Any thread.
    package func afterWriting(_ body: @escaping @Sendable () -> Void) {
        // Streams write when the work for the end of a turn is done.
        loop.execute { [loop] in loop.atEndOfTurn { loop.atEndOfTurn { body() } } }
    }

    /// Closes all channels, then the link. What was written before is sent first, within `closeTime`.
    ///
    /// Any thread. Later calls do nothing.
    ///
    /// - Parameter code: what the streams of the other end are told.
    package func close(_ code: LinkCloseCode = .goingAway) {
        loop.execute { [core] in core.value.close(code) }
    }
}
