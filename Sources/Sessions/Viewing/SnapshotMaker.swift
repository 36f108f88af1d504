import Synchronization

/// Makes the snapshot that a view which attaches waits for, and answers that view. It takes no part in the order of
/// handlers, and waits for none.
struct SnapshotMaker {
    let session: Session
    let view: Int

    func start() {
        let task = Task.detached(executorPreference: session.context.executor) { [self] in
            await session.model.placeSnapshot(for: session) { place($0) }
        }
        if !session.state.withLock({ $0.feed.note(task, of: view) }) { task.cancel() }
    }

    private func place(_ snapshot: ModelSnapshot) {
        let (placed, isAbandoned) = session.state.withLock { ($0.place(snapshot, for: view), $0.isAbandoned) }
        // Nil when the view was detached or the session ended, which has answered it.
        guard let (arrival, answer) = placed else { return }
        arrival.answer(answer)
        if isAbandoned { session.beginResumeWindow() }
    }
}

/// The answer to a view that attaches and waits for a snapshot. The caller that takes it out of the state gives
/// it, once.
final class Arrival: Sendable {
    let answer: @Sendable (Result<Session.Attachment, SessionError>) -> Void
    /// The task that makes the snapshot; nil until `note` has it.
    let task: Task<Void, Never>?

    init(
        answer: @escaping @Sendable (Result<Session.Attachment, SessionError>) -> Void, task: Task<Void, Never>? = nil
    ) {
        self.answer = answer
        self.task = task
    }

    func fail(_ error: SessionError) {
        task?.cancel()
        answer(.failure(error))
    }
}
