import LibC

/// One end of a link: its protocol and its I/O. The streams of its channels are objects of their own, on other loops.
///
/// Confined to the link's loop. Retained by the connection's stream, whose handler it is.
final class LinkCore {
    enum Side {
        case near(didOpen: () -> Void)
        case far(accept: (_ payload: [UInt8], _ makeStream: Link.MakeStream) -> Void)
    }

    private enum Phase {
        case open
        /// `close` was called, and the channels still send what was written to them.
        case closing
        /// The link is over: its stream sends what was written before, or is closed.
        case ended
    }

    let loop: EventLoop
    let peerDescription: String
    private let stream: any ByteStream
    let settings: Link.Settings
    private let side: Side
    private let token: [UInt8]
    private var didClose: ((SystemError?) -> Void)?

    private var phase = Phase.open
    /// Whether the other end's first frame has come and was right.
    private var isGreeted = false
    private var reader: LinkFrameReader
    private var channels: [UInt32: LinkChannel] = [:]
    /// The channels for which something came in the read that is being handled.
    private var touched: [LinkChannel] = []
    /// The greatest number of a channel so far. A channel up to this number that isn't in `channels` was closed.
    private var lastNumber: UInt32 = 0
    /// The reason for the link's end, passed to `didClose` and to all streams.
    private var failure: SystemError?
    private var timer: LoopTimer?
    private var lastHeard: MonotonicTime
    private var hasWritten = false

    init(
        _ stream: any ByteStream, _ settings: Link.Settings, _ side: Side, _ token: [UInt8],
        didClose: @escaping (SystemError?) -> Void
    ) {
        loop = stream.loop
        loop.preconditionIsCurrent()
        peerDescription = stream.peerDescription
        self.stream = stream
        self.settings = settings
        self.side = side
        self.token = token
        reader = LinkFrameReader(firstLength: LinkFrame.greetingLength(token))
        self.didClose = didClose
        lastHeard = stream.loop.now
    }

    func start() {
        stream.handler = self
        stream.start()
        if case .near = side { write(.hello(version: LinkFrame.version, token: token)) }
        after(settings.helloTime) { $0.fail(ETIMEDOUT, "the other server didn't greet in time") }
    }

    /// Opens a channel of this side.
    func open(_ channel: LinkChannel, _ payload: [UInt8]) {
        guard let error = reasonNotToOpen(payload) else {
            lastNumber += 1
            channel.number = lastNumber
            channels[lastNumber] = channel
            return write(.open(channel: lastNumber, payload: payload))
        }
        channel.arrivals.ending = .failed(error)
        channel.deliver()
    }

    private func reasonNotToOpen(_ payload: [UInt8]) -> SystemError? {
        guard case .near = side else { return error(EINVAL, "only the near side opens channels") }
        guard phase == .open else { return failure ?? error(EPIPE, "the link is closed") }
        guard payload.count <= LinkFrame.maximumBytes else {
            return error(EMSGSIZE, "\(payload.count) bytes open a channel, and \(LinkFrame.maximumBytes) is the most")
        }
        guard lastNumber < .max else { return error(EOVERFLOW, "the numbers of channels are used up") }
        return nil
    }

    func close(_ code: LinkCloseCode) {
        guard phase == .open else { return }
        phase = .closing
        let error = self.error(ECANCELED, "the link was closed")
        for channel in channelsInOrder {
            channel.streamLoop.execute { [stream = channel.stream] in stream.value.finish(code, error) }
        }
        after(settings.closeTime) { $0.endChannels(code, error) }
        endIfDone()
    }

    /// Closes the channels that are still open after `closeTime`, as are those whose user doesn't read.
    private func endChannels(_ code: LinkCloseCode, _ error: SystemError) {
        for channel in channelsInOrder {
            write(.close(channel: channel.number, code))
            channel.arrivals.ending = .failed(error)
            channel.deliver()
        }
        channels = [:]
        endIfDone()
    }

    private func endIfDone() {
        guard phase == .closing, channels.isEmpty else { return }
        phase = .ended
        stream.finish()
        after(settings.closeTime) { $0.stream.close() }
    }

    /// The channels in the order in which they were opened, so that clients which come back do so in a known order.
    private var channelsInOrder: [LinkChannel] { channels.values.sorted { $0.number < $1.number } }

    private func remove(_ channel: LinkChannel) {
        channels[channel.number] = nil
        endIfDone()
    }
}

// Sending.
extension LinkCore {
    private func write(_ frame: LinkFrame) {
        hasWritten = true
        stream.write { frame.encode(into: &$0) }
    }

