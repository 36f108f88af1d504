import JSON
import JSONRPC
import Queues
import Sessions
import Transport
import ViewModelProtocol
import ViewModels

/// One client: decodes and handles its messages, and writes the output of its sessions in order.
///
/// Confined to its stream's loop; other threads use its `handle`. The parts are objects of their own: `life` decides which
/// messages are taken and what follows each event, `views` attaches and detaches views, `writer` writes. The stream retains
/// the connection until the stream is closed.
// Over 400 lines because what each method does on a connection, in Methods, is an extension of it.
final class Connection {
    private static let tracedBytes = 64 << 10
    /// The most characters of a program's name that other clients are told.
    private static let programCharacters = 100

    let core: ServerCore
    let stream: any ByteStream
    let loop: EventLoop
    let peer: Peer
    let handle: ConnectionHandle
    let writer: ConnectionWriter
    let views: ConnectionViews
    /// The client's views of sessions on other servers; nil for nearly all clients, which have none. With `--isolate`, set
    /// from `initialize` on.
    private(set) var remote: RemoteViews?
    private let table = ViewTable()
    let progress = ProgressTable()
    /// Not checked for exclusivity, as each message uses it: it is confined to one loop, and a value that calls nothing.
    @exclusivity(unchecked) private(set) var life = ConnectionLife()
    /// The owner of the sessions that the client opens: the principal, once that is known; before, the address.
    var owner: String
    /// The name of the client's token; nil before `initialize`, and where the token has none. Set once.
    var principal: String?
    /// The client with the name of its program alone; nil before `initialize`, and where the program has no name.
    private var nameless: Client?
    /// The client as the server describes it that relays it here; nil for a client of this server's own.
    let relayed: RelayedClient?
    /// The connection's index in the server's list.
    var index = 0
    /// The number of requests for rows that aren't answered.
    var rowRequests = 0
    /// The requests for lists of kept sessions; nil before the first.
    var keptLists: KeptListRequests?
    /// The amount of `$/logTrace` that the client asked for.
    var trace = TraceLevel.off

    /// Whether the process serves this connection alone, and ends with it.
    private let isProcess: Bool
    private let carriesMessages: Bool
    private var isFlushScheduled = false
    @exclusivity(unchecked) private var share = MessageShare()
    /// How many calls of `holdMessages` have yet to be followed by `goOn`. The client's messages wait for all of them.
    private var holds = 0
    /// How long `shutdown` waits for earlier messages: longer than a commit takes, but short enough that a client that quits
    /// doesn't notice where a handler runs.
    private static let shutdownWait = Duration.milliseconds(250)
    private var waitingShutdown: WaitingShutdown?
    private var intake = Intake()
    /// Whether the last read left an unfinished message.
    ///
    /// Not a part of `intake`, as every read asks for it. Not checked for exclusivity, as it is a flag on one loop.
    @exclusivity(unchecked) private var hasUnfinished = false
    private var logged = LineCount()
    /// The names of limits that the client had to wait for. The log has one line for each.
    private var loggedWaits: Set<String> = []
    /// The timer of the grace period in which a client may still read what it is owed before the connection is closed; nil
    /// before that period.
    private var graceTimer: Task<Void, Never>?
    /// Called once, when everything that was read is passed on, or the connection is gone.
    private var onRead: (@Sendable () -> Void)?
    /// Called once, when the client is owed nothing any more, or the connection is gone.
    private var onQuiet: (@Sendable () -> Void)?
    /// Called once each, when the connection is closed, with the exit status of a process that served it alone.
    private var onClose: [@Sendable (Int32) -> Void]

