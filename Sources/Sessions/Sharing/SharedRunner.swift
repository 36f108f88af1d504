import JSON
import Synchronization
import ViewModels

/// Opens a session's views of shared sessions, sends what its view model sends there, and has it take what comes back.
struct SharedRunner {
    let session: Session

    /// Attaches the views, and returns once all are. Nothing that comes is taken before `begin()`.
    ///
    /// - Throws: the error of the first that can't be attached.
    func open(_ found: [any AnyShared]) async throws {
        guard let sharing = session.context.sharing else {
            throw SharedError.refused(found.first?.name ?? "", "this server shares no sessions")
        }
        let waiting =
            (Client.current?.waiting ?? [])
            + [WaitingSession(key: session.key, viewModel: session.viewModelName)]
        session.state.withLock { state in
            if state.shared == nil { state.shared = SharedViews() }
            state.shared?.beginOpening()
        }
        for (index, shared) in found.enumerated() {
            let arguments = try Self.text(of: shared.arguments)
            let isTwice = session.state.withLock { state in
                state.shared?.records.contains { $0.viewModel == shared.name && $0.arguments == arguments } == true
            }
            if isTwice { throw SharedError.twice(shared.name) }
            try await open(shared, arguments, index, waiting, sharing)
        }
    }

    private static func text(of arguments: any Encodable) throws -> JSONText {
        var writer = JSONWriter()
        try ValueEncoder().encode(arguments, into: &writer)
        let bytes = writer.takeBytes()
        return JSONText { $0.raw(bytes) }
    }

    private func open(
        _ shared: any AnyShared, _ arguments: JSONText, _ index: Int, _ waiting: [WaitingSession],
        _ sharing: any SharedSessions
    ) async throws {
        let opening = SharedOpeningWait()
        let view = SharedView(shared.name, arguments, of: session, index: index, waiting: waiting) {
            opening.finish($0)
        }
        let connection = SharedPart(
            shared: shared, connection: NoConnection(), lists: Set(shared.listNames))
        let now = session.context.elapsed()
        session.state.withLock { state in
            let restored = state.shared?.takeRestored(shared.name, arguments)
            let record =
                restored.map { SharedRecord($0, now: now) }
                ?? SharedRecord(viewModel: shared.name, arguments: arguments, client: sharing.freshName())
            state.shared?.add(record, connection)
            if restored == nil { state.noteSharedChange() }
        }
        shared.connect(SessionLine(of: session, index: index))
        let opened = sharing.connect(view, of: session)
        session.state.withLock { $0.shared?.parts[index].connection = opened }
        // The session may have ended just before, when there was nothing to close.
        if session.hasEnded { opened.close() }
        try await opening.wait()
    }

    /// Has the view model take what has come so far. Called once, before the view model starts.
    nonisolated(nonsending) func begin() async {
        let job = session.state.withLock { $0.shared?.job ?? 0 }
        await takeArrivals()
        didEnd(job: job + 1)
    }

    /// Takes something that has come, in its turn.
    ///
    /// - Returns: false where too much waits.
    func take(_ arrival: SharedViews.Arrival, of index: Int) -> Bool {
        let (wake, isFull) = session.state.withLock { state -> (HandlerTask.Wake, Bool) in
            guard !state.isOver, state.shared != nil else { return (.nothing, false) }
            state.shared?.append(arrival, of: index)
            return (state.queueSharedJob(of: session), state.shared?.isFull ?? false)
        }
        HandlerRunner(session: session).obey(wake)
        return !isFull
    }

    nonisolated(nonsending) fileprivate func takeArrivals() async {
        while true {
            let (next, mayResume) = session.state.withLock { state in
                let wasFull = state.shared?.isFull ?? false
                let next = state.shared?.next()
                return (next, wasFull && state.shared?.isFull == false)
            }
            if mayResume { resume() }
            guard let (index, arrival) = next else { return }
            guard
                let part = session.state.withLock({
                    $0.shared.flatMap { $0.parts.indices.contains(index) ? $0.parts[index] : nil }
                })
            else { continue }
            do {
                try await take(arrival, of: index, part)
            } catch {
                let what = "\(session.viewModelName) can't take an event of \(part.shared.name): \(error)"
                session.context.warn(what)
                session.report(what)
            }
        }
    }

    private func resume() {
        for part in session.state.withLock({ $0.shared?.parts ?? [] }) { part.connection.resume() }
    }

