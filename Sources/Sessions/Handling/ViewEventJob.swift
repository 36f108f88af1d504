import Synchronization
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
        /// A newer event of its kind took its place.
        case superseded
        /// The session ended before the handler did.
        case sessionEnded
        /// The session goes on at another server, which the client is to ask: nothing is answered here.
        case lost
    }

    /// The schedule of an event, with the name of its case. An object, since few events have one.
    package final class Schedule: Sendable {
        let kind: String
        let event: EventSchedule

        package init(kind: String, _ event: EventSchedule) {
            self.kind = kind
            self.event = event
        }

        /// The same, but it waits for the events before it.
        var inTurn: Schedule { Schedule(kind: kind, event.inTurn) }
    }

    /// Calls the view model, in its caller's isolation.
    package typealias Handler = nonisolated(nonsending) @Sendable () async throws -> Void

    let call: any ViewEventCall
    let progress: RequestProgress?
    /// The client whose event it is, where anything is known of it.
    let client: Client?
    /// About how much it holds while it waits: the length of the client's text.
    let bytes: Int
    /// Called once, on any thread, after every event that the handler sent has been numbered.
    let complete: @Sendable (Outcome) -> Void

    package init(
        progress: RequestProgress? = nil,
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
        _ name: String = "", progress: RequestProgress? = nil, client: Client? = nil, bytes: Int = 0,
        handle: @escaping Handler, complete: @escaping @Sendable (Outcome) -> Void
    ) {
        self.init(
            progress: progress, client: client, bytes: bytes, call: ClosureCall(name: name, body: handle),
            complete: complete)
    }

    func finish(_ outcome: Outcome) {
        if let progress {
            let isHandled = if case .handled = outcome { true } else { false }
            progress.finish(isHandled: isHandled)
        }
        complete(outcome)
    }

    /// Answers it where its number was taken before. Doesn't keep the event, whose bytes aren't counted.
    func repeated(in session: Session) -> ViewEventJob {
        ViewEventJob(call.name, handle: {}) { [weak session, complete] outcome in
            session?.state.withLock { $0.inbox.didAnswerRepeat() }
            complete(outcome)
        }
    }
}

/// A view event that was read, with its view model.
package protocol ViewEventCall: AnyObject, Sendable {
    /// The event's name, for messages about it. Not cheap.
    var name: String { get }

    /// How it is handled beside others; nil where it waits for all before it.
    var schedule: ViewEventJob.Schedule? { get }

    /// Has the view model handle it, in the caller's isolation.
    nonisolated(nonsending) func handle() async throws
}

/// Work that is no event of a view model's own type.
package final class ClosureCall: ViewEventCall {
    package let name: String
    package var schedule: ViewEventJob.Schedule? { nil }
    private let body: ViewEventJob.Handler

    package init(name: String = "", body: @escaping ViewEventJob.Handler) {
        self.name = name
        self.body = body
    }

    package nonisolated(nonsending) func handle() async throws {
        try await body()
    }
}
