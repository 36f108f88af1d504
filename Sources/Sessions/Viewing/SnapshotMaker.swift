import Queues
import Synchronization

/// Makes the snapshot that views which attach wait for, once for all of them, and answers those views. It takes no part
/// in the order of handlers, and waits for none.
struct SnapshotMaker {
    let session: Session

    /// Has a snapshot made for a view that waits, unless there is one that it can share.
    func begin(for view: Int) {
        if let answers = refusal(of: view) { return answers.send(from: session) }
        let deadline = session.context.elapsed() + session.limits.snapshotTime
        switch session.state.withLock({ $0.beginSnapshot(for: view, deadline: deadline) }) {
        case .nothing: return
        case .answered(let answer):
            TurnCommitter(session: session).whenStateStored { [session] outcome in
                answer.send(from: session, outcome)
            }
        case .waits: break
        case .make(let id): make(id)
        }
        startTimer(session.limits.snapshotTime)
    }

    /// Refuses a view while the store can't be reached and something isn't stored. A snapshot would have that, and couldn't be
    /// told before the store is back, which may take hours.
    private func refusal(of view: Int) -> SnapshotAnswers? {
        guard let storage = session.storage, let failure = storage.failure else { return nil }
        let isSharedStored = storage.committer.isSharedStored
        return session.state.withLock { state in
            guard !isSharedStored || !state.isStored else { return nil }
            return state.refuseArrival(of: view, failure)
        }
    }

    private func make(_ id: Int) {
        let executor = HandlerExecutor.make("snapshot", of: session)
        let task = Task.detached(executorPreference: executor ?? session.context.executor) { [self] in
            await session.model.placeSnapshot(for: session) { place($0, id) }
        }
        if session.state.withLock({ $0.feed.snapshots.note(task, of: id) }) { task.cancel() }
    }

    private func place(_ snapshot: ModelSnapshot, _ id: Int) {
        let (answers, next) = session.state.withLock { $0.place(snapshot, id) }
        // The snapshot may have what isn't stored yet, where a handler is under way.
        TurnCommitter(session: session).whenStateStored { [session] outcome in answers.send(from: session, outcome) }
        if let next { make(next) }
    }

    private func startTimer(_ delay: Duration) {
        guard session.state.withLock({ $0.needsSnapshotTimer }) else { return }
        let timer = session.context.executor.schedule(after: delay, by: session.context.clock) { [weak session] in
            session.map { SnapshotMaker(session: $0).endWaits() }
        }
        if !session.state.withLock({ $0.keep(snapshotTimer: timer) }) { timer.cancel() }
    }

    /// Refuses views that have waited long enough. The view model isn't asked again before it has answered.
    private func endWaits() {
        let now = session.context.elapsed()
        let (answers, next) = session.state.withLock { $0.endWaits(now, session.limits.snapshotTime) }
        if !answers.isEmpty {
            session.context.warn(
                "\(session.viewModelName) made no snapshot within \(session.limits.snapshotTime) (snapshotTime)")
        }
        answers.send(from: session)
        if let next { startTimer(next - now) }
    }
}

/// Answers to views that attach, left to be given with no lock held.
struct SnapshotAnswers: Sendable {
    private var answers: [(arrival: Arrival, answer: Result<Session.Attachment, SessionError>)] = []
    /// The tasks to cancel, since no view waits any more.
    var idle: [Task<Void, Never>] = []
    /// Whether the session is left without views.
    var isAbandoned = false

    var isEmpty: Bool { answers.isEmpty }

    mutating func append(_ arrival: Arrival, _ answer: Result<Session.Attachment, SessionError>) {
        answers.append((arrival, answer))
    }

    func send(from session: Session, _ outcome: StoreOutcome = .stored) {
        for task in idle { task.cancel() }
        for (arrival, answer) in answers {
            switch outcome {
            case .stored: arrival.answer(answer)
            case .refused: arrival.fail(session.state.withLock { $0.attachingError })
            case .lost: arrival.fail(.lost)
            }
        }
        if isAbandoned { ResumeWindow(session: session).begin() }
    }
}

/// The place for the answer to a view that attaches and waits for a snapshot. Whoever takes it out of the state answers, once.
struct Arrival: Sendable {
    let answer: @Sendable (Result<Session.Attachment, SessionError>) -> Void
    /// When the wait is given up, by the session's time; nil until the snapshot is asked for.
    var deadline: Duration?

    func fail(_ error: SessionError) {
        answer(.failure(error))
    }
}