    nonisolated(nonsending) private func take(
        _ arrival: SharedViews.Arrival, of index: Int, _ part: SharedPart
    ) async throws {
        switch arrival {
        case .attached(let cursor, let snapshot):
            // A snapshot counts as taken also where it can't be.
            defer { note(of: index) { $0.didTake(cursor) } }
            guard let snapshot else { return }
            let events = snapshot.map { SharedEventText(text: $0) }
            part.shared.begin(listsBeside: events)
            for event in events { try await take(event, part) }
        case .event(let text, let seq):
            // The event counts as taken also where it can't be.
            defer { note(of: index) { $0.didTake(upTo: seq) } }
            try await take(SharedEventText(text: text), part)
        case .passed(let seq): note(of: index) { $0.didTake(upTo: seq) }
        case .answer(let number, let failure):
            let takesFailures = failure != nil && part.shared.takesFailures
            let reason = failure.map { UnhandledEvent.Reason($0) }
            let sent = session.state.withLock { state -> SharedSent? in
                guard let job = state.shared?.job else { return nil }
                let sent = state.shared?.records[index].didAnswer(
                    number, inJob: job, failure: takesFailures ? nil : failure)
                if sent != nil { state.noteSharedChange() }
                // Whoever asks again is told the same, in a later life, too.
                if let cause = sent?.cause, let reason, !takesFailures {
                    state.inbox.unhandled.append(UnhandledEvent(cause, reason))
                }
                return sent
            }
            guard let sent, let failure else { return }
            if takesFailures { return try part.shared.fail(SharedEventText(text: sent.event), failure) }
            session.context.warn("\(part.shared.name) hasn't handled an event of \(session.viewModelName): \(failure)")
        }
    }

    nonisolated(nonsending) private func take(_ event: SharedEventText, _ part: SharedPart) async throws {
        if !part.lists.isEmpty, let kind = event.kind, part.lists.contains(kind) {
            return part.shared.take(listEvent: event)
        }
        if let output = part.shared.passedOnOutput {
            let key = try part.shared.key(of: event)
            output.queueStep { [session] in session.append(event.text.bytes, key: key) }
            output.deliverPending()
        }
        try await part.shared.take(event)
    }

    /// Notes how far events were taken.
    private func note(of index: Int, _ change: (inout SharedRecord) -> Void) {
        session.state.withLock { state in
            guard var record = state.shared?.records[index] else { return }
            change(&record)
            state.shared?.records[index] = record
            state.shared?.hasMoved = true
        }
    }

    /// Answers clients whose events are over.
    fileprivate func didEnd(job: Int) {
        let (ready, wake) = session.state.withLock { state in
            let newest = state.feed.newest
            return (state.shared?.didEnd(job: job, newest: newest) ?? [], state.queueSharedJob(of: session))
        }
        HandlerRunner(session: session).obey(wake)
        for over in ready { over.action(over.end) }
    }

    /// Sends an event to a shared session.
    ///
    /// - Throws: `SessionError`, also where too much waits.
    func send(_ event: [UInt8], to index: Int) throws(SessionError) {
        let isDurable = session.isDurable
        let isOwn = session.storage?.committer.noteEffect(on: session) ?? true
        let sender = SharedSender(Client.current)
        let now = session.context.elapsed()
        let ready = try session.state.withLock { state throws(SessionError) -> (any SharedConnection, SharedSent)? in
            guard state.feed.end == nil, state.shared != nil else { throw .ended }
            try state.checkRoom(for: event, to: index, session.limits)
            let cause = state.inbox.running?.job.number
            guard
                let number = state.shared?.records[index].send(
                    event, from: sender, for: cause, now: now, mayGo: !isDurable)
            else { return nil }
            state.shared?.noteSent(number, of: index)
            state.noteSharedChange()
            if isDurable {
                if !isOwn { state.kept?.hasEffectsOfOthers = true }
                session.mayBeAwaited.store(true, ordering: .releasing)
                return nil
            }
            return state.shared?.parts[index].connection.with(state.shared?.records[index].outbox.last?.event)
        }
        if isDurable { return TurnCommitter(session: session).save() }
        if let (connection, event) = ready { connection.send([event]) }
    }

    /// Lets events go that are stored now.
    func didStore(_ notes: SessionNotes) {
        guard let stored = notes.shared else { return }
        let ready = session.state.withLock { state -> [(any SharedConnection, [SharedSent])] in
            guard let shared = state.shared else { return [] }
            return stored.compactMap { notes in
                guard
                    let index = shared.records.firstIndex(where: {
                        $0.viewModel == notes.viewModel && $0.arguments == notes.arguments
                    }), shared.parts.indices.contains(index),
                    let events = state.shared?.records[index].release(notes), !events.isEmpty
                else { return nil }
                return (shared.parts[index].connection, events)
            }
        }
        for (connection, events) in ready { connection.send(events) }
    }