    /// Begins to serve the client. Called on the stream's loop.
    init(
        _ stream: any ByteStream, core: ServerCore, isProcess: Bool, isPatient: Bool,
        relayed: RelayedClient? = nil, onClose: @escaping @Sendable (Int32) -> Void
    ) {
        self.core = core
        self.stream = stream
        self.isProcess = isProcess
        self.onClose = [onClose]
        carriesMessages = stream.carriesMessages
        self.relayed = relayed
        principal = relayed?.principal
        nameless = relayed?.program.map { Client(name: nil, principal: nil, program: $0, waiting: []) }
        owner = relayed?.owner ?? Owner(ofPeer: stream.peerDescription).name
        loop = stream.loop
        let limits = core.limits
        peer = Peer(
            frames: FrameDecoder.Limits(messageBytes: limits.messageBytes, headerBytes: limits.headerBytes),
            messages: MessageDecoder(
                maximumBatchCount: limits.batchMessages, maximumDepth: limits.nesting,
                maximumValues: limits.messageValues, maximumIDBytes: limits.idBytes, dialect: .viewModels),
            initialBytes: limits.initialBytes)
        writer = ConnectionWriter(
            stream, peer: peer, views: table, progress, core: core, hasHeaders: relayed?.origin == .process)
        handle = ConnectionHandle(loop: loop)
        views = ConnectionViews(table, progress, handle, limits, lastNumber: relayed?.lastView ?? 0)
        views.begin(self)
        // They retain the connection until it is closed.
        handle.connection = self
        stream.handler = self
        intake.begin(self, isPatient: isPatient)
    }

    /// Sends a log message to the client, and writes it to the server's own log.
    func log(_ type: LogMessage.MessageType, _ message: String) {
        logOwn(.debug, message)
        guard life.isInitialized else { return }
        // Escaped, as clients print the message.
        let message = VisibleText(message, maximumBytes: RPCError.messageBytes).description
        peer.notify(LogMessage.self, .init(type: type, message: message), for: self)
    }

    /// Writes a message about this client to the server's own log.
    func logOwn(_ level: ServerLog.Level, _ message: @autoclosure () -> String) {
        core.log.log(level, of: stream.peerDescription, &logged, message())
    }

    /// Notes that something the client asked for has to wait. Every wait is counted; the first for each limit is logged.
    func noteWait(_ limit: String, _ reason: String) {
        guard loggedWaits.insert(limit).inserted else { return core.countExceeded(limit) }
        core.didRefuse(stream.peerDescription, limit, reason, level: .info)
    }

    /// Answers a call.
    ///
    /// - Parameter result: writes one value.
    func answer(_ call: Call, result: (inout JSONWriter) -> Void) {
        peer.answer(call, for: self, result: result)
        didAnswer(call)
    }

    func answer(_ call: Call, longResult result: LongMessage) {
        peer.answer(call, for: self, longResult: result)
        didAnswer(call)
    }

    /// Answers a call with an error. Where the error says that the session is lost, closes the connection instead.
    ///
    /// - Parameter isCounted: whether another server has counted the error.
    func answer(_ call: Call, error: RPCError, isCounted: Bool = false) {
        if error == .sessionIsLost { return loseSession() }
        if !isCounted { note(error) }
        peer.answer(call, for: self, error: error)
        didAnswer(call)
    }

    /// Counts an error that the client is answered with, and logs an exceeded limit.
    private func note(_ error: RPCError) {
        if let limit = core.count(error) { logOwn(.warning, "\(error.message) (\(limit))") }
    }

    /// Logs the error of a notification, which can't be answered.
    func logFailure(of method: String, _ error: RPCError) {
        note(error)
        log(.error, "\(method): \(error.message)")
    }

    /// Notes that another server's answer to a call is passed on.
    func didPassAnswer(to call: Call) {
        peer.didPassAnswer(to: call)
        didAnswer(call)
    }

    private func didAnswer(_ call: Call) {
        logTrace("Sent response '(\(call.id))'.", nil)
        checkQuiet()
    }

    func cancel(_ id: RequestID) {
        peer.work(for: id)?.cancel()
    }

    private func logTrace(_ message: @autoclosure () -> String, _ params: JSONValue?) {
        // A pattern, as `!=` calls the comparison of raw values.
        if case .off = trace { return }
        guard life.isInitialized else { return }
        let message = VisibleText(message(), maximumBytes: RPCError.messageBytes).description
        let verbose = trace == .verbose ? params.map { Self.traced($0.text) } : nil
        peer.notify(LogTrace.self, .init(message: message, verbose: verbose), for: self)
    }

