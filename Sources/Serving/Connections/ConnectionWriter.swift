import JSON
import JSONRPC
import Sessions
import Transport
import ViewModelProtocol
import ViewModels

/// The output of one connection: whole messages in order, and the events of its views as there is room for them.
///
/// While the client doesn't read, messages wait in the outbox and events in their sessions' logs, where all views share
/// them. Confined to the connection's loop.
final class ConnectionWriter {
    /// The number of unsent bytes beyond which nothing more is rendered.
    private static let highWaterBytes = 256 << 10
    /// The length in bytes from which on a text is copied to the stream in pieces of `pieceBytes`, instead of at once. Such a
    /// text is always the last of a delivery, which ends with it.
    private static let longBytes = highWaterBytes
    /// The size of a piece in bytes. More than `StreamLimits.lowWaterBytes`, as otherwise the stream wouldn't report that it
    /// has sent a piece.
    private static let pieceBytes = 128 << 10

    private let stream: any ByteStream
    private let peer: Peer
    private let views: ViewTable
    private let progress: ProgressTable
    private let core: ServerCore
    /// Whether each message has a header with its length, even on a stream that keeps messages apart.
    private let hasHeaders: Bool
    /// Whether the log has a line about the first pause.
    private var hasLoggedPause = false
    /// The number of unsent bytes from which on the stream counts as congested: `highWaterBytes`, or 0 while a long message
    /// is written, as nothing may come between its pieces.
    private var roomBytes = highWaterBytes
    private let outbox = Outbox()
    /// Whether a message is passed on in pieces whose last one hasn't come.
    private(set) var isPassing = false
    /// The views that have events to send.
    private let ready = ReadyViews()
    /// The encoder, set once the framing is known.
    private var chosenEncoder: FrameEncoder?

    /// - Parameters:
    ///   - peer: knows the framing; it is paused while the outbox is full.
    ///   - core: has the limits, and counts how often they were reached.
    ///   - hasHeaders: whether each message has a header with its length, even on a stream that keeps messages apart.
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

    /// Whether the client keeps up with its messages: the next one, or the next piece of the one that is passed on, would be
    /// handed to the stream at once.
    var isReady: Bool {
        isPassing ? stream.unsentByteCount <= StreamLimits.lowWaterBytes : outbox.isEmpty && !isCongested
    }

    /// The number of messages that the stream hasn't been given yet.
    var waitingMessages: Int { outbox.messageCount }

    /// Whether nothing is left to write.
    var hasWrittenAll: Bool { outbox.isEmpty && ready.count == 0 && !isPassing }

    /// Notes that a session has announced events for a view. They are written by the next `flush`, or before an answer that
    /// follows them.
    ///
    /// - Returns: false where the view was noted already.
    func noteEvents(for view: AttachedView) -> Bool {
        guard !view.hasEvents else { return false }
        view.hasEvents = true
        ready.append(view.number)
        return true
    }

    /// Removes a view from the ready ones, as it has sent everything or is gone.
    func forgetEvents(of view: AttachedView) {
        guard view.hasEvents else { return }
        view.hasEvents = false
        ready.forget()
    }

    func forgetAllEvents() {
        ready.removeAll()
    }

    /// Sends a whole message, after everything that waits.
    func send(_ message: UnsafeRawBufferPointer) {
        guard outbox.isEmpty, !isCongested else {
            outbox.append(.message(Array(message)))
            if isFull { pauseReading() }
            return
        }
        write(message)
    }

    /// Sends a message that is written piece by piece, after everything that waits.
    func send(_ message: LongMessage) {
        outbox.append(.long(message))
        writeOutbox()
        if isFull { pauseReading() }
    }

    /// Sends a view's events up to a number, after everything that waits, so that an answer may follow them.
    func sendEvents(of view: AttachedView, upTo last: Int) {
        guard !outbox.isEmpty || !renderEvents(of: view, upTo: last) else { return }
        let (waiting, sent) = view.session.eventBytes(of: view.id)
        // The bytes that no earlier entry of the outbox has counted.
        let bytes = min(waiting, sent - view.countedBytes)
        view.countedBytes = sent
        outbox.append(.events(view: view.number, upTo: last, bytes: bytes))
        // Reading pauses long before the bound at which the view would be ended: a script may write all its requests before
        // it reads.
        if isFull || outbox.eventBytes > core.limits.viewBytes / 4 { pauseReading() }
    }

    /// Sends the events of all views so far, after everything that waits. Every session is asked, as its announcement may
    /// still be on the way to this loop.
    func sendEventsOfAllViews() {
        for view in views.attached where view.isAnswered {
            let newest = view.session.summary.newest
            guard newest > view.lastInOutbox else { continue }
            view.lastInOutbox = newest
            sendEvents(of: view, upTo: newest)
        }
    }

    /// Tells a view which views its session has, after everything that waits. Of several changes that wait, the last is told.
    func tellViews(to view: AttachedView) {
        guard !view.hasViewsToTell else { return }
        guard !outbox.isEmpty || isCongested else { return writeViews(to: view) }
        view.hasViewsToTell = true
        outbox.append(.views(to: view.number))
    }

    private func writeViews(to view: AttachedView) {
        view.hasViewsToTell = false
        write(SessionViewsChanged.self, .init(view, view.session.presentViews(for: view.id)))
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

    /// Counts a pause in reading, and logs the first one: a client that asks faster than it reads has many.
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
            case .views(let number): if let view = views[number] { writeViews(to: view) }
            case .detach(let number):
                // Removed first: the end of a session answers its requests, which may lead back to here.
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

    /// Begins a message whose text comes from elsewhere in pieces. Other messages wait until the last piece. Called where
    /// `isReady` is true.
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
            // Nothing is left, or the view's attachment isn't answered yet; the view is then announced again when it is.
            forgetEvents(of: view)
        }
    }

    /// Writes a view's events up to a number. Returns false when there is more than the client is ready to take.
    private func renderEvents(of view: AttachedView, upTo last: Int? = nil) -> Bool {
        while view.isAnswered {
            if isCongested { return false }
            let taken = view.session.take(view.id, upTo: last, maximumBytes: Self.highWaterBytes)
            taken.forEachEvent { render($0, of: view) }
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
        // Written directly, not after what waits: this is the place of these messages, even where it is the next in the
        // outbox.
        for end in progress.endAll(of: view.number) { write(Progress.self, end) }
        write(SessionClosed.self, .init(session: .init(view.number), reason: .init(reason)))
    }

    private func write<N: ServerNotification>(_ type: N.Type, _ params: N.Params) {
        ScratchWriter.with { writer in
            MessageEncoder.notification(type, params, into: &writer)
            writer.withUnsafeBytes { write($0) }
        }
    }

    /// Writes the notification of an event: of a view model, or of navigation. A test compares the params with the types of
    /// the notifications.
    ///
    /// Only the envelope is encoded here. The view model's event is encoded already, and is copied once, to the stream.
    private func render(_ event: ViewDelivery.Event, of view: AttachedView) {
        ScratchWriter.with { writer in
            MessageEncoder.beginNotification(event.content.notificationName, into: &writer)
            writer.literal(#""session":"#)
            writer.integer(view.number)
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
                change.writeMembers(to: &writer, readKey: view.readKey)
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

    /// The encoder of the connection's framing. Before a framing is known, errors are written as lines, which a person can
    /// read.
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
