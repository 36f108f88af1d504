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

/// Where the next job of a session's handlers runs.
enum HandlerPlace: UInt8, AtomicRepresentable {
    /// On the loop.
    case home
    /// In the pool: a handler has begun, so this comes after a suspension of it.
    case away
    /// On the loop, behind what the handler left for the loop while it was away.
    case returning
}

/// The session as the executor of the task that runs its handlers.
extension Session: JobSource {
    /// Where the tasks of its view model run.
    var executor: any TaskExecutor { pool == nil ? context.executor : self }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        switch place.load(ordering: .acquiring) {
        case .home:
            if let kind, let pool, kind.beginsInPool { return pool.run(job, from: self) }
            home.run(job, from: self)
        case .away:
            (pool ?? home).run(job, from: self)
        case .returning:
            place.store(.home, ordering: .releasing)
            home.runInOrder(job, from: self)
        }
    }

    package func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }

    /// A handler is about to be called.
    func willCallHandler() {
        guard pool != nil else { return }
        place.store(.away, ordering: .releasing)
    }

    /// The handler has returned, on this thread.
    func didCallHandler() {
        guard pool != nil else { return }
        place.store(home.isRunner ? .home : .returning, ordering: .releasing)
    }

    package var runningWork: String { work(state.withLock { $0.inbox.queue.running?.job.call.name } ?? "") }

    func work(_ name: String) -> String { name.isEmpty ? viewModelName : "\(viewModelName).\(name)" }

    package func willHoldThread(_ work: String) { kind?.willHoldThread() }

    package func didHoldThread(_ work: String, for duration: Duration) { kind?.didHoldThread(work, for: duration) }
}

/// Runs one call of a session's view model beside its handlers: its first stretch on the loop, the rest in the pool.
final class SessionCall: JobSource {
    private let session: Session
    private let name: String
    private let hasBegun = Atomic<Bool>(false)

    init(_ name: String, of session: Session) {
        self.name = name
        self.session = session
    }

    /// The executor of such a call.
    static func executor(_ name: String, of session: Session) -> any TaskExecutor {
        session.context.threads == nil ? session.context.executor : SessionCall(name, of: session)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let context = session.context
        guard let threads = context.threads else { return context.executor.enqueue(job) }
        let isFirst = !hasBegun.exchange(true, ordering: .relaxed)
        let runner = isFirst && !(session.kind?.beginsInPool ?? false) ? context.home : threads.pool
        runner.run(job, from: self)
    }

    func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }

    var runningWork: String { session.work(name) }

    func willHoldThread(_ work: String) { session.kind?.willHoldThread() }

    func didHoldThread(_ work: String, for duration: Duration) { session.kind?.didHoldThread(work, for: duration) }
}
