import JSON
import JSONRPC
import Sessions
import Transport
import ViewModelProtocol

/// The output of one connection: whole messages in order, and the events of its views as there is room for them.
///
/// While the client doesn't read, messages wait in the outbox and events in their sessions' logs, where all views share
/// them. Confined to the connection's loop.
final class ConnectionWriter {
    /// Unsent bytes beyond which nothing more is rendered.
    private static let highWaterBytes = 256 << 10
    /// A text from this length on isn't copied to the stream at once, but in pieces of `pieceBytes`. So it is always
    /// the last of a delivery, which ends there.
    private static let longBytes = highWaterBytes
    /// Above `StreamLimits.lowWaterBytes`, or the stream wouldn't report that it has sent a piece.
    private static let pieceBytes = 128 << 10

    private let stream: any ByteStream
    private let peer: Peer
    private let views: ViewTable
    private let progress: ProgressTable
    private let core: ServerCore
    /// Each message has a header with its length, also on a stream that keeps messages apart.
    private let hasHeaders: Bool
    /// The log has a line about the first pause.
    private var hasLoggedPause = false
    /// `highWaterBytes`; 0 while a long message is written, as nothing may come between its pieces.
    private var roomBytes = highWaterBytes
    private let outbox = Outbox()
    /// A message passes by in pieces, and the last one hasn't come.
    private(set) var isPassing = false
    /// Views that have events to send.
    private let ready = ReadyViews()
    /// Set once the framing is known.
    private var chosenEncoder: FrameEncoder?

    /// - Parameters:
    ///   - peer: is paused while the outbox is full, and knows the framing.
    ///   - core: has the limits, and counts what they did.
    ///   - hasHeaders: each message has a header with its length, also on a stream that keeps messages apart.
    init(
        _ stream: any ByteStream, peer: Peer, views: ViewTable, _ progress: ProgressTable, core: ServerCore,
        hasHeaders: Bool
    ) {
        self.hasHeaders = hasHeaders
        self.stream = stream
        self.peer = peer
        self.views = views
        self.progress = progress
        self.core = core
    }

    private var isCongested: Bool { stream.unsentByteCount >= roomBytes }

    /// Whether so many messages wait for the client that optional ones, such as reports and progress, are left out.
    var isFull: Bool { outbox.bytes > core.limits.unreadBytes }

    /// Whether every message is handed to the stream; events may still wait.
    var hasWrittenMessages: Bool { outbox.isEmpty }

    /// Whether the client takes what it is sent: a message, or the next piece of the one that passes, would be handed to the
    /// stream at once, which has little.
    var isReady: Bool {
        isPassing ? stream.unsentByteCount <= StreamLimits.lowWaterBytes : outbox.isEmpty && !isCongested
    }

    /// Messages that the stream hasn't been given.
    var waitingMessages: Int { outbox.messageCount }

    /// Whether nothing is left to write.
    var hasWrittenAll: Bool { outbox.isEmpty && ready.count == 0 && !isPassing }

    /// A session announces events for a view. They are written by the next `flush`, or before an answer that follows
    /// them.
    ///
    /// - Returns: false where that was known already.
    func noteEvents(for view: AttachedView) -> Bool {
        guard !view.hasEvents else { return false }
        view.hasEvents = true
        ready.append(view.number)
        return true
    }

    /// The view has sent everything, or is gone.
    func forgetEvents(of view: AttachedView) {
        guard view.hasEvents else { return }
        view.hasEvents = false
        ready.forget()
    }

    func forgetAllEvents() {
        ready.removeAll()
    }

    /// Sends a whole message after those before it.
    func send(_ message: UnsafeRawBufferPointer) {
        guard outbox.isEmpty, !isCongested else {
            outbox.append(.message(Array(message)))
            if isFull { pauseReading() }
            return
        }
        write(message)
    }

    /// Sends a message that is written piece by piece, behind what waits.
    func send(_ message: LongMessage) {
        outbox.append(.long(message))
        writeOutbox()
        if isFull { pauseReading() }
    }

    /// Sends a view's events up to a number, after everything that waits, so that an answer may follow them.
    func sendEvents(of view: AttachedView, upTo last: Int) {
        guard !outbox.isEmpty || !renderEvents(of: view, upTo: last) else { return }
        let (waiting, sent) = view.session.eventBytes(of: view.id)
        // Those that no earlier entry of the outbox has counted.
        let bytes = min(waiting, sent - view.countedBytes)
        view.countedBytes = sent
        outbox.append(.events(view: view.number, upTo: last, bytes: bytes))
        // Long before the bound at which the view would be ended: a script may write all its requests and only then
        // read.
        if isFull || outbox.eventBytes > core.limits.viewBytes / 4 { pauseReading() }
    }

