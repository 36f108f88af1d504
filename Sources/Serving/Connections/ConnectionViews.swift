import JSON
import JSONRPC
import Sessions
import Transport
import ViewModelProtocol
import ViewModels

/// The views of one connection: attaching and detaching them, and handing their events to their sessions.
///
/// A view's number is taken as soon as its request is read, so a script may send view events for that number at once; the
/// answer may come later. Confined to the connection's loop.
// Over 400 lines because opening, attaching, events and detaching all wait for each other by the stage of a view.
final class ConnectionViews {
    let table: ViewTable
    private let progress: ProgressTable
    /// The connection, which owns this object and calls `begin` when the connection is made.
    // Safe, as only the connection has this object and calls it, and so exists during each call.
    private unowned(unsafe) var owner: Connection?
    private let handle: ConnectionHandle
    // Read from the connection each time, as a copy of the limits takes half a kilobyte.
    private var limits: Limits { connection.core.limits }
    var lastNumber: Int
    private var snapshotTurns: SnapshotTurns
    /// The number of view events, openings and attachments that were taken from this client and aren't done.
    ///
    /// Not checked for exclusivity, as each view event uses it: it is a number on one loop.
    @exclusivity(unchecked) var unfinishedJobs = 0

    init(_ table: ViewTable, _ progress: ProgressTable, _ handle: ConnectionHandle, _ limits: Limits, lastNumber: Int) {
        (self.table, self.progress, self.handle, self.lastNumber) = (table, progress, handle, lastNumber)
        snapshotTurns = SnapshotTurns(maximum: limits.snapshots)
    }

    func begin(_ connection: Connection) { owner = connection }

    private var connection: Connection {
        guard let owner else { preconditionFailure("a connection begins with its views") }
        return owner
    }

    /// - Throws: `UnknownSession` where the client has no view with this number.
    func view(_ number: Int) throws(RPCError) -> AttachedView {
        guard let view = table[number] else {
            throw RPCError(.unknownSession, "there is no session \(number) on this connection, or it is closed")
        }
        return view
    }

    /// - Throws: `LimitExceeded` where the client may have no other view.
    func checkRoom() throws(RPCError) {
        guard table.count + (connection.remote?.count ?? 0) < limits.sessions else {
            let message = "\(limits.sessions) sessions are open on this connection; close or detach one first"
            throw .limitExceeded("sessions", message)
        }
    }

    private func add(
        _ number: Int, _ session: Session, id: Int, _ visitor: Client?, _ request: ViewRequest
    ) -> AttachedView {
        lastNumber = number
        // Handlers are told of a client only where it has a name: it is bound for each event, which takes time.
        let isNamed = visitor?.name != nil || visitor?.principal != nil
        let view = AttachedView(request, number: number, session: session, id: id, client: isNamed ? visitor : nil)
        table.append(view)
        return view
    }

    private func options(of request: ViewRequest) -> ViewOptions {
        var options = ViewOptions()
        if connection.isOfSession { options.insert(.isOfViewModel) }
        if request.readKey != nil { options.insert(.looksOnly) }
        if request.isToldOfViews { options.insert(.isToldOfViews) }
        return options
    }

    private func remove(_ number: Int) -> AttachedView? {
        let view = table.remove(number)
        if let view { connection.writer.forgetEvents(of: view) }
        return view
    }

    func didFinishJob() {
        // Read once, as each read retains the connection.
        let connection = connection
        unfinishedJobs -= 1
        if unfinishedJobs == 0 { connection.didFinishJobs() }
        connection.checkQuiet()
    }
}

/// Attaching.
extension ConnectionViews {
    /// Attaches a view, and answers when the view model is made. Only then the view model starts.
    ///
    /// - Parameters:
    ///   - isNew: whether the session was made for this view. Otherwise all events follow.
    ///   - canComeBack: whether the client may send its open again, so that the opening goes on without the connection.
    ///   - again: handles the request again where the session turns out to be another server's; nil: the connection is closed.
    func open(
        _ session: Session, _ request: ViewRequest, isNew: Bool, canComeBack: Bool,
        again: ((Connection) throws(RPCError) -> Void)? = nil
    ) throws(RPCError) {
        let (number, visitor) = (lastNumber + 1, connection.visitor(named: request.client))
        let (view, handled): (AttachedView, Int?)
        do throws(SessionError) {
            let attachment = try session.attach(
                handle, number: number, client: request.client, visitor: visitor, options(of: request),
                fromFirst: !isNew)
            (view, handled) = (add(number, session, id: attachment.view, visitor, request), attachment.handled)
        } catch {
            if isNew { session.end(.closed) }
            if let again = request.again, session.isGone(error) { return try again(connection) }
            throw RPCError(error)
        }
        if again != nil { view.stage = .waitsForStore }
        unfinishedJobs += 1
        let bound = LoopBound(again, loop: connection.loop)
        let failed = { @Sendable [handle] (outcome: ViewEventJob.Outcome) in
            handle.perform { $0.views.didFail(toOpen: number, request, outcome, isNew: isNew, again: bound.value) }
        }
        let job = session.open(
            for: view.client,
            ready: { [handle] in
                handle.perform { $0.views.didOpen(session, number, request, isNew: isNew, handled: handled) }
            },
            failed: failed, started: { [handle] in handle.perform { $0.views.didFinishJob() } })
        var work = PendingWork(session, job: job, outlivesConnection: canComeBack)
        if session.isFoundAgain {
            // The session goes on where it is stored or another client has asked for it, so only this view is given up.
            work = PendingWork(outlivesConnection: canComeBack) { failed(.cancelled) }
        }
        connection.peer.note(work, for: request.call)
    }

