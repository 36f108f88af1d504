package import Queues
import Synchronization
import ViewModels

/// The threads on which the view models of one server run.
///
/// A handler begins on the loop of the connection that opened its session, which costs no change of threads, and nearly
/// always ends there. Only up to its first suspension: all that comes after it, with the tasks that it awaits, runs in the
/// pool, where it is in nobody's way. A handler that held its loop all the same makes all later ones of its view model begin
/// in the pool, too.
package final class HandlerThreads: Sendable {
    let pool: any JobRunner
    private let report: @Sendable (String) -> Void
    private let kinds = Mutex<[String: ViewModelKind]>([:])

    /// - Parameters:
    ///   - pool: has as many threads as are needed, so that none of its work waits for other work of it.
    ///   - report: takes a message for the person who runs the server, on any thread.
    package init(pool: any JobRunner, report: @escaping @Sendable (String) -> Void) {
        self.pool = pool
        self.report = report
    }

    func kind(_ viewModelName: String) -> ViewModelKind {
        kinds.withLock { kinds in
            if let kind = kinds[viewModelName] { return kind }
            let kind = ViewModelKind(viewModelName, report)
            kinds[viewModelName] = kind
            return kind
        }
    }
}

/// What is known of all view models of one name.
final class ViewModelKind: Sendable {
    /// So many names of handlers that held a thread are kept: more than a view model has.
    private static let maximumNames = 1_000

    private let name: String
    private let report: @Sendable (String) -> Void
    private let holds = Atomic<Bool>(false)
    private let reportsWaits = Atomic<Bool>(true)
    private let reported = Mutex<Set<String>>([])

    init(_ name: String, _ report: @escaping @Sendable (String) -> Void) {
        self.name = name
        self.report = report
    }

    /// One has held its loop: they begin in the pool from now on.
    var beginsInPool: Bool { holds.load(ordering: .relaxed) }

    func willHoldLoop() {
        holds.store(true, ordering: .relaxed)
    }

    /// - Parameters:
    ///   - work: named once.
    ///   - hasEnded: it holds the thread no more.
    func holdsThread(_ work: String, for duration: Duration, hasEnded: Bool) {
        let (isNew, isFirst) = reported.withLock { reported in
            let isFirst = reported.isEmpty
            return (reported.count < Self.maximumNames && reported.insert(work).inserted, isFirst)
        }
        guard isNew else { return }
        let time = "its thread for \(Int(duration / .milliseconds(1))) ms without a suspension"
        let consequence = isFirst ? "; the sessions of \(name) begin on other threads from now on" : ""
        let hold = hasEnded ? "held \(time)" : "has held \(time), and still does"
        report("\(work) \(hold)\(consequence)")
    }

    /// Reported once.
    func waits(forOneOf threads: Int) {
        guard reportsWaits.exchange(false, ordering: .relaxed) else { return }
        report(
            """
            \(threads) calls of \(name) hold a thread each, which are all that it may have (handlerThreads); further ones \
            wait until one ends
            """)
    }
}

/// Runs the task of a session's handlers, or one call of its view model beside them: each call's first stretch on the loop,
/// and what comes after a suspension in the pool.
final class HandlerExecutor: JobSource, EventTurnExecutor {
    /// Where the next job of the task runs.
    private enum Place: UInt8, AtomicRepresentable {
        /// On the loop, or in the pool where the view model begins there.
        case home
        /// As at home: a call begins, and its first suspension is the way to the view model's own actor.
        case entering
        /// On the loop, if the job that went there hasn't ended: this is the way back of a call that didn't suspend.
        case inside
        /// In the pool: the call has begun, so this comes after a suspension of it.
        case away
        /// In the pool, where the call is on its way back from the actor, which may go on with other tasks of the view model.
        case leaving
        /// In the pool, where the call has been suspended before.
        case suspended
    }

