import Synchronization

/// The time of a transcript that is replayed in this process: a clock that nobody waits for.
///
/// It begins at zero and stands still while anything happens. Once all is quiet it goes on to the transcript's next line, its
/// `at`, and whoever sleeps until a time before that wakes on the way, the earliest first. So a line `"at":180000` lets three
/// minutes pass in no time, and the same transcript gives the same times in every run.
public final class TranscriptClock: Clock {
    /// A time of the transcript.
    public struct Instant: InstantProtocol {
        /// Since the transcript began.
        public let offset: Duration

        /// The instant so much later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// How much later `other` is.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Whether one is earlier than the other.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let id: Int
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var lastID = 0
        var sleepers: [Sleeper] = []
        /// Those that were cancelled before they slept.
        var cancelled: Set<Int> = []
        var isOver = false
        var onSleep: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// A clock at zero.
    public init() {}

    /// How far the transcript has come.
    public var now: Instant { state.withLock { $0.now } }

    /// Any time can be told from any other.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Sleeps until the transcript has come so far.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, or the replay has ended.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(Sleeper(id: id, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func add(_ sleeper: Sleeper) {
        enum Fate {
            case sleeps((@Sendable () -> Void)?)
            case isDue
            case isCancelled
        }
        let fate: Fate = state.withLock { state in
            if state.cancelled.remove(sleeper.id) != nil || state.isOver { return .isCancelled }
            if sleeper.deadline <= state.now { return .isDue }
            state.sleepers.append(sleeper)
            return .sleeps(state.onSleep)
        }
        switch fate {
        case .sleeps(let tell): tell?()
        case .isDue: sleeper.continuation.resume()
        case .isCancelled: sleeper.continuation.resume(throwing: CancellationError())
        }
    }

    private func cancel(_ id: Int) {
        let sleeper = state.withLock { state in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return nil as Sleeper?
            }
            return state.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}

extension TranscriptClock {
    /// Called, on any thread, each time somebody begins to sleep. One at a time.
    package func onSleep(_ action: (@Sendable () -> Void)?) {
        state.withLock { $0.onSleep = action }
    }

    /// When the first sleeper wakes.
    package var nextWake: Instant? {
        state.withLock { $0.sleepers.map(\.deadline).min() }
    }

    /// Goes on to the first sleeper's time and wakes it, and all others of that time, unless it is later than `limit`.
    ///
    /// - Returns: whether somebody woke.
    package func wakeNext(upTo limit: Instant) -> Bool {
        let due = state.withLock { state in
            guard let first = state.sleepers.map(\.deadline).min(), first <= limit else { return [Sleeper]() }
            state.now = max(state.now, first)
            let due = state.sleepers.filter { $0.deadline == first }
            state.sleepers.removeAll { $0.deadline == first }
            return due
        }
        for sleeper in due { sleeper.continuation.resume() }
        return !due.isEmpty
    }

    /// Goes on to a time; never back. Nobody may sleep until an earlier one.
    package func advance(to instant: Instant) {
        state.withLock { $0.now = max($0.now, instant) }
    }

    /// The replay has ended: whoever sleeps, or will, is told so by an error.
    package func end() {
        let sleepers = state.withLock { state in
            state.isOver = true
            defer { state.sleepers = [] }
            return state.sleepers
        }
        for sleeper in sleepers { sleeper.continuation.resume(throwing: CancellationError()) }
    }
}

extension TranscriptClock.Instant {
    /// - Parameter milliseconds: as a line's `at`.
    package init(milliseconds: Int) {
        self.init(offset: .milliseconds(milliseconds))
    }
}
