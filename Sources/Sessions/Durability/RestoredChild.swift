package import JSON
import Synchronization
package import ViewModels

/// The model of a durable child in a later life, whose code may have gone or changed.
///
/// Where its view model can't go on, the child stays on screen and in the store as it is. It shows what its log has, refuses
/// events, and the user can go back from it. So its host stays usable, and the child goes on once there is code for it.
package final class RestoredChild: SessionModel {
    /// The child's model; nil where there is no code for it.
    private let model: (any SessionModel)?
    /// A failure as text: an error of reading arguments would else be taken for one of reading an event.
    private struct Failure: Error, CustomStringConvertible { let description: String }

    private let failure: Mutex<Failure?>

    package init(_ model: any SessionModel) {
        self.model = model
        failure = Mutex(nil)
    }

    /// - Parameter lack: why there is no view model.
    package init(_ lack: any Error) {
        model = nil
        failure = Mutex(Failure(description: "\(lack)"))
    }

    private var reason: Failure? { failure.withLock { $0 } }

    /// The model, as long as the child can go on.
    private var living: (any SessionModel)? { reason == nil ? model : nil }

    package func open(for session: Session) async throws -> Bool {
        do {
            if let reason { throw reason }
            return try await model?.open(for: session) ?? false
        } catch {
            failure.withLock { $0 = Failure(description: "\(error)") }
            // What the view model sends from now on is no event of the session.
            model?.close()
            guard !session.hasEnded else { return false }
            FailedStart(session: session, error: error).report()
            session.modelIsReady()
            return false
        }
    }

    package var isToldOfViewers: Bool { living?.isToldOfViewers ?? false }
    package func viewsDidChange(_ change: ViewsChange) async { await living?.viewsDidChange(change) }
    package func stop() async { await living?.stop() }

    package func job(of event: ParsedValue, for request: consuming ViewEventJob.Request) -> ViewEventJob {
        guard let living else { return ClosureJob(for: request) { [self] in try refuse() } }
        let job = living.job(of: event, for: copy request)
        return ClosureJob(of: job, for: request) { [self] in
            // The event may have come before the view model failed.
            try refuse()
            try await job.handle()
        }
    }

    private func refuse() throws {
        if let reason { throw reason }
    }

    package var backHandling: (any BackHandling)? { living?.backHandling }

    package func placeSnapshot(for session: Session, _ place: @escaping @Sendable (ModelSnapshot) -> Void) async {
        if let living { return await living.placeSnapshot(for: session, place) }
        // Without a snapshot nobody could attach, and so nobody could go back.
        let hasAllEvents = session.state.withLock { $0.feed.log.hasAllEvents }
        place(hasAllEvents ? .none(reason: nil) : .events(session.context.limits.kept.text(Array("[]".utf8))))
    }

    package func readKeptRows(
        _ request: RowsRequest, of session: Session, _ place: @escaping RowsRequest.Place
    ) throws -> Bool {
        try refuse()
        return try model?.readKeptRows(request, of: session, place) ?? false
    }

    package func readRows(
        _ request: RowsRequest, of session: Session, _ place: @escaping RowsRequest.Place
    ) async throws {
        try refuse()
        try await model?.readRows(request, of: session, place)
    }

    package var isolation: (any Actor)? { living?.isolation }
    package var isSettled: Bool { living?.isSettled ?? true }
    package var isDurable: Bool { true }

    package func afterPending(_ action: @escaping @Sendable () -> Void) {
        if let living { living.afterPending(action) } else { action() }
    }

    package func savedChanges() async throws -> [SavedValue] { try await living?.savedChanges() ?? [] }
    package func hasUnsavedChanges() async -> Bool { await living?.hasUnsavedChanges() ?? false }
    package var savedVersion: Int? { living?.savedVersion }
    package func close() { model?.close() }
}
