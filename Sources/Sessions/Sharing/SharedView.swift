package import JSON
import Synchronization
package import ViewModels

/// Connects sessions with the shared sessions that their view models have Views of. The server does it.
package protocol SharedSessions: AnyObject, Sendable {
    /// Begins to attach a view, and keeps it attached, in another life of the shared session, too, until it is closed.
    func connect(_ view: SharedView, of session: Session) -> any SharedConnection

    /// Makes a name for a session as a client of a shared one, which nobody else has.
    func freshName() -> String
}

/// The way to a shared session, for one view. Any thread may call it.
package protocol SharedConnection: AnyObject, Sendable {
    /// Sends events, in order. While there is no way they are dropped: `SharedView.didAttach` returns them again.
    func send(_ events: [SharedSent])
    /// Reads rows of a list.
    ///
    /// - Parameter then: called once, with the text of the result of `session/rows`.
    func read(_ request: RowsRequest, then: @escaping @Sendable (Result<JSONText, any Error>) -> Void)
    /// Asks for a snapshot.
    ///
    /// - Parameter then: called once, with the text of an array of events.
    func makeSnapshot(then: @escaping @Sendable (Result<JSONText, any Error>) -> Void)
    /// Reads on, as `SharedView.didReceive` had returned false.
    func resume()
    /// Tells the shared session who looks, by `SharedView.viewers`.
    func viewersDidChange()
    /// Detaches the view. Nothing is reported any more.
    func close()
    /// Detaches the view once everything that was sent is answered, within a bounded time, as a session that has ended can't
    /// send it again.
    ///
    /// - Parameter session: kept until then.
    func close(finishing session: Session)
}

/// No way to a shared session: before it is opened, and where the server is gone.
package final class NoConnection: SharedConnection {
    package init() {}
    package func send(_ events: [SharedSent]) {}
    package func resume() {}
    package func viewersDidChange() {}
    package func close() {}
    package func close(finishing session: Session) {}

    package func read(_ request: RowsRequest, then: @escaping @Sendable (Result<JSONText, any Error>) -> Void) {
        then(.failure(SessionError.ended))
    }

    package func makeSnapshot(then: @escaping @Sendable (Result<JSONText, any Error>) -> Void) {
        then(.failure(SessionError.ended))
    }
}