    /// Returns the text, cut where it is long: otherwise a client that traces would get each of its long messages twice.
    private static func traced(_ text: UnsafeRawBufferPointer) -> String {
        let beginning = String(decoding: text.prefix(tracedBytes), as: UTF8.self)
        return text.count > tracedBytes ? "\(beginning)… (\(text.count) bytes)" : beginning
    }

    /// Notes that a view has events to take. They are written at the end of the loop's turn, or before the next answer of
    /// that view.
    func viewHasEvents(_ number: Int) {
        guard let view = table[number], writer.noteEvents(for: view), !isFlushScheduled else { return }
        isFlushScheduled = true
        loop.atEndOfTurn(call: self)
    }

    /// Writes what the client is ready to take.
    ///
    /// Called after each message, so it must cost nothing when there is nothing to write.
    func flush() {
        writer.flush()
        if peer.isPaused {
            views.makeSnapshots()
            resumeReading()
        }
        if life.phase == .flushing { checkWritten() }
    }

    /// Goes on with the messages that came while the client didn't read. This happens at the end of the turn, so never from
    /// inside a message of this or another connection.
    private func resumeReading() {
        guard writer.hasWrittenMessages, life.phase == .open else { return }
        loop.atEndOfTurn { [self] in
            guard peer.isPaused, writer.hasWrittenMessages, life.phase == .open else { return }
            peer.isPaused = false
            takeKept()
            if !peer.isPaused { stream.isReadingPaused = false }
        }
    }
}

/// Sharing the loop with other clients, by the rules of `MessageShare`.
///
/// A message that leaves work behind, as a view event does, is followed by that work before the next message is taken. So
/// messages have the same effect whether they come in one piece or in many, and a `shutdown` doesn't overtake the event
/// before it. A client with many messages takes a share of them at a time, so that others needn't wait for it.
extension Connection: ReadyWorkHandler {
    /// Begins a share of messages, as bytes have come.
    private func beginShare(_ byteCount: Int) {
        let mustPause = share.begin(byteCount, readyWork: loop.readyWorkNumber, heldBytes: peer.heldBytes)
        peer.isYielding = share.isYielding
        if mustPause { stream.isReadingPaused = true }
    }

    /// Reads a session from the store. No other message of this client is taken meanwhile, so its messages keep their order.
    ///
    /// - Parameter then: called on the loop, unless the connection is gone.
    func load(_ query: StoreQuery, then: @escaping (StoreLoading.Found) -> Void) {
        holdMessages()
        views.unfinishedJobs += 1
        let loading = StoreLoading(query, connection: self) { [self] found in
            if life.takesMessages { then(found) }
            views.didFinishJob()
            goOn()
        }
        loading.begin()
    }

    /// Holds the client's messages. They are taken again once each call was followed by `goOn`.
    func holdMessages() {
        holds += 1
        share.wait()
        peer.isYielding = share.isYielding
    }

    func goOn() {
        holds -= 1
        if holds == 0 { _ = readyWorkDidRun() }
    }

    private func didTakeMessage() {
        share.didTakeMessage(leavesWork: views.unfinishedJobs > 0)
        peer.isYielding = share.isYielding
    }

    /// Ends a share of messages, as the peer has taken what it could.
    private func endShare() {
        guard share.isYielding else { return }
        if share.end(leavesMessages: peer.hasKept, readyWork: loop.readyWorkNumber) {
            loop.afterReadyWork(call: self)
        }
    }

    func readyWorkDidRun() -> Bool {
        let isLong = peer.heldBytes > MessageShare.longBytes
        share.takeNext()
        peer.isYielding = false
        // Events of handlers are written before the answers to later messages.
        flush()
        takeKept()
        return isLong
    }

