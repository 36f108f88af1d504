import JSON
import Queues
import Sessions
import Synchronization
import ViewModels

/// Writes what happens to sessions to the log, at `debug`: openings, endings, and each view event with its time.
///
/// A session's model is wrapped where it is made, so that events cost nothing more where the server doesn't trace.
final class SessionTracer: Sendable {
    private let log: ServerLog
    private let elapsed: @Sendable () -> Duration

    /// Makes a tracer; nil where the log doesn't write at `debug`.
    init?(_ log: ServerLog, by clock: any Clock<Duration>) {
        guard log.takes(.debug) else { return nil }
        self.log = log
        elapsed = clock.stopwatch()
    }

    /// Wraps a model in one that does the same and is traced.
    func traced(_ model: any SessionModel, _ viewModel: String, number: Int) -> any SessionModel {
        TracedModel(model, "\(viewModel)#\(number)", self)
    }

    func didEnd(_ session: Session) {
        guard let model = session.model as? TracedModel else { return }
        log.debug(
            "\(model.name) ended: \(session.endReason?.rawValue ?? "closed"), after \(session.summary.newest) events")
    }

    fileprivate func write(_ message: @autoclosure () -> String) { log.debug(message()) }

    /// Calls `body`, and writes its outcome and its duration.
    ///
    /// - Parameter done: what the body does, in the past tense, for the log.
    fileprivate nonisolated(nonsending) func time<Result>(
        _ done: String, _ body: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        let start = elapsed()
        var outcome = "done"
        defer { log.debug("\(done): \(outcome), \(milliseconds(since: start)) ms") }
        do {
            let result = try await body()
            if Task.isCancelled { outcome = "done, though cancelled" }
            return result
        } catch {
            outcome = Task.isCancelled ? "cancelled (\(error))" : "failed: \(error)"
            throw error
        }
    }

    /// Returns the time since `start` in milliseconds, with three decimal places.
    private func milliseconds(since start: Duration) -> String {
        let microseconds = Int((elapsed() - start) / .microseconds(1))
        let rest = String(microseconds % 1_000)
        return "\(microseconds / 1_000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
    }
}

/// A session's model that logs its opening, its events and the rows that are read.
private final class TracedModel: SessionModel {
    let name: String
    private let model: any SessionModel
    private let tracer: SessionTracer

    init(_ model: any SessionModel, _ name: String, _ tracer: SessionTracer) {
        self.model = model
        self.name = name
        self.tracer = tracer
    }

    func open(for session: Session) async throws -> Bool {
        tracer.write("\(name) opened")
        return try await tracer.time("\(name) made and started") { try await model.open(for: session) }
    }

    var isToldOfViewers: Bool { model.isToldOfViewers }
    func viewsDidChange(_ change: ViewsChange) async { await model.viewsDidChange(change) }
    func stop() async { await model.stop() }

    func job(of event: ParsedValue, for request: consuming ViewEventJob.Request) -> ViewEventJob {
        let job = model.job(of: event, for: copy request)
        let traced = TracedEvent(job, name, tracer)
        return ClosureJob(of: job, for: request) { try await traced.handle() }
    }

    var backHandling: (any BackHandling)? { model.backHandling }
    var titled: (any TitledViewModel)? { model.titled }

    func placeSnapshot(for session: Session, _ place: @escaping @Sendable (ModelSnapshot) -> Void) async {
        await model.placeSnapshot(for: session, place)
    }

    func readKeptRows(_ request: RowsRequest, of session: Session, _ place: @escaping RowsRequest.Place) throws -> Bool
    {
        try model.readKeptRows(request, of: session, place)
    }

    func readRows(_ request: RowsRequest, of session: Session, _ place: @escaping RowsRequest.Place) async throws {
        let work = "\(name) rows of \(request.list)"
        try await tracer.time(work) { try await model.readRows(request, of: session, place) }
    }

    var isolation: (any Actor)? { model.isolation }
    var isDurable: Bool { model.isDurable }
    func savedChanges() async throws -> [SavedValue] { try await model.savedChanges() }
    func hasUnsavedChanges() async -> Bool { await model.hasUnsavedChanges() }
    var savedVersion: Int? { model.savedVersion }
    var isSettled: Bool { model.isSettled }
    func afterPending(_ action: @escaping @Sendable () -> Void) { model.afterPending(action) }
    func close() { model.close() }
}

/// A view event that logs how it was handled, or that it wasn't.
private final class TracedEvent: Sendable {
    private let job: ViewEventJob
    private let session: String
    private let tracer: SessionTracer
    private let isHandled = Atomic<Bool>(false)

    init(_ job: ViewEventJob, _ session: String, _ tracer: SessionTracer) {
        self.job = job
        self.session = session
        self.tracer = tracer
    }

    deinit {
        if !isHandled.load(ordering: .relaxed) {
            tracer.write("\(session).\(job.name): not handled: refused or cancelled before, or its session ended")
        }
    }

    nonisolated(nonsending) func handle() async throws {
        isHandled.store(true, ordering: .relaxed)
        try await tracer.time("\(session).\(job.name)") { try await job.handle() }
    }
}
