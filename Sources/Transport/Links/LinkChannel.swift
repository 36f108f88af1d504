/// The link's half of a channel; confined to the link's loop. The other half is the `LinkStream`, on a loop of its own.
final class LinkChannel {
    let streamLoop: EventLoop
    let stream: LoopBound<LinkStream>
    /// The channel's number; 0 until it is open.
    var number: UInt32 = 0
    /// How much the other end may still send.
    var receiveCredit: Int
    /// How much was sent for which the other end hasn't given credit.
    var debt = 0
    var hasSentEnd = false
    var hasReceivedEnd = false
    /// What goes to the stream at the end of the current read.
    var arrivals = LinkArrivals()

    init(stream: LoopBound<LinkStream>, on streamLoop: EventLoop, windowBytes: Int) {
        receiveCredit = windowBytes
        self.stream = stream
        self.streamLoop = streamLoop
    }

    /// Hands everything that has arrived to the stream, in one hop to its loop.
    func deliver() {
        guard !arrivals.isEmpty else { return }
        let taken = arrivals
        arrivals = LinkArrivals()
        streamLoop.execute { [stream] in stream.value.take(taken) }
    }
}

/// A message from the link's loop to a channel's stream. Its parts take effect in this order.
struct LinkArrivals: Sendable {
    enum Ending: Sendable {
        /// The other end closed the channel; everything that it sent before is still read.
        case closed
        /// The stream closes at once.
        case failed(SystemError)
    }

    var credit = 0
    var pieces: [LinkPiece] = []
    /// Whether the other end sends no more.
    var isEnded = false
    var ending: Ending?

    var isEmpty: Bool { credit == 0 && pieces.isEmpty && !isEnded && ending == nil }
}

/// A message from a channel's stream to the link's loop. Its parts take effect in this order.
struct LinkDepartures: Sendable {
    var credit = 0
    var pieces: [LinkPiece] = []
    /// Whether the stream sends no more.
    var isEnded = false
    var closing: LinkCloseCode?

    var isEmpty: Bool { credit == 0 && pieces.isEmpty && !isEnded && closing == nil }
}