    /// Takes messages that were left over from the last share, or from when the client didn't read.
    private func takeKept() {
        guard life.takesMessages, !share.isWaiting else { return }
        if !peer.isPaused {
            share.resume()
            peer.resume(for: self)
            endShare()
        }
        if !share.isWaiting { didTakeAll() }
    }

    private func noteUnfinished() {
        hasUnfinished = intake.note(self)
    }

    private func didTakeAll() {
        if share.didTakeAll(), !peer.isPaused, life.phase == .open { stream.isReadingPaused = false }
        if !carriesMessages, hasUnfinished || !peer.isBetweenMessages { noteUnfinished() }
        if share.isLast {
            share.isLast = false
            take(.drain)
            reportRead()
        }
        if share.hasReachedEnd, !peer.isPaused { endInput() }
    }

    private func endInput() {
        share.hasReachedEnd = false
        peer.receiveEnd(for: self)
        take(.endOfInput)
    }
}

/// Views of sessions on other servers.
extension Connection {
    /// The kind of server that relays the client here; nil for a client of this server's own.
    var origin: RelayedClient.Origin? { relayed?.origin }

    /// The person whose sessions the client finds.
    var person: String { relayed?.person ?? Owner.person(principal: principal, user: stream.peerUser) }

    var remoteViews: RemoteViews {
        let views = remote ?? RemoteViews(of: self)
        remote = views
        return views
    }

    /// Relays all sessions of this client to a process of their own.
    func isolate(_ process: ClientProcess) -> RemoteViews {
        let views = RemoteViews(of: self, process: process)
        remote = views
        return views
    }

    /// Returns the description of the client for another server.
    ///
    /// - Parameter lastView: see `RelayedClient`.
    func relayedClient(lastView: Int? = nil) -> RelayedClient {
        RelayedClient(
            peer: stream.peerDescription, principal: principal, program: nameless?.program, person: person,
            owner: owner,
            lastView: lastView, waiting: relayed?.waiting)
    }

    /// Returns what others may know of the client behind a view; nil where nothing is known.
    ///
    /// - Parameter name: the client's name for itself.
    func visitor(named name: String?) -> Client? {
        guard name != nil || principal != nil else { return nameless }
        return Client(name: name, principal: principal, program: nameless?.program, waiting: relayed?.waiting ?? [])
    }

    /// Notes how many bytes of the client's messages other servers haven't read yet.
    func noteWaiting(_ bytes: Int) {
        guard life.takesMessages else { return }
        // Bytes that wait there don't count as unfinished here any more.
        if hasUnfinished, !carriesMessages { noteUnfinished() }
        intake.noteWaiting(bytes, self)
    }
}

/// The course of the connection, from `initialize` to its end.
extension Connection {
    /// Notes what program the client is.
    func note(_ client: ClientInfo?) {
        nameless = client?.name.map {
            Client(name: nil, principal: nil, program: String($0.prefix(Self.programCharacters)), waiting: [])
        }
    }

    /// Notes that `initialize` has succeeded.
    func didInitialize(client: ClientInfo?, processID: Int?, trace: TraceLevel) {
        take(.initialize)
        peer.trust()
        intake.trust(core.limits)
        self.trace = trace
        // For a relayed client, its own server has logged this at `info`.
        let level = origin == nil ? ServerLog.Level.info : .debug
        logOwn(level, "\(client?.words ?? "a client") initialized\(principal.map { " as \($0)" } ?? "")")
        if isProcess, let processID { core.onParent(processID) }
    }

    /// The error for requests that need the store, while it fails; otherwise nil. Nil also where the client has views, but
    /// none of a durable session.
    var storeTrouble: RPCError? {
        guard let failure = core.sessions.journal?.failure else { return nil }
        let views = table.attached
        guard views.isEmpty || views.contains(where: { $0.session.storage != nil }) else { return nil }
        return .storeUnavailable(failure.reason)
    }