    /// Sends the data and signals from a channel's stream. Nothing is sent for a channel that the other end has closed.
    func take(_ departures: LinkDepartures, of channel: LinkChannel) {
        let number = channel.number
        guard phase != .ended, channels[number] === channel else { return }
        if departures.credit > 0 {
            channel.receiveCredit += departures.credit
            write(.credit(channel: number, UInt32(clamping: departures.credit)))
        }
        for piece in departures.pieces {
            channel.debt += piece.cost
            write(.data(channel: number, isLast: piece.isLast, bytes: piece.bytes))
        }
        if departures.isEnded {
            channel.hasSentEnd = true
            write(.end(channel: number))
        }
        if channel.hasSentEnd, channel.hasReceivedEnd {
            remove(channel)
        } else if let code = departures.closing {
            write(.close(channel: number, code))
            remove(channel)
        }
    }
}

// Receiving.
extension LinkCore: ByteStreamHandler {
    func readAvailable() {
        if phase != .ended { stream.readAvailable() }
    }

    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        guard phase != .ended else { return }
        lastHeard = loop.now
        do throws(LinkError) {
            try reader.read(bytes) { frame throws(LinkError) in try take(frame) }
        } catch {
            fail(EPROTO, "the other server broke the rules of a link: \(error)")
        }
        for channel in touched { channel.deliver() }
        touched.removeAll(keepingCapacity: true)
    }

    private func take(_ frame: LinkFrame) throws(LinkError) {
        guard phase != .ended else { return }
        guard isGreeted else { return try greet(frame) }
        switch frame {
        case .hello, .welcome: throw LinkError("it greeted twice")
        case .ping:
            // Where much is unsent, that shows as much as a pong. So pings can't fill the memory.
            if stream.unsentByteCount <= StreamLimits.lowWaterBytes { write(.pong) }
        case .pong: break
        case .open(let number, let payload): try accept(number, payload)
        case .data(let number, let isLast, let bytes):
            if let channel = try channel(number) { try take(LinkPiece(bytes: bytes, isLast: isLast), of: channel) }
        case .credit(let number, let amount):
            if let channel = try channel(number) { try takeCredit(Int(amount), of: channel) }
        case .end(let number):
            if let channel = try channel(number) { try takeEnd(of: channel) }
        case .close(let number, let code):
            if let channel = try channel(number) { takeClose(code, of: channel) }
        }
    }

    /// Handles the other end's first frame. `close` may have been called before.
    private func greet(_ frame: LinkFrame) throws(LinkError) {
        switch (side, frame) {
        case (.near(let didOpen), .welcome):
            begin()
            didOpen()
        case (.far, .hello(let version, let token)):
            guard version == LinkFrame.version else { throw LinkError("it has version \(version) of them") }
            guard self.token.matchesInConstantTime(token) else { throw LinkError("its token is wrong") }
            begin()
            write(.welcome)
        default:
            throw LinkError("its first frame is no greeting")
        }
    }

    private func begin() {
        isGreeted = true
        if phase == .open { tickLater(settings.pingInterval) }
    }

    /// Returns the channel with this number; nil where it was closed, as its last frames may still come.
    ///
    /// - Throws: where no such channel was ever opened.
    private func channel(_ number: UInt32) throws(LinkError) -> LinkChannel? {
        guard number <= lastNumber else { throw LinkError("there was no channel \(number) yet") }
        return channels[number]
    }

    private func accept(_ number: UInt32, _ payload: [UInt8]) throws(LinkError) {
        guard case .far(let accept) = side else { throw LinkError("the far side opens no channels") }
        guard number > lastNumber else { throw LinkError("channel \(number) is opened again, or too late") }
        lastNumber = number
        var taken: LinkChannel?
        if phase == .open {
            accept(payload) { loop, peer in
                let (channel, stream) = makeChannel(on: loop, peer)
                taken = channel
                return stream
            }
        }
        guard let taken else { return write(.close(channel: number, phase == .open ? .refused : .goingAway)) }
        taken.number = number
        channels[number] = taken
    }

    private func makeChannel(on loop: EventLoop, _ peer: String) -> (LinkChannel, LinkStream) {
        let stream = LinkStream(peer: peer, on: loop, windowBytes: settings.windowBytes)
        let channel = LinkChannel(
            stream: LoopBound(stream, loop: loop), on: loop, windowBytes: settings.windowBytes)
        let (core, bound) = (LoopBound(self, loop: self.loop), LoopBound(channel, loop: self.loop))
        stream.begin { [linkLoop = self.loop] departures in
            linkLoop.execute { core.value.take(departures, of: bound.value) }
        }
        return (channel, stream)
    }

    private func touch(_ channel: LinkChannel) {
        if channel.arrivals.isEmpty { touched.append(channel) }
    }

    private func take(_ piece: LinkPiece, of channel: LinkChannel) throws(LinkError) {
        guard !channel.hasReceivedEnd else { throw LinkError("data of channel \(channel.number) after its end") }
        guard piece.cost <= channel.receiveCredit else {
            throw LinkError("channel \(channel.number) sends more than it has credit for")
        }
        channel.receiveCredit -= piece.cost
        touch(channel)
        channel.arrivals.pieces.append(piece)
    }

    private func takeCredit(_ amount: Int, of channel: LinkChannel) throws(LinkError) {
        guard amount <= channel.debt else {
            throw LinkError("channel \(channel.number) is given credit for more than it has sent")
        }
        guard amount > 0 else { return }
        channel.debt -= amount
        touch(channel)
        channel.arrivals.credit += amount
    }

    private func takeEnd(of channel: LinkChannel) throws(LinkError) {
        guard !channel.hasReceivedEnd else { throw LinkError("channel \(channel.number) ends twice") }
        channel.hasReceivedEnd = true
        touch(channel)
        channel.arrivals.isEnded = true
        if channel.hasSentEnd { remove(channel) }
    }

    private func takeClose(_ code: LinkCloseCode, of channel: LinkChannel) {
        touch(channel)
        switch code {
        case .normal: channel.arrivals.ending = .closed
        case .refused: channel.arrivals.ending = .failed(error(ECONNREFUSED, "the other server refused the channel"))
        case .goingAway: channel.arrivals.ending = .failed(error(ECONNRESET, "the other server is going away"))
        case .failed: channel.arrivals.ending = .failed(error(ECONNRESET, "the other server gave the channel up"))
        }
        remove(channel)
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        guard phase != .ended else { return stream.close() }
        guard !isGreeted, case .near = side else { return fail(ECONNRESET, "the other server closed the link") }
        fail(EACCES, "the other server closed the link without a greeting, as it does where the tokens differ")
    }

    func streamDidSend(_ stream: any ByteStream) {}

    /// Returns whether to read on after a failed write: the last bytes that the other end sent may tell why it closed.
    func stream(_ stream: any ByteStream, readsOnAfter error: SystemError) -> Bool { phase != .ended }

    func stream(_ stream: any ByteStream, didClose error: SystemError?) {
        let loss = failure ?? error.map { self.error($0.code, "the connection to the other server is lost: \($0)") }
        end(loss)
        let didClose = didClose
        self.didClose = nil
        didClose?(loss)
    }
}

