package import Queues
import Synchronization

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
    private let name: String
    private let report: @Sendable (String) -> Void
    private let holds = Atomic<Bool>(false)
    private let isReported = Atomic<Bool>(false)

    init(_ name: String, _ report: @escaping @Sendable (String) -> Void) {
        self.name = name
        self.report = report
    }

    /// One has held its loop: they begin in the pool from now on.
    var beginsInPool: Bool { holds.load(ordering: .relaxed) }

    func willHoldThread() {
        holds.store(true, ordering: .relaxed)
    }

    func didHoldThread(_ work: String, for duration: Duration) {
        guard !isReported.exchange(true, ordering: .relaxed) else { return }
        let milliseconds = Int(duration / .milliseconds(1))
        report(
            """
            \(work) held its thread for \(milliseconds) ms without a suspension; the sessions of \(name) begin on other \
            threads from now on
            """)
    }
}

/// Runs the task of a session's handlers, or one call of its view model beside them: each call's first stretch on the loop,
/// and what comes after a suspension in the pool.
final class HandlerExecutor: JobSource {
    /// Where the next job of the task runs.
    private enum Place: UInt8, AtomicRepresentable {
        /// On the loop.
        case home
        /// On the loop: a call begins, and its first suspension is the way to the view model's own actor.
        case entering
        /// On the loop, if the job that went there hasn't ended: this is the way back of a call that didn't suspend.
        case inside
        /// In the pool: a call has begun, so this comes after a suspension of it.
        case away
        /// On the loop, behind what a call left for the loop while it was away.
        case returning
    }

    private let session: Session
    /// Of a call beside the handlers; nil for the handlers.
    private let name: String?
    private let lane: ViewEventInbox.LaneID
    private let kind: ViewModelKind
    private let home: any JobRunner
    private let pool: any JobRunner
    private let place = Atomic<Place>(.home)

    private init(
        _ name: String?, of session: Session, _ lane: ViewEventInbox.LaneID, _ home: any JobRunner,
        _ threads: HandlerThreads
    ) {
        self.name = name
        self.lane = lane
        self.session = session
        self.home = home
        pool = threads.pool
        kind = threads.kind(session.viewModelName)
    }

    /// Where `threads` is nil there is none, and tasks run on the context's executor.
    ///
    /// - Parameters:
    ///   - name: of a call beside the handlers, for messages about it.
    ///   - lane: of the handlers.
    static func make(
        _ name: String? = nil, of session: Session, lane: ViewEventInbox.LaneID = nil
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
            place.store(.away, ordering: .releasing)
            if home.isRunner { begin(job) } else { pool.run(job, from: self) }
        case .away:
            pool.run(job, from: self)
        case .returning:
            place.store(.home, ordering: .releasing)
            home.runInOrder(job, from: self)
        }
    }

    private func begin(_ job: UnownedJob) {
        (kind.beginsInPool ? pool : home).run(job, from: self)
    }

    func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }

    /// The view model is about to be called.
    ///
    /// - Parameter hops: the call's first suspension is the way to the view model's own actor, and its last the way back.
    func willCall(hops: Bool = false) {
        place.store(hops ? .entering : .away, ordering: .releasing)
    }

    /// The call has returned, on this thread.
    func didCall() {
        place.store(home.isRunner ? .home : .returning, ordering: .releasing)
    }

    var runningWork: String {
        let work = name ?? session.state.withLock { $0.inbox.running(in: lane)?.job.call.name } ?? ""
        return work.isEmpty ? session.viewModelName : "\(session.viewModelName).\(work)"
    }

    func willHoldThread(_ work: String) { kind.willHoldThread() }

    func moves(_ job: UnownedJob) -> Bool {
        guard kind.beginsInPool else { return false }
        pool.run(job, from: self)
        return true
    }

    func didHoldThread(_ work: String, for duration: Duration) { kind.didHoldThread(work, for: duration) }
}