    /// Handles `shutdown`: detaches the views, and ends the sessions that no other client has a view of and that nobody could
    /// find again.
    ///
    /// Messages that came before are answered before, where they only wait for the store. Otherwise messages in one piece
    /// would have another effect than in many.
    ///
    /// - Throws: `StoreUnavailable` where something must be stored and can't be. Then nothing has changed.
    func shutDown(_ reply: Reply<Shutdown>) throws(RPCError) {
        guard views.unfinishedJobs > 0, let journal = core.sessions.journal, journal.failure == nil,
            table.attached.contains(where: { $0.session.isDurable })
        else { return try shutDownNow(reply) }
        holdMessages()
        let timer = loop.schedule(after: Self.shutdownWait, by: core.clock) { [handle] in
            handle.perform { $0.shutDownAfterWait() }
        }
        waitingShutdown = WaitingShutdown(reply, timer)
    }

    /// Notes that all messages taken from the client are done.
    func didFinishJobs() {
        if waitingShutdown != nil { shutDownAfterWait() }
    }

    private func shutDownAfterWait() {
        guard let waiting = waitingShutdown else { return }
        waitingShutdown = nil
        waiting.timer.cancel()
        if life.takesMessages {
            do throws(RPCError) { try shutDownNow(waiting.reply) } catch { answer(waiting.reply, error: error) }
        }
        goOn()
    }

    /// A `shutdown` that waits. A class, so that a connection without one has room for a reference only.
    private final class WaitingShutdown {
        let reply: Reply<Shutdown>
        let timer: Task<Void, Never>

        init(_ reply: Reply<Shutdown>, _ timer: Task<Void, Never>) {
            (self.reply, self.timer) = (reply, timer)
        }
    }

    private func shutDownNow(_ reply: Reply<Shutdown>) throws(RPCError) {
        let failures = table.attached.lazy.compactMap { StoredEnd(of: $0.session).failure }
        if let failure = failures.first { throw RPCError(failure) }
        take(.shutdown)
        for view in table.attached {
            views.detach(view.number, endsSession: !view.session.isFoundAgain && view.readKey == nil)
        }
        if let remote { remote.shutDown(reply) } else { answer(reply, Null()) }
    }

    /// Handles `exit`: writes the output that waits, and waits for nothing else. A client's process that has the earlier
    /// messages is told, and its last output is written, too.
    func exit() {
        guard let remote, remote.exit() else { return take(.exit) }
        holdMessages()
        loop.schedule(after: core.limits.drainGrace) { [handle] in handle.perform { $0.didExit() } }
    }

    func didExit() {
        take(.exit)
    }

    /// Closes the connection as a server that ends does, since a session of this client goes on at another server. The client
    /// comes back for all its sessions. Its requests about that session aren't answered.
    func loseSession() {
        guard life.takesMessages else { return }
        logOwn(.info, "closed, since a session of it has left this server")
        (stream as? WebSocketStream)?.settings.closeCode = { .serviceRestart }
        take(.loss)
    }

    /// Does so for the session of a view, unless the request for the view is handled again.
    func loseSession(of view: Int) {
        if case .waitsForStore? = table[view]?.stage { return }
        loseSession()
    }

    /// Closes the connection in the middle of a message. The rest of the message is lost, and nothing can be sent after it.
    func cutOff() {
        logOwn(.info, "closed in the middle of a message")
        stream.finish()
        loop.schedule(after: core.limits.drainGrace) { [handle] in handle.perform { $0.stream.close() } }
    }

    /// Ends the connection as soon as the answer that is about to be sent is written. Later messages aren't read, so no
    /// second guess at the token is judged.
    func closeAfterAnswer() {
        take(.refusal)
    }

    /// Returns a function that calls `refuse`, for any thread.
    var refusal: @Sendable (RPCError) -> Void {
        { [handle] error in handle.perform { $0.refuse(error) } }
    }

    /// Ends the connection with an error that answers no request. Called at the end of a share.
    func refuse(_ error: RPCError) {
        guard life.takesMessages else { return }
        peer.refuse(error, for: self)
        peer.endInput()
        take(.refusal)
    }

