package import ViewModels

/// A view event on its way through its session's queue. An object, since it changes hands often.
package final class ViewEventJob: Sendable {
    /// The outcome, reported to `complete` once per job.
    package enum Outcome: Sendable {
        /// The handler returned; `newest` is the session's newest event then.
        case handled(newest: Int)
        /// The handler threw.
        case failed(any Error)
        case cancelled
        /// The session ended before the handler did.
        case sessionEnded
    }

    /// Calls the view model, in its caller's isolation.
    package typealias Handler = nonisolated(nonsending) @Sendable () async throws -> Void

    let handle: Handler
    let progress: WorkDoneProgress?
    /// About how much it holds while it waits: the length of the client's text.
    let bytes: Int
    /// Called once, on any thread, after every event that the handler sent has been numbered.
    let complete: @Sendable (Outcome) -> Void

    package init(
        progress: WorkDoneProgress? = nil,
        bytes: Int = 0,
        handle: @escaping Handler,
        complete: @escaping @Sendable (Outcome) -> Void
    ) {
        self.progress = progress
        self.bytes = bytes
        self.handle = handle
        self.complete = complete
    }

    func finish(_ outcome: Outcome) {
        progress?.end()
        complete(outcome)
    }
}