    private func didOpen(_ session: Session, _ number: Int, _ request: ViewRequest, isNew: Bool, handled: Int?) {
        // It was lost once it was stored, of which nobody was told.
        if session.hasLeftMemory { return connection.loseSession() }
        connection.answer(request, opened: session, number, isNew: isNew, handled: handled)
        didAnswerAttachment(of: number, request.call)
    }

    private func didFail(
        toOpen number: Int, _ request: ViewRequest, _ outcome: ViewEventJob.Outcome, isNew: Bool,
        again: ((Connection) throws(RPCError) -> Void)?
    ) {
        let view = remove(number)
        switch outcome {
        // With arguments that can't be read no view is made. A client that waits for its answers sees 1, 2, 3, …
        case .failed(is JSONCodingError): giveBack(number)
        case .lost:
            guard let again else { break }
            return openAgain(number, request, view, again)
        case .sessionEnded:
            guard let again = request.again else { break }
            return openAgain(number, request, view, again)
        default: break
        }
        connection.answer(request.call, error: RPCError(opening: outcome))
        guard let view else { return }
        // A new session that nobody can find ends with the view. A stored session that a repeated opening has found stays as it
        // is.
        let session = view.session
        let isLeft = if case .cancelled = outcome { session.scope != .each } else { false }
        session.detach(view.id, endsWithLast: !isLeft && (isNew || !session.isDurable))
    }

    /// Handles a request for a view again, of a session that turned out to be another server's, or that has ended.
    ///
    /// - Parameter view: the view, which was removed.
    private func openAgain(
        _ number: Int, _ request: ViewRequest, _ view: AttachedView?, _ again: (Connection) throws(RPCError) -> Void
    ) {
        giveBack(number)
        view.map { $0.session.detach($0.id) }
        do throws(RPCError) { try again(connection) } catch { connection.answer(request.call, error: error) }
    }

    /// Attaches a view to a running session, and answers now or when the view's snapshot is made.
    func attach(to session: Session, _ request: ViewRequest) throws(RPCError) {
        try checkRoom()
        let (number, visitor) = (lastNumber + 1, connection.visitor(named: request.client))
        do throws(SessionError) {
            let isPatient = connection.writer.isFull || !snapshotTurns.hasRoom
            let attaching = try session.attach(
                handle, number: number, client: request.numbering, visitor: visitor, options(of: request),
                since: request.since, epoch: request.epoch, isPatient: isPatient
            ) { [handle] outcome in
                handle.perform { $0.views.didFinishSnapshot(for: number, outcome, request) }
            }
            switch attaching {
            case .attached(let attachment):
                _ = add(number, session, id: attachment.view, visitor, request)
                didAttach(session, number, attachment, request)
            case .waits(let id):
                let view = add(number, session, id: id, visitor, request)
                view.stage = .awaitingSnapshot(deferred: [])
                if !snapshotTurns.hasRoom {
                    connection.noteWait("snapshots", "attaching waits for snapshots that came first")
                }
                unfinishedJobs += 1
                connection.peer.note(
                    PendingWork(outlivesConnection: false) { session.cancelAttaching(id) }, for: request.call)
                if isPatient { return snapshotTurns.wait(number) }
                // The attachment may be answered before this returns.
                snapshotTurns.begin(view)
                session.makeSnapshot(for: id)
            }
        } catch {
            if let again = request.again, session.isGone(error) { return try again(connection) }
            throw RPCError(error)
        }
    }

    /// Asks for the snapshots that wait, as far as there is room: a few at a time, and none while the client doesn't read its
    /// answers.
    func makeSnapshots() {
        // Not recursively: a snapshot that several views share is there at once.
        guard snapshotTurns.beginTaking() else { return }
        defer { snapshotTurns.endTaking() }
        while !connection.writer.isFull, let number = snapshotTurns.next() {
            guard let view = table[number], view.isAwaitingSnapshot else { continue }
            snapshotTurns.begin(view)
            view.session.makeSnapshot(for: view.id)
        }
    }

