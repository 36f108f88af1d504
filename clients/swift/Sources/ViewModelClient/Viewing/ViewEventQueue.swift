package import JSON

/// A View's event whose outcome isn't known.
package struct PendingEvent {
    /// The number by which the caller cancels it, and the token of its progress.
    package let ticket: Int
    let event: JSONText
    /// Called with the values of `$/progress`, where the caller wants any.
    let progress: (@Sendable (JSONText) -> Void)?
    /// Called with each stage that it comes to, on the client's loop.
    let note: @Sendable (ViewEventStage) -> Void
    /// Called once, with the number of the session's newest event.
    let reply: (Result<Int, any Error>) -> Void
    /// Given when it is sent, kept when it is sent again.
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

/// The events of one View that its session hasn't answered, and their numbers: the rules by which none is lost or
/// handled twice.
///
/// A session takes the events of a View in the order of their numbers, without a gap, and answers one that it has taken
/// before without handling it again.
package struct ViewEventQueue {
    /// The outcome of an event, by its answer.
    package enum Outcome {
        /// It was handled, or failed: it is done with.
        case settled
        /// It failed before it was taken, as it can't be read: none of those behind it is taken.
        case notTaken
        /// There is no room for it now, nor for those behind it. One that was taken before may have been handled: it is asked
        /// after again, after `goOn()`.
        case noRoom
        /// The server's store can't be used: it wasn't taken, and none behind it is. All are sent again, after `goOn()`.
        case notStored
        /// It came before the one that has the number in front of it.
        case wrongNumber
    }

    /// To be sent, in order.
    private var unsent: [PendingEvent] = []
    /// Sent on this connection, in order.
    private var inFlight: [PendingEvent] = []
    /// Those that came back from behind one that wasn't taken, in order.
    private var returned: [PendingEvent] = []
    /// The number of the last event that was sent.
    private var lastNumber = 0
    /// The highest number that the session is known to have taken: no other event may have one up to it.
    private var lastTaken = 0
    /// The lowest number that the session didn't take, until all behind it are back.
    private var refusedNumber: Int?
    /// Nothing is sent, since the server's store can't be used.
    private var isPaused = false

    package init() {}

    package var isEmpty: Bool { unsent.isEmpty && inFlight.isEmpty && returned.isEmpty }

    package mutating func append(_ event: PendingEvent) {
        event.note(.waits)
        unsent.append(event)
    }

    /// The next event to be sent, with its number; nil while there is none, or `window` of them are on their way.
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

    /// An answer has come.
    ///
    /// - Returns: the event, when it is done with; nil when it is sent again, or isn't on its way.
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
            // One that was taken may have been handled, whatever comes of the question.
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

    /// The store may work again, or there may be room.
    package mutating func goOn() {
        isPaused = false
    }

    /// All that was sent and not answered waits to be sent again.
    package mutating func didLoseConnection() {
        unsent = (returned + inFlight).sorted { ($0.number ?? 0) < ($1.number ?? 0) } + unsent
        inFlight = []
        returned = []
        refusedNumber = nil
        isPaused = false
    }

    /// The session has taken the events up to `handled`: those behind are the next ones. What it has taken keeps its
    /// number, by which it is answered without being handled again.
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

    /// Takes out an event that isn't on its way. Its number goes to the next one, unless the session has it.
    package mutating func takeUnsent(_ ticket: Int) -> PendingEvent? {
        if let place = unsent.firstIndex(where: { $0.ticket == ticket }) { return unsent.remove(at: place) }
        return returned.firstIndex { $0.ticket == ticket }.map { returned.remove(at: $0) }
    }

    /// Takes out what was sent on an earlier connection.
    package mutating func takeSent() -> [PendingEvent] {
        defer { unsent.removeAll { $0.number != nil } }
        return unsent.filter { $0.number != nil }
    }

    package mutating func takeAll() -> [PendingEvent] {
        defer { (returned, inFlight, unsent) = ([], [], []) }
        return returned + inFlight + unsent
    }
}
