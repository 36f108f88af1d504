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
        guard let view = views[number], !view.hasNews else { return }
        view.hasNews = true
        news.append(number)
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        loop.atEndOfTurn(call: self)
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
    func sendEvents(of view: View, upTo last: Int) {
        guard !outbox.isEmpty || !renderEvents(of: view, upTo: last) else { return }
        let (waiting, sent) = view.session.eventBytes(of: view.id)
        let bytes = min(waiting, sent - view.countedBytes)
        view.countedBytes = sent
        outbox.append(.events(view: view.number, upTo: last, bytes: bytes))
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
        loop.atEndOfTurn { [self] in takeKeptMessages() }
    }

    private func takeKeptMessages() {
        guard peer.isPaused, outbox.isEmpty, !isEnding, !isDraining, !isClosed else { return }
        peer.isPaused = false
        peer.receive(for: self)
        if !peer.isPaused { stream.isReadingPaused = false }
    }

    /// Writes as much of what waits as the client is ready to take.
    ///
    /// Called after each message, so it must cost nothing when there is nothing to write.
    func flush() {
        if !outbox.isEmpty {
            writeOutbox()
            guard outbox.isEmpty else { return }
            resumeReading()
        }
        if news.count > 0 { renderNews() }
    }

    private func writeOutbox() {
        while !isCongested, let item = outbox.first {
            switch item {
            case .message(let bytes): bytes.withUnsafeBytes { write($0) }
            case .events(let number, let last, _):
                if let view = viewWithEvents(number), !renderEvents(of: view, upTo: last) { return }
            case .leave(let view):
                // Out of the queue first: the end of a session answers what waits, which may come back to here.
                outbox.removeFirst()
                didLeave(view)
                continue
            }
            outbox.removeFirst()
        }
    }

    /// What is told meanwhile comes after it.
    private func renderNews() {
        while let number = news.popFirst() {
            guard let view = views[number], view.hasNews else { continue }
            guard renderEvents(of: view) else { return news.putBack(number) }
            // Nothing is left, or nothing may be sent before the view is answered, and then it says so again.
            forgetNews(of: view)
        }
    }

    /// Returns false when there is more than the client is ready to take.
    private func renderEvents(of view: View, upTo last: Int? = nil) -> Bool {
        while view.isAnswered {
            if isCongested { return false }
            let taken = view.session.take(view.id, upTo: last, maximumBytes: Self.highWaterBytes)
            taken.forEachEvent { render($0, of: view.number) }
            if taken.isAll { forgetNews(of: view) }
            if let end = taken.end { return didEnd(view.number, end) }
            guard taken.hasMore, let newest = taken.newest, newest < last ?? .max else { break }
        }
        return true
    }

    func forgetNews(of view: View) {
        guard view.hasNews else { return }
        view.hasNews = false
        news.forget()
    }

    private func didEnd(_ number: Int, _ reason: EndReason) -> Bool {
        if let view = removeView(number) { view.session.detach(view.id) }
        notify(.sessionClosed) { params in
            params.key("session")
            params.integer(number)
            params.key("reason")
            params.string(reason.rawValue)
        }
        return true
    }

    /// Writes only the envelope: a view model's event is encoded already, and copied once, to the stream.
    private func render(_ event: SessionNews.Event, of view: Int) {
        ScratchWriter.with { writer in
            MessageEncoder.beginNotification(Notification(event.content).name, into: &writer)
            writer.literal(#""session":"#)
            writer.integer(view)
            writer.literal(#","seq":"#)
            writer.integer(event.number)
            switch event.content {
            case .event(let payload):
                writer.literal(#","event":"#)
                let beginning = writer.count
                endEnvelope(of: event, &writer)
                writer.withUnsafeBytes { envelope in
                    payload.withUnsafeBytes { write(envelope[..<beginning], $0, envelope[beginning...]) }
                }
            case .navigation(let change):
                change.write(to: &writer)
                endEnvelope(of: event, &writer)
                writer.withUnsafeBytes { write($0) }
            }
        }
    }

    private func endEnvelope(of event: SessionNews.Event, _ writer: inout JSONWriter) {
        if let after = event.after {
            writer.literal(#","after":"#)
            writer.integer(after)
        }
        if event.isFollowedAtOnce { writer.literal(#","more":true"#) }
        MessageEncoder.endNotification(into: &writer)
    }

    /// What a session reports goes out in its place among the view's events; to the server's log alone where the client
    /// doesn't read, since a view model may go on with it for ever.
    func report(_ message: String, of view: Int) {
        guard !isOutboxFull else { return host.log.debug("\(stream.peerDescription): \(message)") }
        if let view = views[view] { sendEvents(of: view, upTo: view.session.summary.newest) }
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
        if let newest, let view = views[view] { sendEvents(of: view, upTo: newest) }
        notify(.progress) { params in
            params.key("token")
            params.raw(token)
            params.key("value")
            value.write(to: &params)
        }
    }

    private func write(_ message: UnsafeRawBufferPointer) {
        let encoder = encoder
        stream.write { encoder.append(message, to: &$0) }
    }

    private func write(
        _ beginning: Slice<UnsafeRawBufferPointer>, _ middle: UnsafeRawBufferPointer,
        _ ending: Slice<UnsafeRawBufferPointer>
    ) {
        let encoder = encoder
        stream.write { output in
            encoder.append(
                UnsafeRawBufferPointer(rebasing: beginning), middle, UnsafeRawBufferPointer(rebasing: ending),
                to: &output)
        }
    }

    /// What goes wrong before a framing is known is told in lines, which a person can read.
    private var encoder: FrameEncoder {
        if let chosenEncoder { return chosenEncoder }
        if carriesMessages { chosenEncoder = FrameEncoder(nil) }
        if let chosenEncoder { return chosenEncoder }
        chosenEncoder = peer.framing.map { FrameEncoder($0) }
        return chosenEncoder ?? FrameEncoder(.lines)
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
