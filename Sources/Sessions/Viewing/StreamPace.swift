import Queues
import Synchronization
import ViewModels

/// Makes a handler that streams wait for the views of its session.
final class StreamPace: OutputPace {
    private let session: Session

    init(_ session: Session) {
        self.session = session
    }

    nonisolated(nonsending) func waitForRoom() async throws {
        guard session.state.withLock({ $0.hasViewBehind }) else { return }
        let id = session.state.withLock { $0.streams.nextID() }
        defer { session.state.withLock { $0.streams.forget(id) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in wait(StreamWaiter(id: id, continuation)) }
        } onCancel: {
            session.state.withLock { $0.streams.cancel(id) }?.resume(throwing: CancellationError())
        }
    }

    private func wait(_ waiter: StreamWaiter) {
        let (isOver, needsTimer) = session.state.withLock { state in
            guard state.hasViewBehind, state.streams.append(waiter) else { return (true, false) }
            return (false, state.beginTimingViews())
        }
        if isOver { waiter.resume() }
        if needsTimer { startTimer() }
    }

    /// Lets handlers go on that needn't wait any more. Called with no lock held, after each change that may let a view keep
    /// up.
    func wake() {
        for waiter in session.state.withLock({ $0.readyStreams() }) { waiter.resume() }
    }

    private func startTimer() {
        let context = session.context
        _ = context.executor.schedule(after: session.limits.viewTime, by: context.clock) { [weak session] in
            if let session { StreamPace(session).endTime() }
        }
    }

    private func endTime() {
        let (late, ready, goesOn) = session.state.withLock { state in
            let late = state.leaveBehind()
            return (late, state.readyStreams(), state.beginTimingViews())
        }
        for _ in 0..<late {
            session.context.warn(
                """
                a view of \(session.viewModelName) took nothing for \(session.limits.viewTime) (viewTime), so handlers \
                that stream don't wait for it any more
                """)
        }
        for waiter in ready { waiter.resume() }
        if goesOn { startTimer() }
    }
}

/// A handler that waits until all views keep up.
struct StreamWaiter {
    fileprivate let id: Int
    private let continuation: CheckedContinuation<Void, any Error>

    fileprivate init(id: Int, _ continuation: CheckedContinuation<Void, any Error>) {
        self.id = id
        self.continuation = continuation
    }

    func resume() {
        continuation.resume()
    }

    fileprivate func resume(throwing error: any Error) {
        continuation.resume(throwing: error)
    }
}

/// The handlers of a session that wait for its views. Pure, guarded by the `Session`.
struct StreamWaiters {
    private var waiters: [StreamWaiter] = []
    private var lastID = 0
    /// The ids that were cancelled before their tasks waited.
    private var cancelled: Set<Int> = []
    /// How far the views that are behind had come when the timer began; nil without a timer.
    fileprivate var seen: [Int: Int]?

    var isEmpty: Bool { waiters.isEmpty }

    fileprivate mutating func nextID() -> Int {
        lastID += 1
        return lastID
    }

    /// Adds a waiter. Returns false when it was cancelled before.
    fileprivate mutating func append(_ waiter: StreamWaiter) -> Bool {
        guard cancelled.remove(waiter.id) == nil else { return false }
        waiters.append(waiter)
        return true
    }

    fileprivate mutating func cancel(_ id: Int) -> StreamWaiter? {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else {
            cancelled.insert(id)
            return nil
        }
        return waiters.remove(at: index)
    }

    /// Forgets an id that was cancelled, as its task no longer waits.
    fileprivate mutating func forget(_ id: Int) {
        cancelled.remove(id)
    }

    mutating func removeAll() -> [StreamWaiter] {
        defer { waiters = [] }
        return waiters
    }
}

extension SessionState {
    /// Whether a handler that streams has to wait for a view. In a durable session nothing is told before its handler has
    /// returned, so none waits.
    fileprivate var hasViewBehind: Bool { feed.hasViewBehind && (kept == nil || !inbox.isRunning) }

    /// Takes the handlers that needn't wait any more.
    fileprivate mutating func readyStreams() -> [StreamWaiter] {
        guard !streams.isEmpty, !hasViewBehind else { return [] }
        return streams.removeAll()
    }

    /// Notes how far the views are. Returns whether a timer must be started.
    fileprivate mutating func beginTimingViews() -> Bool {
        guard streams.seen == nil, !streams.isEmpty else { return false }
        streams.seen = feed.viewsBehind
        return true
    }

    /// Ends the time that views had to take something. Returns how many have taken nothing since, and are no longer waited for.
    fileprivate mutating func leaveBehind() -> Int {
        let seen = streams.seen ?? [:]
        streams.seen = nil
        let late = feed.viewsBehind.filter { seen[$0.key] == $0.value }
        for id in late.keys { feed.leaveBehind(id) }
        return late.count
    }
}
