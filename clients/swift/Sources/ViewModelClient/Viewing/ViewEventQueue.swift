package import JSON

/// A View's event whose outcome isn't known yet.
package struct PendingEvent {
    /// The number by which the caller cancels the event. It is also the token of its progress.
    package let ticket: Int
    let event: JSONText
    /// Called with the values of `$/progress`; nil if the caller doesn't want them.
    let progress: (@Sendable (JSONText) -> Void)?
    /// Called with each stage that the event reaches, on the client's loop.
    let note: @Sendable (ViewEventStage) -> Void
    /// Called once, with the number of the session's newest event.
    let reply: (Result<Int, any Error>) -> Void
    /// The event's number among those of its View. It is given when the event is first sent.
    package fileprivate(set) var number: Int?

    package init(
        _ event: JSONText, ticket: Int, progress: (@Sendable (JSONText) -> Void)?,
        note: @escaping @Sendable (ViewEventStage) -> Void = { _ in },
        reply: @escaping (Result<Int, any Error>) -> Void
    ) {
        self.event = event
        self.ticket = ticket
        self.progress = progress
        self.note = note
        self.reply = reply
    }
}

/// The unanswered events of one View, and their numbers: the rules by which no event is lost or handled twice.
///
/// A session takes the events of a View in the order of their numbers, without a gap. It answers an event that it has taken
/// before without handling it again.
package struct ViewEventQueue {
    /// The outcome of an event, by its answer.
    package enum Outcome {
        /// The event was handled, or its handler failed. It leaves the queue.
        case settled
        /// The session refused the event, which it can't read, and takes none behind it. The event leaves the
        /// queue, and those behind it are sent again under new numbers.
        case notTaken
        /// The session has no room for the event now, nor for those behind it. A new event fails. One that
        /// it has taken before may have been handled, and is sent again after `goOn()`.
        case noRoom
        /// The session refused the event and those behind it, since the server's store can't be used. All of them are sent
        /// again after `goOn()`.
        case notStored
        /// The session got the event before the one with the preceding number.
        case wrongNumber
    }

    /// Events to be sent, in order.
    private var unsent: [PendingEvent] = []
    /// Events that were sent on this connection and aren't answered, in order.
    private var inFlight: [PendingEvent] = []
    /// Events to be sent again, as they were refused or came behind one that was; in order.
    private var returned: [PendingEvent] = []
    /// The number of the last event that was sent.
    private var lastNumber = 0
    /// The highest number that the session is known to have taken. No new event gets a number up to it.
    private var lastTaken = 0
    /// The lowest number that the session refused; nil once all events in flight behind it are answered, and where none was.
    private var refusedNumber: Int?
    /// Whether nothing is sent, since the server's store can't be used or the session has no room.
    private var isPaused = false

    package init() {}

    package var isEmpty: Bool { unsent.isEmpty && inFlight.isEmpty && returned.isEmpty }

    package mutating func append(_ event: PendingEvent) {
        event.note(.waits)
        unsent.append(event)
    }

    /// Returns the next event to send, with its number; nil if there is none, or `window` events are in flight.
    package mutating func sendNext(window: Int) -> PendingEvent? {
        guard refusedNumber == nil, !isPaused, inFlight.count < window, !unsent.isEmpty else { return nil }
        var event = unsent.removeFirst()
        let number = event.number ?? lastNumber + 1
        event.number = number
        lastNumber = max(lastNumber, number)
        inFlight.append(event)
        event.note(.sent)
        return event
    }

    /// Takes the answer to an event.
    ///
    /// - Returns: the event, which has left the queue; nil if it will be sent again, or isn't in flight.
    package mutating func didAnswer(_ ticket: Int, _ outcome: Outcome) -> PendingEvent? {
        guard let place = inFlight.firstIndex(where: { $0.ticket == ticket }) else { return nil }
        let event = inFlight.remove(at: place)
        defer { sendAgainOnceAllAreBack() }
        let number = event.number ?? .max
        let isNew = number > lastTaken
        switch outcome {
        case .settled:
            lastTaken = max(lastTaken, event.number ?? 0)
            return event
        case .notTaken, .notStored, .noRoom:
            refusedNumber = min(refusedNumber ?? .max, number)
            if outcome == .notTaken || outcome == .noRoom && isNew { return event }
            isPaused = true
            // A session that has taken the event before may have handled it, whatever the answer is now.
            if isNew { event.note(.waits) }
            returned.append(event)
            return nil
        case .wrongNumber:
            guard refusedNumber != nil else { return event }
            event.note(.waits)
            returned.append(event)
            return nil
        }
    }

    private mutating func sendAgainOnceAllAreBack() {
        guard let refused = refusedNumber, inFlight.isEmpty else { return }
        unsent = returned + unsent
        returned = []
        refusedNumber = nil
        number(after: max(refused - 1, lastTaken))
    }

    /// Allows sending again, since the store may work again, or the session may have room.
    package mutating func goOn() {
        isPaused = false
    }

    /// Lets every unanswered event wait to be sent again on the next connection.
    package mutating func didLoseConnection() {
        unsent = (returned + inFlight).sorted { ($0.number ?? 0) < ($1.number ?? 0) } + unsent
        inFlight = []
        returned = []
        refusedNumber = nil
        isPaused = false
    }

    /// Notes that the session has taken the events up to the number `handled`, and gives new numbers to those behind them. An
    /// event that was taken keeps its number, by which the session answers it without handling it again.
    package mutating func renumber(after handled: Int) {
        lastTaken = handled
        number(after: handled)
    }

    private mutating func number(after handled: Int) {
        lastNumber = handled
        for place in unsent.indices where (unsent[place].number ?? 0) > handled {
            unsent[place].number = nil
            unsent[place].note(.waits)
        }
    }

    /// Removes and returns an event that isn't in flight; nil if none has this ticket.
    package mutating func takeUnsent(_ ticket: Int) -> PendingEvent? {
        if let place = unsent.firstIndex(where: { $0.ticket == ticket }) { return unsent.remove(at: place) }
        return returned.firstIndex { $0.ticket == ticket }.map { returned.remove(at: $0) }
    }

    /// Removes and returns the events that were sent on an earlier connection.
    package mutating func takeSent() -> [PendingEvent] {
        defer { unsent.removeAll { $0.number != nil } }
        return unsent.filter { $0.number != nil }
    }

    package mutating func takeAll() -> [PendingEvent] {
        defer { (returned, inFlight, unsent) = ([], [], []) }
        return returned + inFlight + unsent
    }
}