/// A session's view of a shared session, as the connection to that one sees it. Its functions are called on one loop.
package final class SharedView: Sendable {
    package let viewModel: String
    package let arguments: JSONText
    /// The sessions that wait for this one to be opened, with the session itself, which is the last.
    package let waiting: [WaitingSession]
    private let index: Int
    private let reference: Mutex<Reference>
    /// Called once, when the view is attached for the first time or can't be.
    private let opened: Mutex<(@Sendable (Result<Void, any Error>) -> Void)?>

    private struct Reference { weak var session: Session? }

    init(
        _ viewModel: String, _ arguments: JSONText, of session: Session, index: Int, waiting: [WaitingSession],
        opened: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        (self.viewModel, self.arguments, self.index, self.waiting) = (viewModel, arguments, index, waiting)
        reference = Mutex(Reference(session: session))
        self.opened = Mutex(opened)
    }

    private var session: Session? { reference.withLock { $0.session } }

    /// What the session says of itself; nil where it has ended.
    package var opening: SharedOpening? { session?.state.withLock { $0.shared?.records[index].opening } }

    /// Whether the view was attached before.
    package var wasOpened: Bool { opened.withLock { $0 == nil } }

    /// Those who look at the session, as the shared one is told of them.
    package var viewers: [Client] { session?.viewersToTell ?? [] }

    /// Notes that the view is attached.
    ///
    /// - Parameter snapshot: the texts of the events that bring the view up to date; nil where the missing ones follow.
    /// - Returns: the events to send now.
    package func didAttach(_ attachment: SharedAttachment, snapshot: [JSONText]?) -> [SharedSent] {
        guard let session else { return [] }
        let found = session.state.withLock { state -> (SharedRecord.Attached, SharedRecord.Cursor)? in
            let isDurable = state.kept != nil
            guard let attached = state.shared?.records[index].didAttach(attachment, holds: isDurable),
                let cursor = state.shared?.records[index].come
            else { return nil }
            if attached.isRenumbered { state.noteSharedChange() }
            return (attached, cursor)
        }
        guard let (attached, cursor) = found else { return [] }
        take(.attached(cursor, snapshot: snapshot))
        for event in attached.lost { take(.answer(number: event.number, failure: UnknownOutcome())) }
        if attached.isRenumbered, session.isDurable { TurnCommitter(session: session).save() }
        finishOpening(.success(()))
        return attached.sent
    }

    /// Returns the number under which an event is sent.
    package func wireNumber(of event: SharedSent) -> Int? {
        session?.state.withLock { $0.shared?.records[index].wireNumber(of: event) }
    }

    /// The events that may be sent and aren't answered, in order.
    package var unanswered: [SharedSent] {
        session?.state.withLock { state in
            state.shared?.records[index].outbox.filter { $0.mayGo && $0.answeredIn == nil }.map(\.event)
        } ?? []
    }

    /// Takes an event of the shared session.
    ///
    /// - Parameter event: the event's text; nil for a number that is no event.
    /// - Returns: false where no more is to be read before `SharedConnection.resume()`.
    package func didReceive(_ event: JSONText?, seq: Int) -> Bool {
        take(event.map { .event($0, seq: seq) } ?? .passed(seq: seq))
    }

    /// Takes the answer to an event.
    package func didAnswer(wireNumber: Int, _ failure: (any Error)?) {
        let number = session?.state.withLock { $0.shared?.records[index].number(ofWire: wireNumber) }
        if let number { take(.answer(number: number, failure: failure)) }
    }

    /// Notes that the view can't be attached.
    ///
    /// - Returns: whether it was never attached, so that nothing more is tried.
    package func didFail(_ error: any Error) -> Bool { finishOpening(.failure(error)) }

    @discardableResult
    private func finishOpening(_ result: Result<Void, any Error>) -> Bool {
        let opened = opened.withLock { opened in
            defer { opened = nil }
            return opened
        }
        opened?(result)
        return opened != nil
    }

    @discardableResult
    private func take(_ arrival: SharedViews.Arrival) -> Bool {
        guard let session else { return false }
        return SharedRunner(session: session).take(arrival, of: index)
    }

    /// The error for an event of which nobody knows whether it was handled, as the shared session has forgotten the sender.
    private struct UnknownOutcome: Error, CustomStringConvertible {
        let description = "nobody knows whether it was handled: too many others have sent events meanwhile"
    }
}

/// What a session keeps for one of its views of shared sessions.
struct SharedPart {
    let shared: any AnyShared
    var connection: any SharedConnection
    /// The names of lists of the shared view model, whose events aren't passed on.
    let lists: Set<String>
}

/// An event's text, as `Shared` reads it.
struct SharedEventText: SharedEvent {
    let text: JSONText

    func decoded<Event: Decodable>(as type: Event.Type) throws -> Event {
        try text.withValue { try EventDecoder().decode(type, from: $0) }
    }

    var kind: String? { text.withValue { $0.member("kind")?.string() } }

    var change: SharedListChange? {
        text.withValue { event in
            guard let count = event.member("count")?.integer(as: Int.self) else { return nil }
            return SharedListChange(count: count, edits: event.member("changes").flatMap { edits(in: $0) })
        }
    }

    private func edits(in changes: JSONValue) -> [RowsEdit]? {
        var edits: [RowsEdit]? = []
        changes.forEachElement { change in
            guard let at = change.member("at")?.integer(as: Int.self),
                let removed = change.member("removed")?.integer(as: Int.self),
                let inserted = change.member("inserted")?.integer(as: Int.self)
            else { return edits = nil }
            edits?.append(RowsEdit(at: at, removed: removed, inserted: inserted))
        }
        return edits
    }
}