    private func didAttach(
        _ session: Session, _ number: Int, _ attachment: Session.Attachment, _ request: ViewRequest
    ) {
        if let batch = request.call.batch, let snapshot = attachment.snapshot,
            snapshot.count > connection.peer.room(in: batch), let view = remove(number)
        {
            session.detach(view.id)
            let message = "the answers in this batch are longer than a message; attach in one of its own"
            return connection.answer(request.call, error: .limitExceeded("messageBytes", message))
        }
        connection.answer(request, session, number, attachment)
        didAnswerAttachment(of: number, request.call)
        startIfNeeded(session, for: table.find(number)?.client)
    }

    /// Starts a child, where this is its first view.
    func startIfNeeded(_ session: Session, for client: Client?) {
        guard session.awaitsOpening else { return }
        unfinishedJobs += 1
        // A child is made before it is shown. So only its start can fail, which ends it for its views.
        _ = session.open(
            for: client, ready: {}, failed: { _ in },
            started: { [handle] in handle.perform { $0.views.didFinishJob() } })
    }

    /// Answers an attachment, as the snapshot of its view is made or the view was taken off before.
    private func didFinishSnapshot(
        for number: Int, _ outcome: Result<Session.Attachment, SessionError>, _ request: ViewRequest
    ) {
        let view = table.find(number)
        var deferred: [(ConnectionViews) -> Void] = []
        if let view { snapshotTurns.end(view) }
        if let view, case .awaitingSnapshot(let actions) = view.stage {
            deferred = actions
            view.stage = .opening
        }
        let isAttached = table[number] != nil
        table.finishDetaching(number)
        // Nobody waits for an answer any more once the connection ends.
        guard connection.life.takesMessages else { return }
        switch outcome {
        case .success(let attachment):
            guard isAttached, let view else {
                // The client has detached the view while the snapshot was on its way to this thread.
                connection.answer(request.call, error: RPCError(SessionError.detached))
                break
            }
            didAttach(view.session, number, attachment, request)
        case .failure(let error):
            let removed = remove(number)
            // A client that waits for its answers sees 1, 2, 3, …; a client that foresaw this number may have used it.
            let mayGiveBack = error != .detached && deferred.isEmpty
            if mayGiveBack, let again = request.again, view?.session.isGone(error) ?? false {
                openAgain(number, request, removed, again)
                break
            }
            if mayGiveBack { giveBack(number) }
            connection.answer(request.call, error: RPCError(error))
        }
        for action in deferred { action(self) }
        didFinishJob()
        makeSnapshots()
    }

    /// Defers an action on a view until its `session/attach` is answered. Returns false where it is answered already.
    func deferUntilAnswer(of number: Int, _ action: @escaping (ConnectionViews) -> Void) -> Bool {
        guard let view = table.find(number), case .awaitingSnapshot(let actions) = view.stage else { return false }
        view.stage = .awaitingSnapshot(deferred: actions + [action])
        return true
    }

    /// Returns whether a view that waits for its snapshot may defer another action. Its events may be handled long before its
    /// attachment is answered, so deferred actions have a bound of their own.
    func hasRoom(for view: AttachedView?) -> Bool {
        guard let view, case .awaitingSnapshot(let deferred) = view.stage else { return true }
        return deferred.count < limits.pendingEvents
    }

    /// Notes that the answer to a view's attachment is handed over: to the client, or to a batch that is sent later.
    private func didAnswerAttachment(of number: Int, _ call: Call) {
        guard let view = table[number] else { return }
        if let batch = call.batch, connection.peer.isCollecting(batch) {
            view.stage = .batched(batch)
        } else {
            beginEvents(of: view)
        }
    }

    func didSend(batch: Int) {
        for view in table.views(inBatch: batch) { beginEvents(of: view) }
    }

    private func beginEvents(of view: AttachedView) {
        view.stage = .answered
        if view.isToldOfViews { connection.writer.tellViews(to: view) }
        connection.viewHasEvents(view.number)
    }

    /// Tells a client which views a session has, as one has come or gone. Before its attachment is answered that isn't known.
    func viewsDidChange(for number: Int) {
        if let view = table[number], view.isAnswered { connection.writer.tellViews(to: view) }
    }
}

/// Detaching, and going back.
extension ConnectionViews {
    func detach(_ number: Int) throws(RPCError) {
        _ = try view(number)
        detach(number, endsSession: false)
    }

