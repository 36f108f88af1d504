import Synchronization

/// A clock that stands still until a test moves it, so that no test waits for time to pass.
package final class ManualClock: Clock {
    package typealias Duration = Swift.Duration

    /// Time since the clock was made.
    package struct Instant: InstantProtocol {
        package let offset: Duration

        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
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
        var cancelled: Set<Int> = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    package init() {}

    package var now: Instant { state.withLock { $0.now } }
    package var minimumResolution: Duration { .zero }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
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

    /// How many tasks sleep on this clock now.
    package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Moves the clock and wakes the tasks whose time has come, earliest first.
    package func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.deadline <= state.now }.sorted { $0.deadline < $1.deadline }
            state.sleepers.removeAll { $0.deadline <= state.now }
            return due
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Waits until at least `count` tasks sleep on this clock.
    package func sleepers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.sleepers.count < count { state.watchers.append((count, continuation)) }
                return state.sleepers.count >= count
            }
            if isThere { continuation.resume() }
        }
    }

    private func add(_ sleeper: Sleeper) {
        enum Fate {
            case sleeps([CheckedContinuation<Void, Never>])
            case isDue
            case isCancelled
        }
        let fate: Fate = state.withLock { state in
            if state.cancelled.remove(sleeper.id) != nil { return .isCancelled }
            if sleeper.deadline <= state.now { return .isDue }
            state.sleepers.append(sleeper)
            let count = state.sleepers.count
            defer { state.watchers.removeAll { $0.count <= count } }
            return .sleeps(state.watchers.filter { $0.count <= count }.map(\.continuation))
        }
        switch fate {
        case .sleeps(let watchers): for watcher in watchers { watcher.resume() }
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