    /// Reads what has arrived, and nothing after that. May be called again.
    ///
    /// - Parameters:
    ///   - whenRead: called once, on any thread, when everything that was read is passed on to the client's process.
    ///   - whenQuiet: called once, when the client is owed nothing any more.
    func drain(whenRead: (@Sendable () -> Void)? = nil, whenQuiet: (@Sendable () -> Void)? = nil) {
        // At the end of the turn, as inside a message of another connection no handler could run between the messages of this
        // one.
        loop.atEndOfTurn { [self] in
            if life.phase == .open { stream.readAvailable() }
            (onRead, onQuiet) = (whenRead, whenQuiet)
            if share.isWaiting, life.phase == .open { share.isLast = true } else { take(.drain) }
            // Messages may wait for a process that is about to end.
            if !share.isLast || holds > 0 { reportRead() }
        }
    }

    private func reportRead() {
        guard let whenRead = onRead else { return }
        onRead = nil
        // Streams write after the work for the end of a turn, so this waits for the next one.
        loop.atEndOfTurn { [self] in
            loop.atEndOfTurn { [self] in if let remote { remote.afterWriting(whenRead) } else { whenRead() } }
        }
    }

    /// Writes the output that waits, then closes the connection. `whenClosed` is called once.
    func conclude(whenClosed: @escaping @Sendable () -> Void) {
        guard life.phase != .closed else { return whenClosed() }
        onClose.append { _ in whenClosed() }
        take(.conclude)
    }

    /// Reports that nothing is owed to the client, in the phases where that matters.
    func checkQuiet() {
        guard life.phase != .open, peer.hasAnsweredAll, views.unfinishedJobs == 0 else { return }
        if life.phase == .answering, let remote, !remote.finish() { return }
        take(.quiet)
    }

    private func checkWritten() {
        if writer.hasWrittenAll { take(.written) }
    }

    private func take(_ input: ConnectionLife.Input) {
        for action in life.take(input) { perform(action) }
    }

    private func perform(_ action: ConnectionLife.Action) {
        switch action {
        case .stopTakingMessages: peer.isPaused = true
        case .stopReading: stream.isReadingPaused = true
        case .awaitEndOfTurn: loop.atEndOfTurn { [self] in take(.endOfTurn) }
        case .startGraceTimer: startGraceTimer()
        case .stopGraceTimer: graceTimer?.cancel()
        // Streams write after the work for the end of a turn, and report that they have closed a turn later.
        case .awaitWriting:
            loop.atEndOfTurn { [self] in loop.atEndOfTurn { [self] in take(.graceEnded) } }
        case .checkQuiet: checkQuiet()
        case .abandonRequests: abandonRequests()
        case .flush: flush()
        case .detachViews:
            writer.forgetAllEvents()
            table.detachAll()
        case .finishStream: stream.finish()
        case .closeStream: stream.close()
        case .reportQuiet:
            onQuiet?()
            onQuiet = nil
        case .reportClosed(let status): reportClosed(status)
        }
    }

    private func startGraceTimer() {
        guard graceTimer == nil else { return }
        graceTimer = loop.schedule(after: core.limits.drainGrace, by: core.clock) { [handle] in
            handle.perform { connection in
                connection.graceTimer = nil
                connection.take(.graceEnded)
            }
        }
    }

    private func abandonRequests() {
        for work in peer.pendingWork where !work.outlivesConnection { work.cancel() }
        peer.answerAll(
            for: self, error: RPCError(.requestCancelled, "the connection ended before the request was done"))
    }

    private func didFail(_ error: SystemError) {
        let waiting = writer.waitingMessages
        let loss = waiting == 0 ? "" : "; \(waiting) more messages waited behind them"
        logOwn(error.isDeparture ? .info : .error, "closed: \(error)\(loss)")
        if !error.isDeparture { take(.failure) }
    }

