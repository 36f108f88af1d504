package import JSON
package import ViewModels

/// The hosting side of one session's view model, without its types.
package protocol ModelHost: AnyObject, Sendable {
    /// Makes the view model, binds it, calls `session.modelIsReady()`, and starts it. Called once.
    func open(for session: Session) async throws
    /// Reads a view event and returns what hands it to the view model.
    func decode(_ event: JSONValue, at path: JSONPointer) throws(JSONCodingError) -> ViewEventJob.Handler
    /// The view model, once it is made, where it has a say when the user goes back from it.
    var backHandling: (any BackHandling)? { get }
    /// Calls `place` once with a snapshot, on any thread and in its turn among what the view model sends: the session's log
    /// has what the snapshot stands for, and gets what comes after it later. It takes no part in the order of handlers.
    func placeSnapshot(for session: Session, _ place: @escaping @Sendable (ModelSnapshot) -> Void) async
    /// The view model, once it is made, where it is an actor: handlers are called there.
    var isolation: (any Actor)? { get }
    /// Whether everything that the view model has sent so far is in the session's log.
    var isSettled: Bool { get }
    /// Runs `action` when everything that the view model has sent so far is in the session's log.
    func afterPending(_ action: @escaping @Sendable () -> Void)
    /// The session has ended: lets go of it. Called once, also where `open` never was.
    func close()
}