    /// Detaches a view from its session, once its events so far are written. To the client the view is gone at once.
    ///
    /// - Parameter endsSession: whether the session ends where no other view of its screen is left.
    func detach(_ number: Int, endsSession: Bool) {
        if let view = table[number], !view.isAwaitingSnapshot {
            connection.writer.sendEvents(of: view, upTo: view.session.summary.newest)
        }
        for end in progress.endAll(of: number) { connection.peer.notify(Progress.self, end, for: connection) }
        // The view may have ended with these events.
        guard let view = remove(number) else { return }
        if view.isAwaitingSnapshot {
            // Only the answer to its attachment is still to be written, which this makes an error.
            table.detach(view, endsSession: nil)
            view.session.detach(view.id, endsWithLast: endsSession)
        } else {
            table.detach(view, endsSession: endsSession)
            connection.writer.finishDetaching(of: number)
        }
    }

    /// Takes the session of this view off the screen, and answers when every view model that may refuse was asked.
    func goBack(from number: Int, _ reply: Reply<NavigationBack>) throws(RPCError) {
        let view = try view(number)
        try view.check(mayDo: "it can't go back")
        let session = view.session
        guard session.isChild, let scene = session.scene else {
            let advice = "session \(number) was opened, not pushed or presented: close or detach it instead"
            throw RPCError(.invalidRequest, "there is nothing to go back to; \(advice)")
        }
        if scene.canGoBackAtOnce(from: session) {
            scene.takeOff(session)
            return didGoBack(reply)
        }
        unfinishedJobs += 1
        Task.detached(executorPreference: connection.loop) { [handle, client = view.client] in
            var failure: RPCError?
            do {
                try await Client.$current.withValue(client) { try await scene.goBack(from: session) }
            } catch {
                failure = (error as? SessionError).map { RPCError($0) } ?? .refused("\(error)")
            }
            handle.perform { [failure] connection in
                connection.views.didGoBack(reply, failure)
                connection.views.didFinishJob()
            }
        }
    }

    private func didGoBack(_ reply: Reply<NavigationBack>, _ failure: RPCError? = nil) {
        // The views are told before the answer, as with any other event.
        connection.flush()
        guard let failure else { return connection.answer(reply, Null()) }
        connection.answer(reply, error: failure)
    }
}

/// View events.
extension ConnectionViews {
    /// Answers a view event that was handled, failed or was cancelled.
    ///
    /// - Parameters:
    ///   - call: nil for a notification.
    ///   - asked: the progress that the event asked for; nil where it asked for none.
    func didHandle(_ outcome: ViewEventJob.Outcome, of number: Int, _ call: Call?, _ asked: ProgressTable.Asked?) {
        let connection = connection
        let view = table[number]
        // A view that was detached may still wait for the answer to its `session/attach`.
        if view?.isAwaitingSnapshot ?? true {
            if deferUntilAnswer(of: number, { $0.didHandle(outcome, of: number, call, asked) }) { return }
        }
        let goesOn = asked.map { progress.didHandle($0, outcome) } ?? false
        // The events that the handler sent go before the answer.
        if let view {
            let newest = if case .handled(let newest, _) = outcome { newest } else { view.session.summary.newest }
            connection.writer.sendEvents(of: view, upTo: newest)
        }
        // So do the events that these have led to in other sessions.
        switch outcome {
        case .handled(_, hasRaised: false): break
        case .handled, .failed, .cancelled, .superseded: connection.writer.sendEventsOfAllViews()
        case .sessionEnded, .lost: break
        }
        connection.answer(call, outcome, of: view, progressGoesOn: goesOn)
        didFinishJob()
    }

    /// Sends a session's report to the client, in its place among the view's events. While the client doesn't read, the
    /// report only goes to the server's log, as a view model may report without end.
    func report(_ message: String, of number: Int) {
        guard !connection.writer.isFull else { return connection.logOwn(.debug, message) }
        if let view = table[number] { connection.writer.sendEvents(of: view, upTo: view.session.summary.newest) }
        connection.log(.error, message)
    }

    /// Sends progress in its place among the events of the view that asked for it. A client that doesn't read misses some of
    /// the reports between begin and end.
    ///
    /// - Parameter newest: the number of the session's newest event when the handler reported the progress.
    func report(_ value: WorkDoneProgress.Value, id: Int, of number: Int, after newest: Int?) {
        if case .report = value, connection.writer.isFull || !hasRoom(for: table.find(number)) { return }
        if deferUntilAnswer(of: number, { $0.report(value, id: id, of: number, after: newest) }) { return }
        guard let params = progress.params(of: value, id: id, of: number) else { return }
        if let newest, let view = table[number] { connection.writer.sendEvents(of: view, upTo: newest) }
        connection.peer.notify(Progress.self, params, for: connection)
    }
}
