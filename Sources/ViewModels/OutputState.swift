/// Who listens to an `Output`, and what waits to be delivered. The `Output` guards it and calls the handlers.
///
/// Deliberately without the type of the events: a generic type is looked up by the runtime wherever code of another module
/// uses it, several times for each event. Those lookups took 17,000 of the 110,000 instructions of a view event and its
/// answer.
struct OutputState {
    /// Delivers an event to some handlers, or does something between two events.
    typealias Step = @Sendable ([Subscriber]) -> Void

    struct Subscriber {
        /// Rises from one to the next.
        let number: Int
        /// An `OutputHandler`.
        let handler: any AnyObject & Sendable
    }

    /// In the order of subscription.
    private(set) var subscribers: [Subscriber] = []
    var isStarted = false
    private(set) var sentCount = 0
    var retained: (any AnyObject & Sendable)?
    private var lastNumber = 0
    private var isDelivering = false
    /// Taken out one by one, nothing is released under the lock: what a step captured may end with it.
    private var pending: [Pending?] = []
    private var nextPending = 0

    /// A step that waits for its turn, for those that had subscribed when it was sent.
    private struct Pending {
        let step: Step
        let lastNumber: Int
    }

    /// Events wait or are on their way.
    var isBusy: Bool { isDelivering || nextPending < pending.count }

    /// Returns the handler's number.
    mutating func add(_ handler: any AnyObject & Sendable) -> Int {
        lastNumber += 1
        subscribers.append(Subscriber(number: lastNumber, handler: handler))
        return lastNumber
    }

    /// Returns it, so that it is let go of outside the lock.
    mutating func remove(_ number: Int) -> Subscriber? {
        subscribers.firstIndex { $0.number == number }.map { subscribers.remove(at: $0) }
    }

    /// The handlers to call with an event now, or nil when it must wait behind others.
    mutating func beginEvent() -> [Subscriber]? {
        guard begin() else { return nil }
        sentCount += 1
        return subscribers
    }

    /// Whether the caller may deliver now; it then goes on with `next()` until there is nothing more.
    mutating func begin() -> Bool {
        guard !isBusy else { return false }
        isDelivering = true
        return true
    }

    /// Whoever calls it sees to it that somebody delivers.
    mutating func queueEvent(_ step: @escaping Step) {
        sentCount += 1
        queue(step)
    }

    /// Whoever calls it sees to it that somebody delivers.
    mutating func queue(_ step: @escaping Step) {
        pending.append(Pending(step: step, lastNumber: lastNumber))
    }

    /// Whether the caller must deliver what waits.
    mutating func beginPending() -> Bool {
        guard !isDelivering else { return false }
        isDelivering = true
        return true
    }

    mutating func next() -> (Step, [Subscriber])? {
        guard nextPending < pending.count, let next = pending[nextPending] else {
            if !pending.isEmpty { pending.removeAll(keepingCapacity: pending.count <= 16) }
            nextPending = 0
            isDelivering = false
            return nil
        }
        pending[nextPending] = nil
        nextPending += 1
        if nextPending >= 64, nextPending * 2 >= pending.count {
            // While others keep sending there is never a moment without anything pending.
            pending.removeFirst(nextPending)
            nextPending = 0
        }
        return (next.step, subscribers(upTo: next.lastNumber))
    }

    private func subscribers(upTo number: Int) -> [Subscriber] {
        guard let last = subscribers.last, last.number > number else { return subscribers }
        return subscribers.filter { $0.number <= number }
    }
}
