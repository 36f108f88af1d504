package import ViewModels

/// A view event on its way through its session's queue. An object, since it changes hands five times.
package final class ViewEventJob: Sendable {
    /// How it came out. Exactly one of these reaches `complete`.
    package enum Outcome: Sendable {
        /// The handler returned; `newest` is the session's newest event then.
        case handled(newest: Int)
        /// The handler threw.
        case failed(any Error)
        case cancelled
        /// The session ended before the handler did.
        case sessionEnded
    }

    /// Calls the view model, from where its caller runs.
    package typealias Handler = nonisolated(nonsending) @Sendable () async throws -> Void

    let handle: Handler
    let progress: WorkDoneProgress?
    /// What it holds while it waits, about: the length of what the client sent.
    let bytes: Int
    /// Called once, on any thread, after everything that the handler sent has been numbered.
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
