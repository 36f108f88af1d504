package import Sessions
import Synchronization
package import Transport

/// A journal over a `SessionStore`: a thread takes everything that has come while it stored what came before, and stores it
/// together. So a slow disk costs each session the time of one commit, and all of them together no more.
package final class Journal: SessionJournal {
    private enum Work: Sendable {
        case commit(Commit)
        case load(StoreQuery, then: @Sendable (Result<StoredScene?, StoreError>) -> Void)
        case sweep(unusedSince: Int64)
        case finish(then: @Sendable () -> Void)
    }

    private struct Commit: Sendable {
        let changes: [StoredChange]
        let then: StoreAction
    }

    private struct State {
        var work: [Work] = []
        var isIdle = true
        /// The server ends: what can't be stored at once never is.
        var isFinishing = false
        var failure: StoreError?
        var counts = StoreCounts()
    }

    private let store: any SessionStore
    private let retryDelay: Duration
    private let ownerCheckInterval: Duration
    private let log: @Sendable (String) -> Void
    private let onTakeover: @Sendable (String) -> Void
    private let now: @Sendable () -> Int64
    private let state = Mutex(State())
    private let hasWork = Semaphore()

    /// - Parameters:
    ///   - retryDelay: between two tries while the store can't be reached.
    ///   - ownerCheckInterval: a journal without work looks this often whether another server has taken the store over, so
    ///     that a server that was stopped notices as soon as it goes on.
    ///   - now: the time in seconds since 1970.
    ///   - log: takes a message for the person who runs the server, on any thread.
    ///   - onTakeover: called once, when another server has the store. Nothing is stored any more.
    /// - Throws: when the system has no thread to give.
    package init(
        _ store: any SessionStore, retryDelay: Duration = .milliseconds(100),
        ownerCheckInterval: Duration = .seconds(1),
        now: @escaping @Sendable () -> Int64 = { ThisProcess.secondsSince1970 },
        log: @escaping @Sendable (String) -> Void = { _ in },
        onTakeover: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(SystemError) {
        self.store = store
        self.retryDelay = retryDelay
        self.ownerCheckInterval = ownerCheckInterval
        self.now = now
        self.log = log
        self.onTakeover = onTakeover
        try Thread.start("store") { [self] in run() }
    }

    package var failure: StoreError? { state.withLock { $0.failure } }
    package var time: Int64 { now() }
    package var counts: StoreCounts { state.withLock { $0.counts } }

    package func commit(_ changes: [StoredChange], then: @escaping StoreAction) {
        add(.commit(Commit(changes: changes, then: then)))
    }

    package func load(_ query: StoreQuery, then: @escaping @Sendable (Result<StoredScene?, StoreError>) -> Void) {
        add(.load(query, then: then))
    }

    /// Removes the scenes that nobody has used since a time, in seconds since 1970.
    package func sweep(unusedSince time: Int64) {
        add(.sweep(unusedSince: time))
    }

    /// Stores what came before, closes the store, and ends. The journal takes nothing after it.
    ///
    /// - Parameter then: called once, on the journal's thread.
    package func finish(then: @escaping @Sendable () -> Void) {
        state.withLock { $0.isFinishing = true }
        add(.finish(then: then))
    }

    private func add(_ work: Work) {
        let wasIdle = state.withLock { state in
            state.work.append(work)
            defer { state.isIdle = false }
            return state.isIdle
        }
        if wasIdle { hasWork.post() }
    }

    private func run() {
        while true {
            if !hasWork.wait(atMost: ownerCheckInterval) {
                checkOwner()
                continue
            }
            while true {
                let work = state.withLock { state in
                    defer { state.work = [] }
                    state.isIdle = state.work.isEmpty
                    return state.work
                }
                if work.isEmpty { break }
                if !perform(work) { return }
            }
        }
    }

    /// Returns false at the journal's end.
    private func perform(_ work: [Work]) -> Bool {
        var batch: [Commit] = []
        func flush() {
            if !batch.isEmpty { commit(batch) }
            batch = []
        }
        for item in work {
            switch item {
            case .commit(let commit): batch.append(commit)
            case .load(let query, let then):
                // So that it finds what came before it.
                flush()
                then(load(query))
            case .sweep(let time):
                flush()
                sweep(time)
            case .finish(let then):
                flush()
                store.close()
                then()
                return false
            }
        }
        flush()
        return true
    }

    private enum Outcome {
        case stored
        /// It never can be, by itself or with others.
        case unusable
        /// Nothing is stored any more.
        case refused
    }

    private func commit(_ batch: [Commit]) {
        state.withLock { $0.counts.turns += batch.count }
        let outcome = tryToCommit(batch.flatMap(\.changes))
        guard case .unusable = outcome, batch.count > 1 else {
            for commit in batch { commit.then(outcome == .stored || commit.changes.isEmpty) }
            return
        }
        // One by one, so that one which can't be stored harms no other.
        for commit in batch { commit.then(tryToCommit(commit.changes) == .stored) }
    }

    /// Tries until it is stored, or never can be.
    private func tryToCommit(_ changes: [StoredChange]) -> Outcome {
        if changes.isEmpty { return .stored }
        while true {
            if isOver { return .refused }
            do throws(StoreError) {
                try store.commit(changes)
                note(nil)
                state.withLock { $0.counts.commits += 1 }
                return .stored
            } catch {
                if case .unusable(let reason) = error {
                    log("changes of sessions can't be stored: \(reason)")
                    return .unusable
                }
                note(error)
                if isOver { return .refused }
                // Nothing else is left for this thread to do, as all that comes has to wait.
                _ = Semaphore().wait(atMost: retryDelay)
            }
        }
    }

    /// Nothing more can be stored: another server has the store, or this one ends while the store can't be reached.
    private var isOver: Bool {
        state.withLock { state in
            switch state.failure {
            case nil: false
            case .takenOver: true
            default: state.isFinishing
            }
        }
    }

    private func checkOwner() {
        guard failure == nil else { return }
        do throws(StoreError) {
            try store.checkOwner()
        } catch {
            // Others show at the next commit.
            if case .takenOver = error { note(error) }
        }
    }

    private func load(_ query: StoreQuery) -> Result<StoredScene?, StoreError> {
        if case .takenOver(let reason)? = failure { return .failure(.takenOver(reason)) }
        do throws(StoreError) {
            switch query {
            case .owner:
                try store.checkOwner()
                return .success(nil)
            case .session(let key):
                state.withLock { $0.counts.loads += 1 }
                return .success(try store.scene(withSessionKey: key))
            case .opening(let once):
                state.withLock { $0.counts.loads += 1 }
                guard let key = try store.rootKey(ofOpening: once) else { return .success(nil) }
                return .success(try store.scene(withSessionKey: key))
            }
        } catch {
            if case .takenOver = error { note(error) }
            state.withLock { $0.counts.errors += 1 }
            return .failure(error)
        }
    }

    private func sweep(_ time: Int64) {
        guard failure == nil else { return }
        do throws(StoreError) {
            let count = try store.removeScenes(unusedSince: time)
            if count > 0 { log("\(count) stored sessions that nobody came back to were removed (storedTime)") }
        } catch {
            log("old sessions can't be removed from the store: \(error.reason)")
        }
    }

    private func note(_ error: StoreError?) {
        let before = state.withLock { state in
            defer { state.failure = error }
            if error != nil { state.counts.errors += 1 }
            return state.failure
        }
        switch (before, error) {
        case (nil, let error?): log("the store can't be used: \(error.reason)")
        case (_?, nil): log("the store works again")
        default: break
        }
        if case .takenOver(let reason)? = error {
            if case .takenOver? = before { return }
            onTakeover(reason)
        }
    }
}
