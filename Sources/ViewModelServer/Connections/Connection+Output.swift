import JSON
import JSONRPC
import Sessions
import Transport
import ViewModels

// What a connection writes: whole messages in order, and the events of its views as there is room for them.
extension Connection {
    /// Unsent bytes beyond which nothing more is rendered: events wait in their sessions' logs instead, shared by all.
    private static let highWaterBytes = 256 << 10
    /// What waits beside events, in bytes, beyond which no more messages are taken: who doesn't read can't ask for more.
    private static let outboxBytes = 1 << 20

    private var isCongested: Bool { stream.unsentByteCount >= Self.highWaterBytes }
    private var isOutboxFull: Bool { outbox.bytes > Self.outboxBytes }

    /// A view has something to take; it is written at the end of the loop's turn, or before the next answer of its own.
    func viewHasNews(_ number: Int) {
        viewsWithNews.append(number)
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        stream.loop.atEndOfTurn(call: self)
    }

    /// Sends a whole message after those before it.
    func send(_ message: UnsafeRawBufferPointer) {
        guard outbox.isEmpty, !isCongested else {
            outbox.append(.message(Array(message)))
            if isOutboxFull { pauseReading() }
            return
        }
        write(message)
    }

    /// Sends a view's events up to a number after what waits already, so that an answer may follow them.
    func sendEvents(of number: Int, upTo last: Int) {
        guard !outbox.isEmpty || !renderEvents(of: number, upTo: last) else { return }
        var bytes = 0
        if let view = views[number] {
            let (waiting, sent) = view.session.eventBytes(of: view.id)
            bytes = min(waiting, sent - view.countedBytes)
            views[number]?.countedBytes = sent
        }
        outbox.append(.events(view: number, upTo: last, bytes: bytes))
        // Long before the bound at which the view would be ended: a script may write all it has and only then read.
        if isOutboxFull || outbox.eventBytes > host.limits.viewBytes / 4 { pauseReading() }
    }

    private func pauseReading() {
        peer.isPaused = true
        stream.isReadingPaused = true
    }

    /// Goes on with the messages that came, once the client has read what they led to. At the end of the turn, and so
    /// never from inside another message, of this connection or of another one.
    private func resumeReading() {
        guard peer.isPaused else { return }
        stream.loop.atEndOfTurn { [self] in takeKeptMessages() }
    }

    private func takeKeptMessages() {
        guard peer.isPaused, outbox.isEmpty, !isEnding, !isDraining, !isClosed else { return }
        peer.isPaused = false
        peer.receive()
        if !peer.isPaused { stream.isReadingPaused = false }
    }

    /// Writes as much of what waits as the client is ready to take.
    func flush() {
        while !isCongested, let item = outbox.first {
            switch item {
            case .message(let bytes): bytes.withUnsafeBytes { write($0) }
            case .events(let view, let last, _): guard renderEvents(of: view, upTo: last) else { return }
            case .leave(let view):
                // Out of the queue first: the end of a session answers what waits, which may come back to here.
                outbox.removeFirst()
                didLeave(view)
                continue
            }
            outbox.removeFirst()
        }
        guard outbox.isEmpty else { return }
        resumeReading()
        let numbers = viewsWithNews
        viewsWithNews = []
        for (index, number) in numbers.enumerated() where !renderEvents(of: number) {
            viewsWithNews = numbers[index...] + viewsWithNews
            return
        }
    }

    /// Returns false when there is more than the client is ready to take.
    private func renderEvents(of number: Int, upTo last: Int? = nil) -> Bool {
        while let view = last == nil ? views[number] : viewWithEvents(number), view.isAnswered {
            if isCongested { return false }
            let news = view.session.take(view.id, upTo: last, maximumBytes: Self.highWaterBytes)
            news.forEachEvent { render($0, of: number) }
            if let end = news.end { return didEnd(number, end) }
            guard news.hasMore, let newest = news.newest, newest < last ?? .max else { break }
        }
        return true
    }

    private func didEnd(_ number: Int, _ reason: EndReason) -> Bool {
        if let view = views.removeValue(forKey: number) { view.session.detach(view.id) }
        notify(.sessionClosed) { params in
            params.key("session")
            params.integer(number)
            params.key("reason")
            params.string(reason.rawValue)
        }
        return true
    }

    private func render(_ event: SessionNews.Event, of view: Int) {
        var writer = JSONWriter()
        MessageEncoder.notification(Notification(event.content).rawValue, into: &writer) { params in
            params.key("session")
            params.integer(view)
            params.key("seq")
            params.integer(event.number)
            event.content.write(to: &params)
            if let after = event.after {
                params.key("after")
                params.integer(after)
            }
            if event.isFollowedAtOnce {
                params.key("more")
                params.boolean(true)
            }
        }
        writer.withUnsafeBytes { write($0) }
    }

    /// What a session reports goes out in its place among the view's events; to the server's log alone where the client
    /// doesn't read, since a view model may go on with it for ever.
    func report(_ message: String, of view: Int) {
        guard !isOutboxFull else { return host.log.debug("\(stream.peerDescription): \(message)") }
        if let newest = views[view]?.session.summary.newest { sendEvents(of: view, upTo: newest) }
        log(.error, message)
    }

    /// Progress goes out in its place among the events of the view whose event asked for it. Of what lies between its begin
    /// and its end a client that doesn't read misses some.
    ///
    /// - Parameter newest: the session's newest event when the handler reported it.
    func report(_ value: WorkDoneProgress.Value, token: [UInt8], view: Int, after newest: Int?) {
        if case .report = value, isOutboxFull || !hasRoom(beforeArrivalOf: view) { return }
        if arrivals[view] != nil {
            return onArrival(of: view) { $0.report(value, token: token, view: view, after: newest) }
        }
        if let newest, views[view] != nil { sendEvents(of: view, upTo: newest) }
        notify(.progress) { params in
            params.key("token")
            params.raw(token)
            params.key("value")
            value.write(to: &params)
        }
    }

    private func write(_ message: UnsafeRawBufferPointer) {
        // What goes wrong before a framing is known is told in lines, which a person can read.
        let encoder = FrameEncoder(peer.framing ?? .lines)
        stream.write { encoder.append(message, to: &$0) }
    }
}

extension Connection: TurnEndHandler {
    func loopWillEndTurn() {
        isFlushScheduled = false
        flush()
    }
}

extension WorkDoneProgress.Value {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("kind")
        switch self {
        case .begin(let title, let message, let percentage):
            writer.string("begin")
            writer.key("title")
            writer.string(title)
            writer.key("cancellable")
            writer.boolean(true)
            writeDetails(message, percentage, to: &writer)
        case .report(let message, let percentage):
            writer.string("report")
            writeDetails(message, percentage, to: &writer)
        case .end(let message):
            writer.string("end")
            writeDetails(message, nil, to: &writer)
        }
        writer.endObject()
    }

    private func writeDetails(_ message: String?, _ percentage: Int?, to writer: inout JSONWriter) {
        if let message {
            writer.key("message")
            writer.string(message)
        }
        if let percentage {
            writer.key("percentage")
            writer.integer(percentage)
        }
    }
}
