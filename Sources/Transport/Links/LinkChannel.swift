/// A channel as the link sees it; confined to the link's loop. Its `LinkStream` is its other half, on a loop of its own.
final class LinkChannel {
    let streamLoop: EventLoop
    let stream: LoopBound<LinkStream>
    /// 0 until it is open.
    var number: UInt32 = 0
    /// What the other end may still send.
    var receiveCredit: Int
    /// What was sent, and the other end hasn't given credit for.
    var debt = 0
    var hasSentEnd = false
    var hasReceivedEnd = false
    /// What goes to the stream at the end of this read.
    var arrivals = LinkArrivals()

    init(stream: LoopBound<LinkStream>, on streamLoop: EventLoop, windowBytes: Int) {
        receiveCredit = windowBytes
        self.stream = stream
        self.streamLoop = streamLoop
    }

    /// Hands over what has come, in one hop.
    func deliver() {
        guard !arrivals.isEmpty else { return }
        let taken = arrivals
        arrivals = LinkArrivals()
        streamLoop.execute { [stream] in stream.value.take(taken) }
    }
}

/// What the link's loop tells a channel's stream at a time, in this order.
struct LinkArrivals: Sendable {
    enum Ending: Sendable {
        /// The other end closed the channel; what it sent before is read.
        case closed
        /// The stream closes at once.
        case failed(SystemError)
    }

    var credit = 0
    var pieces: [LinkPiece] = []
    /// The other end sends no more.
    var isEnded = false
    var ending: Ending?

    var isEmpty: Bool { credit == 0 && pieces.isEmpty && !isEnded && ending == nil }
}

/// What a channel's stream tells the link's loop at a time, in this order.
struct LinkDepartures: Sendable {
    var credit = 0
    var pieces: [LinkPiece] = []
    /// The stream sends no more.
    var isEnded = false
    var closing: LinkCloseCode?

    var isEmpty: Bool { credit == 0 && pieces.isEmpty && !isEnded && closing == nil }
}