    /// Answers a view event of a durable session, once what its handler sent to shared sessions is over.
    func finish(_ job: ViewEventJob, _ outcome: ViewEventJob.Outcome, after numbers: [SharedViews.Number]) {
        guard !numbers.isEmpty, job.isOfClient else { return job.finish(outcome) }
        let waits = session.state.withLock { state in
            state.feed.end == nil && state.hold(job, outcome, until: numbers)
        }
        if !waits { job.finish(outcome) }
    }

    /// Detaches all views, as the session has ended.
    ///
    /// - Parameter isGone: whether it has no later life, which would send what isn't answered.
    func close(isGone: Bool) {
        let ended = session.state.withLock { state in
            (state.shared?.end()).map { ($0, isGone ? .left : state.isLost ? .lost : SharedViews.End.ended) }
        }
        guard let ((parts, answers), end) = ended else { return }
        for part in parts {
            if isGone { part.connection.close(finishing: session) } else { part.connection.close() }
        }
        for answer in answers { answer(end) }
    }
}

extension Session {
    /// How many events for shared sessions aren't answered, and how long the oldest of them has waited here.
    package var waitingSends: (count: Int, longest: Duration) {
        let now = context.elapsed()
        return state.withLock { state in
            guard state.hasShared, let records = state.shared?.records else { return (0, .zero) }
            let waiting = records.flatMap(\.outbox).filter { $0.answeredIn == nil }
            return (waiting.count, waiting.map { now - $0.since }.max() ?? .zero)
        }
    }
}

extension SessionState {
    /// Notes that something about shared sessions is to be stored.
    mutating func noteSharedChange() {
        shared?.isChanged = true
        kept?.hasUnhandedNotes = true
    }

    /// Queues the job that takes what has come from shared sessions, where there isn't one.
    fileprivate mutating func queueSharedJob(of session: Session) -> HandlerTask.Wake {
        guard !isOver, shared?.beginJob() == true, let job = shared?.job else { return .nothing }
        let name = shared?.records.count == 1 ? shared?.records[0].viewModel ?? "" : "shared events"
        _ = inbox.submit(
            ClosureJob(
                name, handle: { await SharedRunner(session: session).takeArrivals() },
                complete: { _ in SharedRunner(session: session).didEnd(job: job + 1) }))
        return wakeHandlers()
    }

    fileprivate func checkRoom(for event: [UInt8], to index: Int, _ limits: Limits) throws(SessionError) {
        guard let record = shared?.records[index] else { return }
        let name = record.viewModel
        guard record.outbox.count < limits.pendingEvents else {
            let message =
                "\(limits.pendingEvents) events for \"\(name)\" wait in this session; send more when some are done"
            throw .limitExceeded(limit: "pendingEvents", message: message)
        }
        guard record.bytes + event.count <= limits.pendingBytes || record.outbox.isEmpty else {
            let message =
                "\(limits.pendingBytes) bytes for \"\(name)\" wait in this session; send more when some are done"
            throw .limitExceeded(limit: "pendingBytes", message: message)
        }
    }

    /// Keeps an answer until events that were sent to shared sessions are over.
    ///
    /// - Returns: false where they are, and nothing is kept.
    mutating func hold(
        _ job: ViewEventJob, _ outcome: ViewEventJob.Outcome, until numbers: [SharedViews.Number]
    ) -> Bool {
        shared?.wait(for: numbers) { end in
            switch end {
            case .handled(let newest):
                if case .handled(_, let hasRaised) = outcome {
                    job.finish(.handled(newest: newest, hasRaised: hasRaised))
                } else {
                    job.finish(outcome)
                }
            case .failed(let error): job.finish(.failed(error))
            case .left: job.finish(outcome)
            case .ended: job.finish(.sessionEnded)
            case .lost: job.finish(.lost)
            }
        } ?? false
    }
}

/// Waits for the first attachment of a view.
private final class SharedOpeningWait: Sendable {
    private enum State {
        case awaited(CheckedContinuation<Void, any Error>?)
        case over(Result<Void, any Error>)
    }

    private let state = Mutex(State.awaited(nil))

    func finish(_ result: Result<Void, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard case .awaited(let waiter) = state else { return nil }
            state = .over(result)
            return waiter
        }
        waiter?.resume(with: result)
    }

    func wait() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Void, any Error>? in
                    if case .over(let result) = state { return result }
                    state = .awaited(continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }
}

extension SharedConnection {
    fileprivate func with(_ event: SharedSent?) -> (any SharedConnection, SharedSent)? { event.map { (self, $0) } }
}
