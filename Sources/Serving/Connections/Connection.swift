import JSON
import JSONRPC
import Sessions
import Transport

/// One client: what it sends is taken apart and done, and what its sessions have for it is written in order.
///
/// Confined to its stream's loop. Whoever is elsewhere has its `handle`.
final class Connection {
    let host: Host
    private(set) var stream: any ByteStream
    /// Whether the stream keeps messages apart by itself.
    let carriesMessages: Bool
    /// What the first bytes go to.
    private(set) var door: FrontDoor?
    let loop: EventLoop
    let peer: Peer
    /// Set with the first message.
    var chosenEncoder: FrameEncoder?
    /// When true, the process lives as long as this connection does.
    let isProcess: Bool
    /// Where the host lists it.
    var place = 0

    var state = ConnectionState()
    /// Not checked for exclusivity: 200 instructions less for each view event. Only the connection's loop uses it, and the table
    /// calls nothing; a view that leaves it is kept by whoever took it out.
    @exclusivity(unchecked) var views = ViewTable()
    /// Views that the client has left while events for them still wait in the outbox, before the answers that follow them.
    private var leftViews: [Int: (view: View, endsSession: Bool)] = [:]
    var lastView = 0
    /// The views, also those that were left, whose answer waits for a snapshot, and what is to be told after it.
    var arrivals: [Int: [(Connection) -> Void]] = [:]
    /// The views whose answer waits for the rest of its batch.
    var gatedViews: [Int: [Int]] = [:]
    /// View events, openings and attachments that have been taken from this client and aren't done.
    var unfinishedJobs = 0

    let outbox = Outbox()
    /// Views that have something to send, in the order in which they said so.
    let news = NewsQueue()
    var isFlushScheduled = false

    var isEnding = false
    var isDraining = false
    /// Ends the connection when its client takes too long.
    private var graceTimer: Task<Void, Never>?
    /// Called once, when nothing is owed any more or the connection is gone.
    var onQuiet: (@Sendable () -> Void)?
    /// Called once, with the status that a process which served this connection alone ends with.
    var onClose: ((Int32) -> Void)?

    let handle: ConnectionHandle

    /// Called on the stream's loop.
    init(_ stream: any ByteStream, host: Host, isProcess: Bool, door: FrontDoor?) {
        self.stream = stream
        self.door = door
        carriesMessages = stream.carriesMessages
        self.host = host
        self.isProcess = isProcess
        let limits = host.limits
        peer = Peer(
            frames: FrameDecoder.Limits(messageBytes: limits.messageBytes, headerBytes: limits.headerBytes),
            messages: MessageDecoder(maximumBatchCount: limits.batchMessages, maximumDepth: limits.nesting))
        loop = stream.loop
        handle = ConnectionHandle(loop: loop)
        // These keep the connection until it is closed.
        handle.connection = self
        stream.handler = self
    }

    /// Tells the client and the server's own log.
    func log(_ type: MessageType, _ message: String) {
        host.log.debug("\(stream.peerDescription): \(message)")
        guard state.phase == .initialized else { return }
        notify(.logMessage) { params in
            params.key("type")
            params.integer(type.rawValue)
            params.key("message")
            params.string(message)
        }
    }

    func notify(_ notification: Notification, params: (inout JSONWriter) -> Void) {
        peer.notify(notification.name, for: self, params: params)
    }

    func didInitialize(clientInfo: ClientInfo, processID: Int?, trace: ConnectionState.Trace) {
        state.didInitialize(trace: trace)
        host.log.info("\(stream.peerDescription): \(clientInfo.description) initialized")
        if isProcess, let processID { host.watchParent(processID) }
    }

    /// `shutdown`: the views go, and with them the sessions that nobody else holds.
    func shutDown() {
        state.didShutDown()
        for view in views.all { leave(view.number, endsSession: true) }
    }

    /// Takes a view off, once what its session has sent so far has been written; to the client it is gone at once.
    ///
    /// - Parameter endsSession: without any other view, the session ends.
    func leave(_ number: Int, endsSession: Bool = false) {
        if arrivals[number] != nil {
            // Nothing is to be written for it but the answer, which this makes an error.
            removeView(number).map { $0.session.detach($0.id, endsWithLast: endsSession) }
            return
        }
        if let view = views[number] { sendEvents(of: view, upTo: view.session.summary.newest) }
        guard let view = removeView(number) else { return }
        leftViews[number] = (view, endsSession)
        if outbox.isEmpty { didLeave(number) } else { outbox.append(.leave(view: number)) }
    }