// The link's end.
extension LinkCore {
    private func error(_ code: Int32, _ reason: String) -> SystemError {
        SystemError(code: code, call: "link", subject: peerDescription, reason: reason)
    }

    private func fail(_ code: Int32, _ reason: String) {
        guard phase != .ended else { return stream.close() }
        let failure = error(code, reason)
        self.failure = failure
        end(failure)
        stream.close()
    }

    /// Ends all channels. Their streams first get what has arrived for them.
    private func end(_ error: SystemError?) {
        phase = .ended
        timer?.cancel()
        let error = error ?? self.error(ECANCELED, "the link was closed")
        for channel in channelsInOrder {
            channel.arrivals.ending = .failed(error)
            channel.deliver()
        }
        channels = [:]
    }
}

// Pings.
extension LinkCore {
    private func tickLater(_ time: Duration) {
        after(time) { $0.tick() }
    }

    /// Fails the link where nothing has come for `silenceLimit`. Sends a ping where nothing has come or was sent since the
    /// last tick.
    ///
    /// A ping is also due where much comes but nothing is sent, as the other end must receive something, too.
    private func tick() {
        let silence = Duration.nanoseconds(loop.now.nanoseconds - lastHeard.nanoseconds)
        guard silence < settings.silenceLimit else {
            return fail(ETIMEDOUT, "nothing came from the other server for \(settings.silenceLimit)")
        }
        if silence >= settings.pingInterval || !hasWritten { write(.ping) }
        hasWritten = false
        tickLater(min(settings.pingInterval, settings.silenceLimit - silence))
    }

    /// Calls `action` after a time. Replaces what the timer was set to: first the greeting, then pings, then the end.
    private func after(_ time: Duration, _ action: @escaping @Sendable (LinkCore) -> Void) {
        timer?.cancel()
        let bound = LoopBound(self, loop: loop)
        timer = loop.schedule(after: time) { action(bound.value) }
    }
}
