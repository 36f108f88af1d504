package import JSON
package import ViewModels

/// A session's view model, without its types.
///
/// `HostedModel` is the one in use. Whatever it does, events go to the session by `append(_:key:)` alone.
package protocol SessionModel: AnyObject, Sendable {
    /// Makes the view model, binds it, calls `session.modelIsReady()`, and starts it. Called once.
    ///
    /// - Returns: false where the session had ended before, and nothing was started.
    /// - Throws: an error of making or starting the view model, which ends the session.
    func open(for session: Session) async throws -> Bool

    /// Tells the view model of its views, in the caller's isolation, once it was started. That there are views comes in turns
    /// with that there are none, and first.
    func viewsDidChange(_ change: ViewsChange) async

    /// Whether the view model is told who looks.
    var isToldOfViewers: Bool { get }

    /// Stops the view model, in the caller's isolation, unless another session uses it. Called once where it was started,
    /// when the session has ended.
    func stop() async

    /// Makes the job that reads a view event and hands it to the view model. Runs no code of the view model's.
    ///
    /// - Parameter event: copied, as it is valid only inside this call. Where the view model has no such event, or a member
    ///   doesn't fit, the job throws an `UndecodedEvent`.
    func job(of event: ParsedValue, for request: consuming ViewEventJob.Request) -> ViewEventJob

    /// The view model, once it is made, where it has a say when the user goes back from it.
    var backHandling: (any BackHandling)? { get }

    /// The view model, once it is made, where it has a title.
    var titled: (any TitledViewModel)? { get }

    /// Calls `place` once with a snapshot, on any thread and in its turn among the view model's events: the
    /// session's log has every event that the snapshot includes, and gets all others later. It takes no part in the
    /// order of handlers.
    func placeSnapshot(for session: Session, _ place: @escaping @Sendable (ModelSnapshot) -> Void) async

    /// Reads rows of a list that are kept in memory, and calls `place` with them in their turn among the view model's
    /// events, once, on any thread.
    ///
    /// - Returns: false where the rows are made on demand. Then nothing was read.
    /// - Throws: `SessionError.invalid` where there is no such list.
    func readKeptRows(_ request: RowsRequest, of session: Session, _ place: @escaping RowsRequest.Place) throws -> Bool

    /// Reads rows, also those that are made on demand.
    ///
    /// - Throws: what `readKeptRows` throws, the error of making the rows, and `CancellationError`. Then `place` is never
    ///   called.
    func readRows(_ request: RowsRequest, of session: Session, _ place: @escaping RowsRequest.Place) async throws

    /// The view model, once it is made, where it is an actor: handlers are called there.
    var isolation: (any Actor)? { get }

    /// Whether every event that the view model has sent so far is in the session's log.
    var isSettled: Bool { get }

    /// Runs `action` when every event that the view model has sent so far is in the session's log.
    func afterPending(_ action: @escaping @Sendable () -> Void)

    /// Whether the view model goes on in a later life of its session, where that is stored.
    var isDurable: Bool { get }

    /// Returns the parts of the view model's state that have changed since the last call. Called in the view model's isolation.
    ///
    /// - Throws: an error of the view model, or of a value that JSON can't express.
    func savedChanges() async throws -> [SavedValue]

    /// Returns whether the view model's state differs from what `savedChanges()` has returned. A state that can't be saved
    /// differs, too.
    func hasUnsavedChanges() async -> Bool

    /// The version of the view model's state; nil where it isn't durable, or couldn't be given the state that was saved.
    var savedVersion: Int? { get }

    /// Ends the subscription to the view model: nothing is appended any more. Called when the session has ended, also where
    /// `open` never was.
    func close()
}

/// What a view model without lists and without a title answers, which isn't told who looks.
extension SessionModel {
    package var isToldOfViewers: Bool { false }
    package var titled: (any TitledViewModel)? { nil }

    package func readKeptRows(
        _ request: RowsRequest, of session: Session, _ place: @escaping RowsRequest.Place
    ) throws -> Bool {
        throw SessionError.invalid(
            member: "list", reason: "there is no list '\(request.list)'; the view model has none")
    }

    package func readRows(
        _ request: RowsRequest, of session: Session, _ place: @escaping RowsRequest.Place
    ) async throws {}
}

/// The events that bring a new view up to date, as the view model makes them.
package enum ModelSnapshot: Sendable {
    /// The text of an array of events.
    case events(SharedText)
    /// The view model makes no snapshot. `reason` says why, where it should have.
    case none(reason: String?)
}
