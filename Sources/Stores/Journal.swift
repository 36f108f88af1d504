package import Sessions
import Synchronization
package import Transport

/// A journal over a `SessionStore`: a thread takes everything that has come while it stored what came before, and stores it
/// together. So a slow disk costs each session the time of one commit, and all of them together no more. The same thread keeps
/// the server's lease.
package final class Journal: SessionJournal {
    private enum Work: Sendable {
        case commit(Commit)
        case load(StoreQuery, then: @Sendable (Result<StoredScene?, StoreError>) -> Void)
        case release(SceneLife)
        case leave
        case sweep(unusedSince: Int64)
        case finish(then: @Sendable () -> Void)
    }

    private struct Commit: Sendable {
        let life: SceneLife
        let changes: [StoredChange]
        let then: StoreAction
    }

    /// The commits of one scene, which are stored together.
    private struct Group {
        let life: SceneLife
        var commits: [Commit]

        var sceneCommit: SceneCommit { SceneCommit(scene: life.key, changes: commits.flatMap(\.changes)) }
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
    private let renewalInterval: Duration
    private let log: @Sendable (String) -> Void
    private let onTakeover: @Sendable (String) -> Void
    private let now: @Sendable () -> Int64
    private let state = Mutex(State())
    private let lapseAction = Mutex<@Sendable () -> Void>({})
    private let hasWork = Semaphore()

    /// - Parameters:
    ///   - retryDelay: between two tries while the store can't be reached.
    ///   - ownerCheckInterval: a journal without work looks at least this often whether another server has taken the store
    ///     over, so that a server that was stopped notices as soon as it goes on.
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
        let lease = store.leaseTime
        renewalInterval = lease > .zero ? min(ownerCheckInterval, lease / 3) : ownerCheckInterval
        self.now = now
        self.log = log
        self.onTakeover = onTakeover
        try Thread.start("store") { [self] in run() }
    }

    package var failure: StoreError? { state.withLock { $0.failure } }
    package var leaseTime: Duration { store.leaseTime }
    package var holder: SceneHolder? { store.holder }
    package var time: Int64 { now() }
    package var counts: StoreCounts { state.withLock { $0.counts } }

    package func commit(scene: SceneLife, changes: [StoredChange], then: @escaping StoreAction) {
        add(.commit(Commit(life: scene, changes: changes, then: then)))
    }

    package func release(scene: SceneLife) {
        add(.release(scene))
    }

    package func load(_ query: StoreQuery, then: @escaping @Sendable (Result<StoredScene?, StoreError>) -> Void) {
        add(.load(query, then: then))
    }

    package func leave() {
        add(.leave)
    }

    package func whenLapsed(_ action: @escaping @Sendable () -> Void) {
        lapseAction.withLock { $0 = action }
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
            if !hasWork.wait(atMost: renewalInterval) {
                renew()
                noteLapse()
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
                noteLapse()
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
            case .release(let life):
                flush()
                release(life)
            case .leave:
                flush()
                // Where it fails, the lease is soon over.
                if failure == nil { try? store.leave() }
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

    private func commit(_ batch: [Commit]) {
        state.withLock { $0.counts.turns += batch.count }
        var groups: [Group] = []
        for commit in batch {
            if commit.life.isOver {
                commit.then(.lost("the scene has left this server"))
            } else if commit.changes.isEmpty, !groups.contains(where: { $0.life === commit.life }) {
                commit.then(.stored)
            } else if let index = groups.firstIndex(where: { $0.life === commit.life }) {
                groups[index].commits.append(commit)
            } else {
                groups.append(Group(life: commit.life, commits: [commit]))
            }
        }
        let outcomes = tryToCommit(groups.map(\.sceneCommit))
        for (group, outcome) in zip(groups, outcomes) { settle(group, outcome) }
        logFailures(outcomes)
    }

    private func settle(_ group: Group, _ outcome: StoreOutcome) {
        if outcome.isLost { group.life.end() }
        guard case .refused = outcome, group.commits.count > 1, !isOver else {
            for commit in group.commits { commit.then(commit.changes.isEmpty && !outcome.isLost ? .stored : outcome) }
            return
        }
        // One by one, so that one which can't be stored harms no other.
        for commit in group.commits { settle(Group(life: group.life, commits: [commit]), self.outcome(of: commit)) }
    }

    private func outcome(of commit: Commit) -> StoreOutcome {
        if commit.life.isOver { return .lost("the scene has left this server") }
        if commit.changes.isEmpty { return .stored }
        return tryToCommit([SceneCommit(scene: commit.life.key, changes: commit.changes)]).first ?? .stored
    }

    /// Once for all that a failover of the store has done.
    private func logFailures(_ outcomes: [StoreOutcome]) {
        var (lost, refused): ([String], [String]) = ([], [])
        for outcome in outcomes {
            switch outcome {
            case .stored: break
            case .lost(let reason): lost.append(reason)
            case .refused(let reason): refused.append(reason)
            }
        }
        if let reason = lost.first {
            log("\(lost.count) \(lost.count == 1 ? "scene" : "scenes") can't go on at this server: \(reason)")
        }
        if let reason = refused.first, !isOver { log("changes of sessions can't be stored: \(reason)") }
    }

    /// Tries until each has an outcome.
    private func tryToCommit(_ commits: [SceneCommit]) -> [StoreOutcome] {
        if commits.isEmpty { return [] }
        while true {
            if isOver { break }
            do throws(StoreError) {
                let begin = ContinuousClock.now
                let outcomes = try store.commit(commits)
                let time = ContinuousClock.now - begin
                note(nil)
                state.withLock { $0.counts.add(commit: time) }
                return outcomes
            } catch {
                switch error {
                case .unavailable, .takenOver: note(error)
                case .unusable, .held, .lost: return commits.map { _ in .refused(error.reason) }
                }
                if isOver { break }
                // Nothing else is left for this thread to do, as all that comes has to wait.
                _ = Semaphore().wait(atMost: retryDelay)
            }
        }
        return commits.map { _ in .refused(failure?.reason ?? "the server ends") }
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

    private func renew() {
        guard failure == nil else { return }
        do throws(StoreError) {
            try store.renew()
        } catch {
            // Others show at the next commit.
            if case .takenOver = error { note(error) }
        }
    }

    private func noteLapse() {
        guard store.takeLapse() else { return }
        log("this server was away from its store for longer than its lease: others may have taken sessions of it")
        lapseAction.withLock { $0 }()
    }

    private func release(_ life: SceneLife) {
        guard !life.isOver else { return }
        life.end()
        guard failure == nil else { return }
        // Where it fails, the scene stays this server's until that is asked for it, or ends.
        try? store.release(life.key)
    }

    private func load(_ query: StoreQuery) -> Result<StoredScene?, StoreError> {
        if case .takenOver(let reason)? = failure { return .failure(.takenOver(reason)) }
        do throws(StoreError) {
            switch query {
            case .owner(let scene):
                try store.checkOwner(of: scene)
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
            switch error {
            // No trouble of the store.
            case .held, .lost: return .failure(error)
            case .takenOver: note(error)
            case .unavailable, .unusable: break
            }
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
