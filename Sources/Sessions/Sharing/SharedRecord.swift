package import JSON
import ViewModels

/// What a session has to do with one shared session that its view model has a View of: what it sends there, and how far the
/// events of that one were taken. Pure rules, guarded by the `Session`.
struct SharedRecord {
    /// An event on its way to the shared session.
    struct Sent {
        let event: SharedSent
        /// The number of the last job when the event's answer was taken; nil before that.
        var answeredIn: Int?
        /// When the event was sent, or found in the store, by the session's clock.
        let since: Duration
        /// Whether the event may go: its turn is over, and stored where it must be.
        var mayGo = false

        func waitsToGo(upTo number: Int) -> Bool { !mayGo && answeredIn == nil && event.number <= number }
    }

    /// A place among the events of a shared session.
    struct Cursor {
        /// The key of the session; nil before it was opened.
        var key: String?
        var epoch: String?
        /// The newest number.
        var seq = 0
    }

    let viewModel: String
    let arguments: JSONText
    /// The name under which the session attaches to the shared one, and numbers what it sends.
    let client: String
    /// What is taken from an event's number to make the one under which the shared session knows it.
    private(set) var base: Int
    /// How far the events of the shared session were taken, which is stored.
    private(set) var taken = Cursor()
    /// How far they have come. Those between wait to be taken, and don't come again.
    private(set) var come = Cursor()
    private(set) var last = 0
    private(set) var outbox: [Sent] = []
    /// How many bytes of events are in `outbox`.
    private(set) var bytes = 0
    /// The errors of events that nobody else takes, for the answers to clients, by the events' numbers.
    private var failures: [Int: any Error] = [:]

    init(viewModel: String, arguments: JSONText, client: String) {
        (self.viewModel, self.arguments, self.client, base) = (viewModel, arguments, client, 0)
    }

    /// Makes the record of a later life.
    ///
    /// - Parameter now: the time by the session's clock.
    init(_ notes: SharedNotes, now: Duration) {
        viewModel = notes.viewModel
        arguments = notes.arguments
        (client, base, last) = (notes.client, notes.base, notes.last)
        taken = Cursor(key: notes.key, epoch: notes.epoch, seq: notes.seq)
        come = taken
        outbox = notes.outbox.map { Sent(event: $0, since: now, mayGo: true) }
        bytes = notes.outbox.reduce(0) { $0 + $1.bytes }
    }

    var notes: SharedNotes {
        SharedNotes(
            viewModel: viewModel, arguments: arguments, client: client, base: base, key: taken.key,
            epoch: taken.epoch, seq: taken.seq, last: last, outbox: outbox.filter { $0.answeredIn == nil }.map(\.event))
    }

    /// Whether nothing is on its way.
    var isQuiet: Bool { outbox.isEmpty }

    /// Adds an event to what is sent.
    ///
    /// - Parameters:
    ///   - cause: the client's event whose handler sends it.
    ///   - now: the time by the session's clock.
    ///   - mayGo: whether it goes at once. Otherwise it waits for `release(_:)`.
    /// - Returns: the event's number.
    mutating func send(
        _ event: [UInt8], from sender: SharedSender?, for cause: ClientNumber? = nil, now: Duration, mayGo: Bool
    ) -> Int {
        last += 1
        let sent = SharedSent(number: last, event: event, sender: sender, cause: cause)
        outbox.append(Sent(event: sent, since: now, mayGo: mayGo))
        bytes += event.count
        return last
    }

    /// Lets the events go that are stored by now. Returns those that couldn't before: none where the stored notes have other
    /// numbers for them.
    mutating func release(_ stored: SharedNotes) -> [SharedSent] {
        guard stored.base == base else { return [] }
        var released: [SharedSent] = []
        for index in outbox.indices where outbox[index].waitsToGo(upTo: stored.last) {
            outbox[index].mayGo = true
            released.append(outbox[index].event)
        }
        return released
    }

    /// The name that the session gives, with what it knows of the shared session.
    var opening: SharedOpening {
        SharedOpening(client: client, key: come.key, since: come.key == nil ? nil : come.seq, epoch: come.epoch)
    }

    /// Notes that the session is attached. Its events go on from `come`.
    ///
    /// - Parameter holds: whether nothing may be sent under other numbers than before until these are stored: see `isRenumbered`.
    mutating func didAttach(_ attachment: SharedAttachment, holds: Bool) -> Attached {
        let isOther = come.key.map { $0 != attachment.key } ?? true
        come = Cursor(key: attachment.key, epoch: attachment.epoch, seq: attachment.seq ?? come.seq)
        let waiting = outbox.filter { $0.answeredIn == nil }
        var ready = waiting.filter(\.mayGo).map(\.event)
        let isForgotten = !isOther && attachment.handled == nil && last > base
        let lost = isForgotten ? ready : []
        let first = lost.last.map { $0.number + 1 } ?? waiting.first?.event.number ?? last + 1
        let handled = attachment.handled ?? 0
        // The first that waits is the next that the other expects, also where that has lost what it had answered, or is another
        // session, which has taken the place of one that is gone.
        let isRenumbered = first - base > handled + 1
        if isRenumbered { base = first - 1 - handled }
        if !lost.isEmpty { ready = [] }
        guard isRenumbered, holds else { return Attached(sent: ready, lost: lost, isRenumbered: isRenumbered) }
        for index in outbox.indices where outbox[index].answeredIn == nil { outbox[index].mayGo = false }
        return Attached(sent: [], lost: lost, isRenumbered: true)
    }