    /// A thread that is held. An object, since there is nearly never one.
    private final class Hold: Sendable {
        let work: String
        let since: ContinuousClock.Instant
        /// A call holds it, and no task of the view model's own.
        let isCall: Bool

        init(_ work: String, since: ContinuousClock.Instant, isCall: Bool) {
            (self.work, self.since, self.isCall) = (work, since, isCall)
        }
    }

    private let session: Session
    /// The name of a call beside the handlers; nil for the handlers.
    private let name: String?
    private let lane: ViewEventInbox.LaneID
    private let kind: ViewModelKind
    private let home: any JobRunner
    private let pool: any JobRunner
    private let place = Atomic<Place>(.home)
    private let hold = Mutex<Hold?>(nil)
    /// Nil beside the handlers: nobody waits there.
    let eventTurn: EventTurn?

    private init(
        _ name: String?, of session: Session, _ lane: ViewEventInbox.LaneID, _ home: any JobRunner,
        _ threads: HandlerThreads
    ) {
        self.name = name
        self.lane = lane
        self.session = session
        self.home = home
        eventTurn = name == nil ? EventTurn(host: session.mark) : nil
        pool = threads.pool
        kind = threads.kind(session.viewModelName)
    }

    /// Where `threads` is nil there is none, and tasks run on the context's executor.
    ///
    /// - Parameters:
    ///   - name: of a call beside the handlers, for messages about it.
    ///   - lane: of the handlers.
    static func make(
        _ name: String? = nil, of session: Session, lane: ViewEventInbox.LaneID = .main
    ) -> HandlerExecutor? {
        guard let home = session.context.home, let threads = session.context.threads else { return nil }
        return HandlerExecutor(name, of: session, lane, home, threads)
    }

    /// That of the calling task.
    static var current: HandlerExecutor? {
        withUnsafeCurrentTask { $0?.unownedTaskExecutor?.asTaskExecutor() as? HandlerExecutor }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        switch place.load(ordering: .acquiring) {
        case .home:
            // A call beside the handlers has one task, which begins with this job.
            if name != nil { willCall(hops: session.model.isolation != nil) }
            begin(job)
        case .entering:
            place.store(.inside, ordering: .releasing)
            begin(job)
        case .inside:
            place.store(.leaving, ordering: .releasing)
            if home.isRunner { begin(job) } else { pool.run(job, from: self) }
        case .away:
            // Unless the call, whose child task this is, has returned.
            _ = place.compareExchange(expected: .away, desired: .suspended, ordering: .acquiringAndReleasing)
            pool.run(job, from: self)
        case .leaving, .suspended:
            pool.run(job, from: self)
        }
    }

    private func begin(_ job: UnownedJob) {
        // Two calls, as what is chosen between the two would be copied.
        if kind.beginsInPool { pool.run(job, from: self) } else { home.run(job, from: self) }
    }

    /// Behind the job that this thread runs: as long as it does, it may have the view model's actor, and would go on with
    /// all that comes for that.
    fileprivate func passHome(_ job: UnownedJob, from source: any JobSource) {
        pool.pass(job, from: source, to: home)
    }