    /// Sends the events of all views so far, after everything that waits. It asks the sessions: their announcements may still
    /// be on the way to this loop.
    func sendEventsOfAllViews() {
        for view in views.attached where view.isAnswered {
            let newest = view.session.summary.newest
            guard newest > view.lastInOutbox else { continue }
            view.lastInOutbox = newest
            sendEvents(of: view, upTo: newest)
        }
    }

    /// Detaches a view from its session once everything before it is written.
    func finishDetaching(of number: Int) {
        if outbox.isEmpty { views.finishDetaching(number) } else { outbox.append(.detach(view: number)) }
    }

    private func pauseReading() {
        if !stream.isReadingPaused { notePause() }
        peer.isPaused = true
        stream.isReadingPaused = true
    }

    /// Each pause is counted, and the first goes to the log: a client that asks faster than it reads has many.
    private func notePause() {
        guard !hasLoggedPause else { return core.countExceeded("unreadBytes") }
        hasLoggedPause = true
        let reason = "answers wait for the client; no more is read of it until it has taken them"
        core.didRefuse(stream.peerDescription, "unreadBytes", reason, level: .info)
    }

    /// Writes as much as the client is ready to take.
    ///
    /// Called after each message, so it must cost nothing when there is nothing to write.
    func flush() {
        if !outbox.isEmpty {
            writeOutbox()
            guard outbox.isEmpty else { return }
        }
        if ready.count > 0 { renderReadyViews() }
    }

    private func writeOutbox() {
        writePieces()
        while !isCongested, let item = outbox.first {
            switch item {
            case .message(let bytes): bytes.withUnsafeBytes { write($0) }
            case .long(let message): begin(message, countedBytes: message.count)
            case .events(let number, let last, _):
                if let view = views.find(number), !renderEvents(of: view, upTo: last) { return }
            case .detach(let number):
                // Out of the queue first: the end of a session answers its requests, which may come back to here.
                outbox.removeFirst()
                views.finishDetaching(number)
                continue
            }
            outbox.removeFirst()
        }
    }

    private func begin(_ message: LongMessage, countedBytes: Int) {
        outbox.begin(LongWriting(message, countedBytes: countedBytes))
        roomBytes = 0
        writePieces()
    }

    /// Writes as much of the long message that is being written as the client is ready to take.
    private func writePieces() {
        while stream.unsentByteCount < Self.pieceBytes, let piece = outbox.nextPiece(atMost: Self.pieceBytes) {
            let encoder = encoder
            stream.write(isLast: piece.isLast) { output in
                if let length = piece.beginning { encoder.appendBeginning(ofMessage: length, to: &output) }
                output.append(contentsOf: piece.bytes)
                if piece.isLast { encoder.appendEnd(to: &output) }
            }
            if piece.isLast { roomBytes = Self.highWaterBytes }
        }
    }

    /// Begins a message whose text comes in pieces from elsewhere; what else is sent meanwhile comes behind it. Called where
    /// `isReady`.
    func beginPassing(_ length: Int) {
        (isPassing, roomBytes) = (true, 0)
        let encoder = encoder
        stream.write(isLast: false) { encoder.appendBeginning(ofMessage: length, to: &$0) }
    }

    func pass(_ piece: UnsafeRawBufferPointer, isLast: Bool) {
        let encoder = encoder
        stream.write(isLast: isLast) { output in
            output.append(contentsOf: piece)
            if isLast { encoder.appendEnd(to: &output) }
        }
        guard isLast else { return }
        (isPassing, roomBytes) = (false, Self.highWaterBytes)
        writeOutbox()
    }

    private func renderReadyViews() {
        while let number = ready.popFirst() {
            guard let view = views[number], view.hasEvents else { continue }
            guard renderEvents(of: view) else { return ready.putBack(number) }
            // Nothing is left; or the view isn't answered yet, and is announced again when it is.
            forgetEvents(of: view)
        }
    }

