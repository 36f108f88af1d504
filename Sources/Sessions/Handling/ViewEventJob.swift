package import JSON
import Synchronization
package import ViewModels

/// A view event on its way through its session's queue: what is asked of the view model, and where its outcome goes.
///
/// It is an object, since it changes hands often, and a single one for both, since each event makes one. This class itself asks
/// nothing of the view model.
// Unchecked, since a class that isn't final can't be checked: its properties are Sendable, as are those of its subclasses, and
// constant from when it is queued.
package class ViewEventJob: @unchecked Sendable {
    /// The outcome of an event, reported to `complete` once per job.
    package enum Outcome: Sendable {
        /// The handler returned; `newest` is the session's newest event then. With `hasRaised` other sessions may have
        /// events of its turn.
        case handled(newest: Int, hasRaised: Bool = false)
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

    /// The schedule of an event, with the name of its case. It is an object, since few events have one.
    package final class Schedule: Sendable {
        let kind: String
        let event: EventSchedule

        package init(kind: String, _ event: EventSchedule) {
            self.kind = kind
            self.event = event
        }

        /// This schedule, for an event that waits for the events before it.
        var inTurn: Schedule { Schedule(kind: kind, event.inTurn) }
    }

    /// Calls the view model, in its caller's isolation.
    package typealias Handler = nonisolated(nonsending) @Sendable () async throws -> Void

    /// The sender's side of an event.
    package struct Request: Sendable {
        let progress: RequestProgress?
        /// The client that sent the event, where anything is known of it.
        let client: Client?
        /// About how much the event holds while it waits: the length of the client's text.
        let bytes: Int
        /// Called once, on any thread, after every event that the handler sent has been numbered.
        let complete: @Sendable (Outcome) -> Void

        package init(
            progress: RequestProgress? = nil, client: Client? = nil, bytes: Int = 0,
            complete: @escaping @Sendable (Outcome) -> Void
        ) {
            self.progress = progress
            self.client = client
            self.bytes = bytes
            self.complete = complete
        }
    }

    let request: Request
    /// The client's number for the event, once the session has taken it. Set with the session's lock held, before the event is
    /// queued.
    final var number: ClientNumber?
    /// When a scheduled event came, by the session's clock. Set before the event is queued.
    final var arrival = Duration.zero

    init(_ request: consuming Request) {
        self.request = request
    }

    /// The event's name, for messages about it. Reading it runs no code of the view model's, as that may be done under locks,
    /// and for an event that has crashed or hangs.
    package var name: String { "" }

    /// Whether the event may be handled beside others, as `readSchedule()` says. Otherwise it waits for all before it.
    package var isScheduled: Bool { false }

    /// Returns how the event is handled beside others; nil where it waits for all before it, as one that can't be read does.
    /// Runs code of the view model's, and so in a job of its own. Called once, before `handle()`.
    package func readSchedule() -> Schedule? { nil }

    /// Has the view model handle the event, in the caller's isolation.
    package nonisolated(nonsending) func handle() async throws {}

    /// Whether a client has sent the event, and is answered with its outcome.
    var isOfClient: Bool { true }

    /// The lane in which the event waits first.
    var lane: ViewEventInbox.LaneID { isScheduled ? .arriving : .main }

    func finish(_ outcome: Outcome) {
        if let progress = request.progress {
            let isHandled = if case .handled = outcome { true } else { false }
            progress.finish(isHandled: isHandled)
        }
        request.complete(outcome)
    }
}

/// An event whose number was taken before. It is answered in its turn, as the first event with this number was. It doesn't keep
/// the event that was sent again, whose bytes aren't counted.
// Unchecked as its superclass: its properties are constant and Sendable.
final class RepeatedEvent: ViewEventJob, @unchecked Sendable {
    let original: ClientNumber
    private let ownName: String
    private let takesTurn: Bool

    init(_ job: ViewEventJob, _ original: ClientNumber, in session: Session) {
        self.original = original
        ownName = job.name
        takesTurn = job.isScheduled
        super.init(
            Request { [weak session, complete = job.request.complete] outcome in
                let known = session?.state.withLock { $0.inbox.didAnswerRepeat(of: original) }
                if case .handled = outcome, let known { complete(known) } else { complete(outcome) }
            })
    }

    override var name: String { ownName }
    /// Whether it takes its turn among arriving events, behind the first event with its number.
    override var isScheduled: Bool { takesTurn }
}

/// A job whose work is a closure, and not an event of a view model's own type.
package final class ClosureJob: ViewEventJob, @unchecked Sendable {
    package override var name: String { event?.name ?? ownName }
    package override var isScheduled: Bool { event?.isScheduled ?? false }
    private let ownName: String
    private let event: ViewEventJob?
    private let body: Handler

    /// - Parameter name: names the work in messages.
    package init(for request: Request, name: String = "", handle: @escaping Handler) {
        ownName = name
        event = nil
        body = handle
        super.init(request)
    }

    /// Makes a job for an event that a closure handles in its place.
    package init(of event: ViewEventJob, for request: Request, handle: @escaping Handler) {
        ownName = ""
        self.event = event
        body = handle
        super.init(request)
    }

    override var isOfClient: Bool { event != nil }

    package override func readSchedule() -> Schedule? { event?.readSchedule() }

    /// Makes a job whose outcome a closure takes.
    package convenience init(
        _ name: String = "", progress: RequestProgress? = nil, bytes: Int = 0, handle: @escaping Handler,
        complete: @escaping @Sendable (Outcome) -> Void
    ) {
        self.init(for: Request(progress: progress, bytes: bytes, complete: complete), name: name, handle: handle)
    }

    package override nonisolated(nonsending) func handle() async throws {
        try await body()
    }
}

/// The error for a view event that its view model doesn't have, or that can't be read.
package struct UndecodedEvent: Error, CustomStringConvertible {
    /// The error, with its path in the event.
    package let error: JSONCodingError
    /// The name of the event's case, where the event has one.
    package let kind: String?

    package init(_ error: JSONCodingError, kind: String?) {
        (self.error, self.kind) = (error, kind)
    }

    package var description: String { "the event can't be read: \(error)" }
}