    func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }

    /// The view model is about to be called.
    ///
    /// - Parameter hops: the call's first suspension is the way to the view model's own actor, and its last the way back.
    func willCall(hops: Bool = false) {
        place.store(hops ? .entering : .away, ordering: .releasing)
    }

    /// The call has returned, on this thread.
    ///
    /// - Returns: whether the task goes on here. Else `WayHome` brings it back to its loop.
    func didCall() -> Bool {
        guard !home.isRunner else {
            place.store(.home, ordering: .releasing)
            return true
        }
        reportHold { $0.isCall }
        let staysHere = kind.beginsInPool
        // On its way home it is no call any more, and its thread may still be seen as held.
        place.store(staysHere ? .home : .leaving, ordering: .releasing)
        return staysHere
    }

    /// The way home has ended, on the loop.
    func didGoHome() {
        place.store(.home, ordering: .releasing)
    }

    var group: ObjectIdentifier { ObjectIdentifier(kind) }

    var runningWork: String { work(callName) }

    /// A `CrashedEvent`.
    var crashNote: [UInt8]? {
        guard name == nil, session.isDurable,
            let number = session.state.withLock({ $0.inbox.running(in: lane)?.job.number })
        else { return nil }
        return CrashedEvent(session: session.key, client: number.client, number: number.number).text
    }

    /// The name of the call that runs, or is about to go on; nil where there is none.
    private var callName: String? {
        if case .leaving = place.load(ordering: .relaxed) { return nil }
        return name ?? session.state.withLock { $0.inbox.running(in: lane)?.job.name }
    }

    private func work(_ call: String?) -> String {
        guard let call else {
            // While no call runs on it, the thread that an actor has goes on with tasks that the actor began itself.
            return session.model.isolation == nil ? session.viewModelName : "a task of \(session.viewModelName)"
        }
        return call.isEmpty ? session.viewModelName : "\(session.viewModelName).\(call)"
    }

    func willHoldLoop(_ work: String, for duration: Duration) {
        kind.willHoldLoop()
        willHold(work, for: duration)
    }

    func willHoldThread(_ work: String, for duration: Duration) {
        switch place.load(ordering: .relaxed) {
        // After a suspension it may: no loop is on that thread.
        case .suspended: return
        // The call has returned, so what holds the thread is a task of the view model's actor, and only where calls begin
        // in the pool is that thread not one that comes after a suspension.
        case .leaving where session.model.isolation == nil || !kind.beginsInPool: return
        default: break
        }
        willHold(work, for: duration)
    }

    private func willHold(_ work: String, for duration: Duration) {
        let new = Hold(work, since: .now - duration, isCall: callName != nil)
        hold.withLock { $0 = new }
    }

    func stillHoldsThread() {
        guard let hold = hold.withLock({ $0 }) else { return }
        kind.holdsThread(hold.work, for: hold.since.duration(to: .now), hasEnded: false)
    }

    func didHoldThread() {
        reportHold { _ in true }
    }

    private func reportHold(where condition: (Hold) -> Bool) {
        let ended = hold.withLock { hold -> Hold? in
            guard let ended = hold, condition(ended) else { return nil }
            hold = nil
            return ended
        }
        if let ended { kind.holdsThread(ended.work, for: ended.since.duration(to: .now), hasEnded: true) }
    }

    func moves(_ job: UnownedJob) -> Bool { moves(job, from: self) }

    fileprivate func moves(_ job: UnownedJob, from source: any JobSource) -> Bool {
        guard kind.beginsInPool else { return false }
        pool.run(job, from: source)
        return true
    }

    func waits(forOneOf threads: Int) { kind.waits(forOneOf: threads) }
}

/// Brings a task back to the loop after a call that suspended. An executor of its own, since a task stays where it is when it
/// goes to the one that it has.
///
/// The call is answered there, so that the task waits for the next event before the client can send one. So that event is
/// handled before the message behind it, as is the event before the answer.
final class WayHome: JobSource {
    private let executor: HandlerExecutor

    init(of executor: HandlerExecutor) {
        self.executor = executor
    }

    func enqueue(_ job: consuming ExecutorJob) { executor.passHome(UnownedJob(job), from: self) }
    func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
    var runningWork: String { executor.runningWork }
    var crashNote: [UInt8]? { executor.crashNote }
    var group: ObjectIdentifier { executor.group }
    func willHoldLoop(_ work: String, for duration: Duration) { executor.willHoldLoop(work, for: duration) }
    func willHoldThread(_ work: String, for duration: Duration) { executor.willHoldThread(work, for: duration) }
    func stillHoldsThread() { executor.stillHoldsThread() }
    func didHoldThread() { executor.didHoldThread() }
    func moves(_ job: UnownedJob) -> Bool { executor.moves(job, from: self) }
    func waits(forOneOf threads: Int) { executor.waits(forOneOf: threads) }
}
