/// The subscribers of an `Output`, and the steps that wait for their turn. Pure; the `Output` guards it and calls
/// the handlers.
///
/// Deliberately without the type of the events: a generic type is looked up by the runtime wherever code of another
/// module uses it, several times for each event.
struct OutputState {
    struct Subscriber {
        /// A number that rises from one subscriber to the next.
        let number: Int
        /// The subscriber's `OutputHandler`.
        let handler: any AnyObject & Sendable
    }

    /// A step that waits for its turn: it delivers an event, or does something between two events.
    struct Step {
        /// What the step does. It is given the subscribers that there were when the step was queued, and still are.
        let body: @Sendable ([Subscriber]) -> Void
        fileprivate let lastNumber: Int
    }

    /// The subscribers, in the order of subscription.
    private(set) var subscribers: [Subscriber] = []
    var isStarted = false
    var life = ViewModelLife()
    private(set) var sentCount = 0
    var retained: (any AnyObject & Sendable)?
    /// The paces of the subscribers that have one. Apart from these, since each event looks at every subscriber.
    private var paces: [(number: Int, pace: any OutputPace)] = []
    private var lastNumber = 0
    private var isDelivering = false
    private var pending: [Step] = []

    /// Whether events wait or are being delivered.
    var isBusy: Bool { isDelivering || !pending.isEmpty }

    /// Adds a handler, and returns its number.
    mutating func add(_ handler: any AnyObject & Sendable) -> Int {
        lastNumber += 1
        hasEnded = false
        subscribers.append(Subscriber(number: lastNumber, handler: handler))
        return lastNumber
    }

    mutating func add(_ pace: any OutputPace, of number: Int) {
        paces.append((number, pace))
    }

    /// Whether the last subscriber has gone, and none has come since.
    private(set) var hasEnded = false

    /// The paces that are awaited before an event is streamed.
    var allPaces: [any OutputPace] { paces.map(\.pace) }

    /// Removes a subscriber, and returns it, to be released with no lock held.
    mutating func remove(_ number: Int) -> Subscriber? {
        paces.removeAll { $0.number == number }
        guard let index = subscribers.firstIndex(where: { $0.number == number }) else { return nil }
        hasEnded = subscribers.count == 1
        return subscribers.remove(at: index)
    }

    /// Begins to deliver an event. Returns the subscribers to call with it; nil when the event must wait behind others.
    mutating func beginEvent() -> [Subscriber]? {
        guard begin() else { return nil }
        sentCount += 1
        return subscribers
    }

    /// Begins a delivery. Returns false when another one is under way. Otherwise the caller goes on with `takePending()` until
    /// that returns nil.
    mutating func begin() -> Bool {
        guard !isBusy else { return false }
        isDelivering = true
        return true
    }

    /// Queues an event. The caller must see to it that the pending steps are delivered.
    mutating func queueEvent(_ body: @escaping @Sendable ([Subscriber]) -> Void) {
        sentCount += 1
        queue(body)
    }

    /// Notes that a queued step has changed.
    mutating func noteChange() {
        sentCount += 1
    }

    /// Queues a step that is no event. The caller must see to it that the pending steps are delivered.
    mutating func queue(_ body: @escaping @Sendable ([Subscriber]) -> Void) {
        pending.append(Step(body: body, lastNumber: lastNumber))
    }

    /// Begins to deliver the pending steps. Returns false when somebody does that already.
    mutating func beginPending() -> Bool {
        guard !isDelivering else { return false }
        isDelivering = true
        return true
    }

    /// Takes the steps that wait, in order. Returns nil when none does; then the caller has stopped delivering.
    mutating func takePending() -> [Step]? {
        guard !pending.isEmpty else {
            isDelivering = false
            return nil
        }
        defer { pending = [] }
        return pending
    }

    func subscribers(of step: Step) -> [Subscriber] {
        guard let last = subscribers.last, last.number > step.lastNumber else { return subscribers }
        return subscribers.filter { $0.number <= step.lastNumber }
    }
}

/// How fast a subscriber can take events.
package protocol OutputPace: AnyObject, Sendable {
    /// Waits until the subscriber can take more; returns at once where it can.
    ///
    /// - Throws: `CancellationError`.
    nonisolated(nonsending) func waitForRoom() async throws
}

/// One subscriber's handler, in an object that `OutputState` can keep without its type.
final class OutputHandler<Event>: Sendable {
    let body: @Sendable (Event) -> Void

    init(_ body: @escaping @Sendable (Event) -> Void) {
        self.body = body
    }
}
