import Queues
import Sessions
import Synchronization

/// A journal without a thread: stores at once, in the thread that asks. A store that is away is asked again after a second.
final class ImmediateJournal: SessionJournal {
    private struct State {
        var failure: StoreError?
        var waiting: [(commit: SceneCommit, then: StoreCompletion)] = []
        var sweeps: [Duration] = []
    }

    private let store: MemoryStore
    private let clock: any Clock<Duration>
    private let elapsed: @Sendable () -> Duration
    private let onTakeover: @Sendable () -> Void
    private let state = Mutex(State())

    init(_ store: MemoryStore, clock: any Clock<Duration>, onTakeover: @escaping @Sendable () -> Void) {
        self.store = store
        self.clock = clock
        elapsed = clock.stopwatch()
        self.onTakeover = onTakeover
    }

    var failure: StoreError? { state.withLock { $0.failure } }
    /// The clock's, from 1,000 on.
    var time: Int64 { 1_000 + elapsed().components.seconds }

    /// For how long what is removed was unused, for each sweep that was asked for.
    var sweeps: [Duration] { state.withLock { $0.sweeps } }
    var counts: StoreCounts { StoreCounts() }

    var leaseTime: Duration { .zero }

    func commit(scene: SceneLife, changes: [StoredChange], then: @escaping StoreCompletion) {
        if scene.isOver { return then(.lost("it is over")) }
        let commit = SceneCommit(scene: scene.key, changes: changes)
        let waits = state.withLock { state in
            guard case .unavailable? = state.failure else { return false }
            state.waiting.append((commit, then))
            return true
        }
        if !waits { tryToCommit(commit, then) }
    }

    func release(scene: SceneLife) {
        scene.end()
    }

    private func tryToCommit(_ commit: SceneCommit, _ then: @escaping StoreCompletion) {
        do throws(StoreError) {
            if case .takenOver(let reason)? = failure { throw .takenOver(reason) }
            then(try commit.changes.isEmpty ? .stored : store.commit([commit]).first ?? .stored)
        } catch {
            let isFirst = state.withLock { state in
                defer { state.failure = error }
                return state.failure == nil
            }
            guard case .unavailable = error else {
                if isFirst { onTakeover() }
                return then(.refused(error.reason))
            }
            state.withLock { $0.waiting.append((commit, then)) }
            if isFirst { retryLater() }
        }
    }

    private func retryLater() {
        Task { [clock] in
            try? await clock.sleep(for: .seconds(1))
            store.mend()
            let waiting = state.withLock { state in
                defer { (state.waiting, state.failure) = ([], nil) }
                return state.waiting
            }
            for (commit, then) in waiting { tryToCommit(commit, then) }
        }
    }

    func load(_ query: StoreQuery, then: @escaping @Sendable (Result<StoredScene?, StoreError>) -> Void) {
        switch query {
        case .owner: then(.success(nil))
        case .session(let key): then(Result { () throws(StoreError) in try store.scene(withSessionKey: key) })
        case .opening(let once):
            then(
                Result { () throws(StoreError) in
                    try store.rootKey(ofOpening: once).flatMap { key throws(StoreError) in
                        try store.scene(withSessionKey: key)
                    }
                })
        }
    }

    func list(_ filter: SceneFilter, then: @escaping @Sendable (Result<[ListedScene], StoreError>) -> Void) {
        then(Result { () throws(StoreError) in try store.scenes(for: filter, from: 0).scenes })
    }

    func whenLapsed(_ action: @escaping @Sendable () -> Void) {}

    func leave() {}

    func sweep(unusedFor time: Duration) { state.withLock { $0.sweeps.append(time) } }
}
