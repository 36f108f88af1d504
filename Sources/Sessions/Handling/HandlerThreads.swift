package import Queues
import Synchronization
import ViewModels

/// The threads on which the view models of one server run.
///
/// A handler begins on the loop of the connection that opened its session, which costs no change of threads, and nearly always
/// ends there. The loop runs it up to its first suspension. All that comes after that, with the tasks that it awaits, runs in
/// the pool, where it is in nobody's way. Where a handler holds its loop all the same, all later ones of its view model begin
/// in the pool, too.
package final class HandlerThreads: Sendable {
    let pool: any JobRunner
    private let report: @Sendable (String) -> Void
    private let kinds = Mutex<[String: ViewModelKind]>([:])

    /// - Parameters:
    ///   - pool: runs work on as many threads as are needed, so that none of its work waits for another.
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

extension HandlerThreads {
    /// Makes an executor for a task that reads the arguments of a session, which isn't made yet, by the view model's code.
    package func executor(forArgumentsOf viewModelName: String) -> any TaskExecutor {
        ArgumentsExecutor(kind(viewModelName), "\(viewModelName).arguments", pool)
    }

    /// Runs a task in the pool, and reports where that holds a thread.
    private final class ArgumentsExecutor: JobSource {
        let runningWork: String
        private let kind: ViewModelKind
        private let pool: any JobRunner
        private let heldSince = Mutex<ContinuousClock.Instant?>(nil)

        init(_ kind: ViewModelKind, _ work: String, _ pool: any JobRunner) {
            (self.kind, runningWork, self.pool) = (kind, work, pool)
        }

        func enqueue(_ job: consuming ExecutorJob) { pool.run(UnownedJob(job), from: self) }
        func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
        var group: ObjectIdentifier { ObjectIdentifier(kind) }
        func willHoldLoop(_ work: String, for duration: Duration) {}
        func willHoldThread(_ work: String, for duration: Duration) { heldSince.withLock { $0 = .now - duration } }
        func stillHoldsThread() { report(hasEnded: false) }
        func didHoldThread() { report(hasEnded: true) }
        func moves(_ job: UnownedJob) -> Bool { false }
        func waits(forOneOf threads: Int) { kind.waits(forOneOf: threads) }

        private func report(hasEnded: Bool) {
            guard let since = heldSince.withLock({ $0 }) else { return }
            // The session that is made reads the arguments again, and would hold its loop.
            kind.willHoldLoop()
            kind.holdsThread(runningWork, for: since.duration(to: .now), hasEnded: hasEnded)
        }
    }
}

/// What is known of all view models that are registered under one name.
final class ViewModelKind: Sendable {
    /// How many names of handlers that held a thread are kept: more than a view model has.
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

    /// Whether these view models begin in the pool, as one of them has held its loop.
    var beginsInPool: Bool { holds.load(ordering: .relaxed) }

    func willHoldLoop() {
        holds.store(true, ordering: .relaxed)
    }

    /// Reports that a thread is held, once for each `work`.
    ///
    /// - Parameters:
    ///   - work: the name of the handler, or other work.
    ///   - hasEnded: whether it no longer holds the thread.
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

    /// Reports, once, that the sessions wait for a thread.
    func waits(forOneOf threads: Int) {
        guard reportsWaits.exchange(false, ordering: .relaxed) else { return }
        report(
            """
            \(threads) calls of \(name) hold a thread each, which are all that it may have (handlerThreads); further ones \
            wait until one ends
            """)
    }
}

/// The executor of the task of a session's handlers, or of one call of the view model beside them. The first stretch of each
/// call runs on the loop, and what comes after a suspension in the pool.
final class HandlerExecutor: JobSource, EventTurnExecutor {
    /// Where the next job of the task runs.
    private enum Place: UInt8, AtomicRepresentable {
        /// On the loop, or in the pool where the view model begins there.
        case home
        /// As at home. A call begins, and its first suspension is the way to the view model's own actor.
        case entering
        /// On the loop, if the job that went there hasn't ended. Then this is the way back of a call that didn't suspend.
        case inside
        /// In the pool. The call has begun, so the job comes after a suspension of it.
        case away
        /// In the pool. The call is on its way back from the actor, which may go on with other tasks of the view model.
        case leaving
        /// In the pool. The call has been suspended before.
        case suspended
    }

    /// A note of a thread that is held. It is an object, since there is nearly never one.
    private final class Hold: Sendable {
        let work: String
        let since: ContinuousClock.Instant
        /// Whether a call holds the thread, and not a task of the view model's own.
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
    /// The turn of the handler that runs; nil beside the handlers, where nobody waits for the end of a turn.
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

    /// Makes an executor; nil where the context has no `threads`, so that tasks run on its executor.
    ///
    /// - Parameters:
    ///   - name: the name of a call beside the handlers, for messages about it; nil for handlers.
    ///   - lane: the lane of the handlers.
    static func make(
        _ name: String? = nil, of session: Session, lane: ViewEventInbox.LaneID = .main
    ) -> HandlerExecutor? {
        guard let home = session.context.home, let threads = session.context.threads else { return nil }
        return HandlerExecutor(name, of: session, lane, home, threads)
    }

    /// The executor of the calling task; nil where that isn't a `HandlerExecutor`.
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
            // This leaves the place alone if the call, whose child task this is, has returned meanwhile.
            _ = place.compareExchange(expected: .away, desired: .suspended, ordering: .acquiringAndReleasing)
            pool.run(job, from: self)
        case .leaving, .suspended:
            pool.run(job, from: self)
        }
    }

    private func begin(_ job: UnownedJob) {
        // Two calls and not one on a chosen runner, which would be copied.
        if kind.beginsInPool { pool.run(job, from: self) } else { home.run(job, from: self) }
    }

    /// Queues a job at home, behind the job that this thread runs. Until that has ended, the thread may have the view model's
    /// actor, and would go on with all that comes for the actor.
    fileprivate func passHome(_ job: UnownedJob, from source: any JobSource) {
        pool.pass(job, from: source, to: home)
    }

    func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }

    /// Notes that the view model is about to be called.
    ///
    /// - Parameter hops: whether the call's first suspension is the way to the view model's own actor, and its last the way
    ///   back.
    func willCall(hops: Bool = false) {
        place.store(hops ? .entering : .away, ordering: .releasing)
    }

    /// Notes that the call has returned, on this thread.
    ///
    /// - Returns: whether the task goes on here. Otherwise `WayHome` must bring it back to its loop.
    func didCall() -> Bool {
        guard !home.isRunner else {
            place.store(.home, ordering: .releasing)
            return true
        }
        reportHold { $0.isCall }
        let staysHere = kind.beginsInPool
        // On its way home the task is in no call any more, and its thread may still be seen as held.
        place.store(staysHere ? .home : .leaving, ordering: .releasing)
        return staysHere
    }

    /// Notes that the way home has ended, on the loop.
    func didGoHome() {
        place.store(.home, ordering: .releasing)
    }

    var group: ObjectIdentifier { ObjectIdentifier(kind) }

    var log: Log {
        Log(level: session.context.logLevel) { [session] level, message in
            session.context.log(level, message, session)
        }
    }

    var runningWork: String { work(callName) }

    /// The text of a `CrashedEvent`, while a numbered event of a durable session is handled.
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
        // After a suspension a call may hold its thread, as no loop is on that.
        case .suspended: return
        // The call has returned, so a task of the view model's actor holds the thread. That is reported only where calls begin
        // in the pool: elsewhere the thread comes after a suspension.
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

/// The executor that brings a task back to the loop after a call that suspended. It is apart, since a task that goes to the
/// executor which it has already stays where it is.
///
/// The call is answered on the loop, so that the task waits for the next event before the client can send one. Then that event
/// is handled before any message behind it, as is an event before its answer.
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