    /// Reports that the connection is closed. Only its handlers still run.
    private func reportClosed(_ status: Int32) {
        intake.end()
        // First, so that whoever is told finds the connection gone.
        if origin != .session { core.leave(index) }
        onRead?()
        for action in onClose { action(status) }
        (onRead, onClose) = (nil, [])
        remote?.close()
        handle.connection = nil
    }
}

extension Connection: TurnEndHandler {
    func loopWillEndTurn() {
        isFlushScheduled = false
        flush()
    }
}

extension Connection: ByteStreamHandler {
    func stream(_ stream: any ByteStream, didRead bytes: UnsafeRawBufferPointer) {
        guard life.takesMessages else { return }
        beginShare(bytes.count)
        if carriesMessages {
            peer.receive(message: bytes, for: self)
            return endShare()
        }
        peer.receive(bytes, for: self)
        endShare()
        if hasUnfinished || !peer.isBetweenMessages, !share.isWaiting { noteUnfinished() }
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        guard life.takesMessages else { return }
        if share.isWaiting { share.hasReachedEnd = true } else { endInput() }
    }

    func streamDidSend(_ stream: any ByteStream) {
        flush()
        remote?.clientDidRead()
    }

    func stream(_ stream: any ByteStream, didClose error: SystemError?) {
        if let error { didFail(error) }
        core.log.end(of: stream.peerDescription, &logged)
        take(.close)
    }
}

extension Connection: PeerHandler {
    func peer(_ peer: Peer, didReceiveRequest method: MethodName, params: JSONValue?, call: Call) {
        defer { didTakeMessage() }
        logTrace("Received request '\(method) - (\(call.id))'.", params)
        guard let known = Methods.named(method) else {
            return answer(call, error: life.refusalOfUnknown("\(method)"))
        }
        if case .refused(let error) = life.judgeRequest(known) { return answer(call, error: error) }
        do throws(RPCError) {
            if try remote?.take(known, params, call) ?? false { return }
            if origin == .otherServer, known.message.viewEffect == .attaches { views.noteNumber(in: params) }
            let params = try Params(params, notes: peer.notes)
            if let result = try known.run(self, params, call) { answer(call, result: result) }
        } catch {
            answer(call, error: error)
        }
    }

    func peer(_ peer: Peer, didReceiveNotification method: MethodName, params: JSONValue?) {
        defer { didTakeMessage() }
        logTrace("Received notification '\(method)'.", params)
        guard let known = Methods.named(method) else {
            if isOfSession, method == SharedViewers.method, let params { takeViewers(params) }
            return
        }
        if case .dropped(let reason) = life.judgeNotification(known) { return log(.warning, reason) }
        do throws(RPCError) {
            if try remote?.take(known, params, nil) ?? false { return }
            _ = try known.run(self, Params(params, notes: peer.notes), nil)
        } catch {
            if error == .sessionIsLost { return loseSession() }
            logFailure(of: "\(method)", error)
        }
    }

    func peer(_ peer: Peer, didReceiveCancellationOf id: RequestID) {
        defer { didTakeMessage() }
        if life.isInitialized { cancel(id) }
    }

    func peer(_ peer: Peer, didIgnore reason: String) {
        defer { didTakeMessage() }
        logOwn(.warning, reason)
    }

    func peer(_ peer: Peer, didRefuse error: RPCError) {
        defer { didTakeMessage() }
        let limit = core.count(error).map { " (\($0))" } ?? ""
        logOwn(.warning, error.message + limit)
    }

    func peerDidLoseFraming(_ peer: Peer) {
        closeAfterAnswer()
    }

    func peerDidSendBatch(_ peer: Peer, _ batch: Int) {
        views.didSend(batch: batch)
        remote?.didSend(batch: batch)
    }

    func peer(_ peer: Peer, send message: UnsafeRawBufferPointer) {
        writer.send(message)
    }

    func peer(_ peer: Peer, send message: LongMessage) {
        writer.send(message)
    }
}

extension ClientInfo {
    /// The client in words, for the server's log.
    fileprivate var words: String {
        let name = name ?? "a client"
        return version.map { "\(name) \($0)" } ?? name
    }
}