    /// What follows from an attachment.
    struct Attached {
        /// The events to send, those again that aren't answered.
        let sent: [SharedSent]
        /// The events of which nobody knows whether they were handled.
        let lost: [SharedSent]
        /// Whether events get other numbers at the shared session. A later life must know that before any is sent.
        let isRenumbered: Bool
    }

    /// Returns the number under which an event is sent.
    func wireNumber(of event: SharedSent) -> Int { event.number - base }

    /// Returns the number of an event by the one under which it was sent.
    func number(ofWire number: Int) -> Int { number + base }

    /// Notes that the answer to an event was taken.
    ///
    /// - Parameter job: the number of the job in which that happened.
    /// - Returns: the event; nil where it was answered before.
    mutating func didAnswer(_ number: Int, inJob job: Int, failure: (any Error)?) -> SharedSent? {
        guard let index = outbox.firstIndex(where: { $0.event.number == number && $0.answeredIn == nil }) else {
            return nil
        }
        outbox[index].answeredIn = job
        bytes -= outbox[index].event.bytes
        failures[number] = failure
        return outbox[index].event
    }

    mutating func didReceive(upTo number: Int) {
        come.seq = number
    }

    mutating func didTake(upTo number: Int) {
        taken.seq = number
    }

    /// Notes that the events before an attachment were taken, and its snapshot.
    mutating func didTake(_ attachment: Cursor) {
        taken = attachment
    }

    /// Removes the events that were answered in jobs up to this one.
    mutating func removeAnswered(upToJob job: Int) {
        outbox.removeAll { $0.answeredIn.map { $0 <= job } ?? false }
    }

    /// The numbers of the events on their way that the handler of a client's event has sent.
    func numbers(for cause: ClientNumber) -> [Int] {
        outbox.filter { $0.event.cause == cause }.map(\.event.number)
    }

    /// Whether an event isn't answered, or its answer not taken in a job that has ended.
    func isOnItsWay(_ number: Int) -> Bool { outbox.contains { $0.event.number == number } }

    /// Forgets the errors of events with such numbers.
    mutating func dropFailures(where isNeedless: (Int) -> Bool) {
        guard !failures.isEmpty else { return }
        failures = failures.filter { !isNeedless($0.key) }
    }

    /// Takes the error of an event that failed.
    mutating func takeFailure(of number: Int) -> (any Error)? { failures.removeValue(forKey: number) }
}

/// What a session tells the server of the shared session when it opens that, or comes back to it.
package struct SharedOpening: Sendable, Equatable {
    package let client: String
    /// The key of the shared session; nil where it is to be found by its name and arguments.
    package let key: String?
    package let since: Int?
    package let epoch: String?
}

/// The answer by which a session is attached to a shared one.
package struct SharedAttachment: Sendable {
    package let key: String
    package let epoch: String?
    /// The number that the session's events go on from: that of a snapshot, or 0; nil where those after `SharedOpening.since`
    /// follow.
    package let seq: Int?
    /// The highest number that the shared session has taken under this name; nil where it doesn't know.
    package let handled: Int?

    package init(key: String, epoch: String?, seq: Int?, handled: Int?) {
        (self.key, self.epoch, self.seq, self.handled) = (key, epoch, seq, handled)
    }
}

/// Who has caused an event that one session sends to another.
package struct SharedSender: Sendable, Equatable, Codable {
    package let name: String?
    package let principal: String?

    package init(name: String?, principal: String?) {
        (self.name, self.principal) = (name, principal)
    }

    init?(_ client: Client?) {
        guard let client, client.name != nil || client.principal != nil else { return nil }
        self.init(name: client.name, principal: client.principal)
    }
}

/// An event that one session sends to another.
package struct SharedSent: Sendable, Equatable, Codable {
    /// Counts from 1 in the session that sends.
    package let number: Int
    /// The JSON text of the event.
    package let event: JSONText
    package let sender: SharedSender?
    /// The client's event whose handler has sent this one; nil where it had no number, or none has.
    package let cause: ClientNumber?

    init(number: Int, event: [UInt8], sender: SharedSender?, cause: ClientNumber? = nil) {
        self.number = number
        self.cause = cause
        self.event = JSONText { $0.raw(event) }
        self.sender = sender
    }

    var bytes: Int { event.bytes.count }
}

/// What is stored of a `SharedRecord`.
package struct SharedNotes: Sendable, Equatable, Codable {
    package let viewModel: String
    package let arguments: JSONText
    package let client: String
    package let base: Int
    package let key: String?
    package let epoch: String?
    package let seq: Int
    package let last: Int
    package let outbox: [SharedSent]
}