    func didLeave(_ number: Int) {
        guard let (view, endsSession) = leftViews.removeValue(forKey: number) else { return }
        view.session.detach(view.id, endsWithLast: endsSession)
    }

    /// The view with this number, also when the client has left it and events before that are still to be written.
    func viewWithEvents(_ number: Int) -> View? {
        views[number] ?? leftViews[number]?.view
    }

    /// `exit`: what is written goes out, and nothing else is waited for.
    func exit() {
        conclude()
    }

    /// The connection ends as soon as the answer that is about to be sent is out. What came behind it is not looked at: a
    /// second guess at the token isn't judged.
    func closeAfterAnswer() {
        state.didEnd()
        peer.isPaused = true
        loop.atEndOfTurn { [self] in if !isClosed { conclude() } }
    }

    /// The client sends nothing more: what it is owed is answered and written first, within the grace period.
    func endAfterAnswers() {
        guard !isEnding else { return }
        isEnding = true
        startGraceTimer()
        concludeIfQuiet()
    }

    /// Takes what is still on its way in, and nothing after; `whenQuiet` is called once, when nothing is owed any more.
    func drain(whenQuiet: @escaping @Sendable () -> Void) {
        // Not from inside a message of another connection, where handlers couldn't run between the messages of this one.
        loop.atEndOfTurn { [self] in
            guard !isClosed else { return whenQuiet() }
            isDraining = true
            stream.readAvailable()
            stream.isReadingPaused = true
            onQuiet = whenQuiet
            concludeIfQuiet()
        }
    }

    /// Everything that was read is answered and done.
    var isQuiet: Bool { peer.hasAnsweredAll && unfinishedJobs == 0 }

    func concludeIfQuiet() {
        guard isEnding || onQuiet != nil, isQuiet else { return }
        takeOnQuiet()?()
        if isEnding { conclude() }
    }

    /// Writes what there is, then closes; takes nothing more. May be called again while the client is slow to read.
    func conclude() {
        state.didEnd()
        isEnding = true
        stream.isReadingPaused = true
        startGraceTimer()
        flush()
        guard outbox.isEmpty, news.count == 0 else { return }
        detachAll()
        stream.finish()
    }

    private func startGraceTimer() {
        guard graceTimer == nil else { return }
        graceTimer = host.after(host.limits.drainGrace, on: loop) { [handle] in
            handle.perform { $0.graceEnded() }
        }
    }

    private func graceEnded() {
        graceTimer = nil
        guard state.phase == .ended else {
            for work in peer.pendingWork where !work.outlivesConnection { work.cancel() }
            peer.answerAll(
                for: self, error: RPCError(.requestCancelled, "the connection ended before the request was done"))
            return conclude()
        }
        stream.close()
    }

    /// - Parameter action: called once, at once when the connection is closed already.
    func whenClosed(_ action: @escaping @Sendable () -> Void) {
        guard let before = onClose else { return action() }
        onClose = { status in
            before(status)
            action()
        }
    }

    var isClosed: Bool { onClose == nil }

    private func takeOnQuiet() -> (@Sendable () -> Void)? {
        defer { onQuiet = nil }
        return onQuiet
    }

    private func detachAll() {
        let attached = views.all
        views.removeAll()
        news.removeAll()
        for view in attached { view.session.detach(view.id) }
        for number in leftViews.keys.sorted() { didLeave(number) }
    }

    /// What is read from now on is for this connection; all that was before is kept by `record`.
    func record(through record: (any ByteStream) -> any ByteStream) {
        door = nil
        stream = record(stream)
        stream.handler = self
    }

    /// The stream is somebody else's from now on: nothing was said on it that this connection had to do with.
    func leaveStream() {
        door = nil
        stream.handler = nil
        didClose(isClient: false)
    }

    /// The stream is closed: nothing of this connection goes on but its handlers.
    func didClose(isClient: Bool = true) {
        graceTimer?.cancel()
        state.didEnd()
        detachAll()
        takeOnQuiet()?()
        onClose?(state.exitStatus)
        onClose = nil
        host.remove(self, isClient: isClient)
        handle.connection = nil
    }
}
