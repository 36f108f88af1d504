package import Sessions
import Synchronization
package import Transport

/// A journal over a `SessionStore`. A thread takes everything that has come while it stored the work before, and stores it
/// together. So a slow disk costs each session the time of one commit, and all sessions together no more. The same thread
/// renews the server's lease.
///
/// `JournalRules` decide what to do; `JournalThread` calls the store. In a simulation, something else replaces the thread.
package final class Journal: SessionJournal {
    /// The state that other threads see.
    private struct State {
        var work: [JournalRules.Work] = []
        var isIdle = true
        var isFinishing = false
        var failure: StoreError?
        var counts = StoreCounts()
    }

    package let store: any SessionStore
    package let retryDelay: Duration
    package let renewalInterval: Duration
    private let log: @Sendable (String) -> Void
    private let onTakeover: @Sendable (String) -> Void
    private let now: @Sendable () -> Int64
    private let wake: @Sendable () -> Void
    private let state = Mutex(State())
    /// Locked only by whoever runs the journal, so nobody waits for the lock.
    private let rules = Mutex(JournalRules())
    private let lapseAction = Mutex<@Sendable () -> Void>({})

    /// Makes a journal without a thread. Its owner runs it: calls `next()`, does what that returns, and calls it again.
    ///
    /// - Parameters:
    ///   - retryDelay: the time between two tries while the store can't be reached.
    ///   - ownerCheckInterval: the longest time after which a journal without work checks whether another server has taken
    ///     the store over, so that a server that was stopped notices as soon as it goes on.
    ///   - now: returns the time in seconds since 1970.
    ///   - log: takes a message for the person who runs the server, on any thread.
    ///   - onTakeover: called once, when another server has the store. Nothing is stored any more then.
    ///   - wake: called on any thread when there is work, after `next()` has found none.
    package init(
        _ store: any SessionStore, retryDelay: Duration = .milliseconds(100),
        ownerCheckInterval: Duration = .seconds(1),
        now: @escaping @Sendable () -> Int64, log: @escaping @Sendable (String) -> Void = { _ in },
        onTakeover: @escaping @Sendable (String) -> Void = { _ in }, wake: @escaping @Sendable () -> Void
    ) {
        self.store = store
        self.retryDelay = retryDelay
        let lease = store.leaseTime
        renewalInterval = lease > .zero ? min(ownerCheckInterval, lease / 3) : ownerCheckInterval
        self.now = now
        self.log = log
        self.onTakeover = onTakeover
        self.wake = wake
    }

    /// Makes a journal with its thread; the parameters are those of the other `init`.
    ///
    /// - Throws: when the system can't create a thread.
    package convenience init(
        _ store: any SessionStore, retryDelay: Duration = .milliseconds(100),
        ownerCheckInterval: Duration = .seconds(1),
        now: @escaping @Sendable () -> Int64 = { ThisProcess.secondsSince1970 },
        log: @escaping @Sendable (String) -> Void = { _ in },
        onTakeover: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(SystemError) {
        let hasWork = Semaphore()
        self.init(
            store, retryDelay: retryDelay, ownerCheckInterval: ownerCheckInterval, now: now, log: log,
            onTakeover: onTakeover, wake: { hasWork.post() })
        try JournalThread(journal: self, hasWork: hasWork).start()
    }

    package var failure: StoreError? { state.withLock { $0.failure } }
    package var leaseTime: Duration { store.leaseTime }
    package var holder: SceneHolder? { store.holder }
    package var time: Int64 { now() }
    package var counts: StoreCounts { state.withLock { $0.counts } }

    package func commit(scene: SceneLife, changes: [StoredChange], then: @escaping StoreCompletion) {
        add(.commit(JournalRules.Commit(life: scene, changes: changes, then: then)))
    }

    package func release(scene: SceneLife) {
        add(.release(scene))
    }

    package func load(_ query: StoreQuery, then: @escaping @Sendable (Result<StoredScene?, StoreError>) -> Void) {
        add(.load(query, then: then))
    }

    package func list(_ filter: SceneFilter, then: @escaping @Sendable (Result<[ListedScene], StoreError>) -> Void) {
        add(.list(filter, place: 0, listed: [], then: then))
    }

    package func leave() {
        add(.leave)
    }

    package func whenLapsed(_ action: @escaping @Sendable () -> Void) {
        lapseAction.withLock { $0 = action }
    }

    package func sweep(unusedFor time: Duration) {
        add(.sweep(unusedFor: time, removed: 0))
    }

    /// Stores everything that came before, closes the store, and ends. The journal takes nothing after this call.
    ///
    /// - Parameter then: called once, on the journal's thread.
    package func finish(then: @escaping @Sendable () -> Void) {
        state.withLock { $0.isFinishing = true }
        add(.finish(then: then))
    }

    private func add(_ work: JournalRules.Work) {
        let wasIdle = state.withLock { state in
            state.work.append(work)
            defer { state.isIdle = false }
            return state.isIdle
        }
        if wasIdle { wake() }
    }
}

// For whoever runs the journal: one call at a time.
extension Journal {
    /// Returns the next step for whoever runs the journal.
    package func next() -> JournalStep {
        decide { rules, actions in
            while true {
                if let step = rules.next(&actions) { return step }
                // Read last, so that whoever adds work from now on calls `wake`.
                let work = state.withLock { state in
                    defer { state.work = [] }
                    state.isIdle = state.work.isEmpty
                    return state.work
                }
                if work.isEmpty { return rules.rest() }
                rules.take(work)
            }
        }
    }

    /// Takes the answer to the call that `next()` has asked for.
    package func take(_ answer: JournalAnswer) {
        decide { rules, actions in rules.take(answer, &actions) }
    }

    /// Has the lease renewed, as there was no work for the `renewalInterval`.
    package func renew() {
        rules.withLock { $0.renew() }
    }

    private func decide<Result: Sendable>(
        _ body: (inout JournalRules, inout [JournalRules.Action]) -> sending Result
    ) -> Result {
        var actions: [JournalRules.Action] = []
        let result = rules.withLock { rules in
            rules.isFinishing = state.withLock { $0.isFinishing }
            let result = body(&rules, &actions)
            state.withLock { ($0.failure, $0.counts) = (rules.failure, rules.counts) }
            return result
        }
        for action in actions { perform(action) }
        return result
    }

    private func perform(_ action: JournalRules.Action) {
        switch action {
        case .tell(let then, let outcome): then(outcome)
        case .give(let then, let result): then(result)
        case .giveList(let then, let result): then(result)
        case .finish(let then): then()
        case .queue(let work): add(work)
        case .log(let text): log(text)
        case .takeOver(let reason): onTakeover(reason)
        case .lapse(let lapse):
            log(lapse.text)
            lapseAction.withLock { $0 }()
        }
    }
}

/// The thread that runs a journal, and that alone calls the store.
private struct JournalThread: Sendable {
    let journal: Journal
    let hasWork: Semaphore

    func start() throws(SystemError) {
        try Thread.start("store") { [self] in run() }
    }

    private func run() {
        while true {
            switch journal.next() {
            case .call(let call): journal.take(call.perform(on: journal.store))
            // This thread has nothing else to do, as all other work must wait, too.
            case .pause: _ = Semaphore().wait(atMost: journal.retryDelay)
            case .wait: if !hasWork.wait(atMost: journal.renewalInterval) { journal.renew() }
            case .end: return
            }
        }
    }
}

extension StoreLapse {
    fileprivate var text: String {
        switch self {
        case .lease:
            "this server was away from its store for longer than its lease: others may have taken sessions of it"
        case .change:
            "the store was started anew, or another program has written to it: sessions are compared with what it has"
        }
    }
}
