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

    let call: any ViewEventCall
    let progress: WorkDoneProgress?
    /// The client whose event it is, where anything is known of it.
    let client: Client?
    /// About how much it holds while it waits: the length of the client's text.
    let bytes: Int
    /// Called once, on any thread, after every event that the handler sent has been numbered.
    let complete: @Sendable (Outcome) -> Void

    package init(
        progress: WorkDoneProgress? = nil,
        client: Client? = nil,
        bytes: Int = 0,
        call: any ViewEventCall,
        complete: @escaping @Sendable (Outcome) -> Void
    ) {
        self.progress = progress
        self.client = client
        self.bytes = bytes
        self.call = call
        self.complete = complete
    }

    /// - Parameter name: for messages about it.
    package convenience init(
        _ name: String = "", progress: WorkDoneProgress? = nil, client: Client? = nil, bytes: Int = 0,
        handle: @escaping Handler, complete: @escaping @Sendable (Outcome) -> Void
    ) {
        self.init(
            progress: progress, client: client, bytes: bytes, call: ClosureCall(name: name, body: handle),
            complete: complete)
    }

    func finish(_ outcome: Outcome) {
        progress?.end()
        complete(outcome)
    }
}

/// A view event that was read, with its view model.
package protocol ViewEventCall: AnyObject, Sendable {
    /// The event's name, for messages about it. Not cheap.
    var name: String { get }

    /// Has the view model handle it, in the caller's isolation.
    nonisolated(nonsending) func handle() async throws
}

/// Work that is no event of a view model's own type.
package final class ClosureCall: ViewEventCall {
    package let name: String
    private let body: ViewEventJob.Handler

    package init(name: String = "", body: @escaping ViewEventJob.Handler) {
        self.name = name
        self.body = body
    }

    package nonisolated(nonsending) func handle() async throws {
        try await body()
    }
}