    /// Returns false when there is more than the client is ready to take.
    private func renderEvents(of view: AttachedView, upTo last: Int? = nil) -> Bool {
        while view.isAnswered {
            if isCongested { return false }
            let taken = view.session.take(view.id, upTo: last, maximumBytes: Self.highWaterBytes)
            taken.forEachEvent { render($0, of: view.number) }
            if taken.isAll { forgetEvents(of: view) }
            if let end = taken.end {
                renderEnd(of: view, end)
                break
            }
            guard taken.hasMore, let newest = taken.newest, newest < last ?? .max else { break }
        }
        return true
    }

    private func renderEnd(of view: AttachedView, _ reason: EndReason) {
        if reason == .overflow {
            let what =
                "a view of \(view.session.viewModelName) was ended with the reason overflow, as it didn't keep up"
            core.didRefuse(stream.peerDescription, "viewBytes", what)
        }
        if views.remove(view.number) != nil {
            forgetEvents(of: view)
            view.session.detach(view.id)
        }
        // Not behind what waits: this is their place, also where it is the next in the outbox.
        for end in progress.endAll(of: view.number) { write(Progress.self, end) }
        write(SessionClosed.self, .init(session: .init(view.number), reason: .init(reason)))
    }

    private func write<N: ServerNotification>(_ type: N.Type, _ params: N.Params) {
        ScratchWriter.with { writer in
            MessageEncoder.notification(type, params, into: &writer)
            writer.withUnsafeBytes { write($0) }
        }
    }

    /// Writes the params of `ViewModelEvent` and of the navigation's notifications. A test holds them against these
    /// types.
    ///
    /// Only the envelope is written: the view model's event is encoded already, and copied once, to the stream.
    private func render(_ event: ViewDelivery.Event, of view: Int) {
        ScratchWriter.with { writer in
            MessageEncoder.beginNotification(event.content.notificationName, into: &writer)
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
                    guard payload.count < Self.longBytes else {
                        return write(envelope[..<beginning], long: payload, envelope[beginning...])
                    }
                    payload.withUnsafeBytes { write(envelope[..<beginning], $0, envelope[beginning...]) }
                }
            case .navigation(let change):
                change.writeMembers(to: &writer)
                endEnvelope(of: event, &writer)
                writer.withUnsafeBytes { write($0) }
            }
        }
    }

    private func endEnvelope(of event: ViewDelivery.Event, _ writer: inout JSONWriter) {
        if let after = event.after {
            writer.literal(#","after":"#)
            writer.integer(after)
        }
        if event.isFollowedAtOnce { writer.literal(#","more":true"#) }
        MessageEncoder.endNotification(into: &writer)
    }

    private func write(
        _ beginning: Slice<UnsafeRawBufferPointer>, long middle: [UInt8], _ ending: Slice<UnsafeRawBufferPointer>
    ) {
        var message = LongMessage()
        message.append(UnsafeRawBufferPointer(rebasing: beginning))
        message.append(part: .own(middle))
        message.append(part: .own(Array(ending)))
        begin(message, countedBytes: 0)
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

    /// Errors before a framing is known go out in lines, which a person can read.
    private var encoder: FrameEncoder {
        if let chosenEncoder { return chosenEncoder }
        if stream.carriesMessages {
            chosenEncoder = FrameEncoder(hasHeaders ? .headers : nil)
        } else {
            chosenEncoder = peer.framing.map { FrameEncoder($0) }
        }
        return chosenEncoder ?? FrameEncoder(.lines)
    }
}

extension SessionLog.Content {
    /// The name of the notification that carries it to a view.
    fileprivate var notificationName: StaticString {
        switch self {
        case .event: ViewModelEvent.name
        case .navigation(let change):
            switch change.kind {
            case .push: NavigationPush.name
            case .present: NavigationPresent.name
            case .pop: NavigationPop.name
            case .dismiss: NavigationDismiss.name
            }
        }
    }
}

extension SessionClosed.Reason {
    fileprivate init(_ reason: EndReason) {
        self =
            switch reason {
            case .closed: .closed
            case .dismissed: .dismissed
            case .popped: .popped
            case .failed: .failed
            case .overflow: .overflow
            case .replaced: .replaced
            case .serverShutdown: .serverShutdown
            }
    }
}

extension NavigationChange {
    /// Writes the members of its notification that come between `seq` and `after`.
    fileprivate func writeMembers(to params: inout JSONWriter) {
        // A child that is taken off is known by its key.
        if kind == .push || kind == .present {
            params.key("viewModel")
            params.string(child.viewModel)
        }
        params.key("key")
        params.string(child.key)
    }
}
