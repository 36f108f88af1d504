import Synchronization

extension Event {
    /// The handlers in order of subscription. Pure rules; the event guards them.
    struct Line {
        struct Place {
            let handler: EventHandler<Args>
            let subscription: Subscription
        }

        private(set) var places: [Place] = []

        mutating func append(_ place: Place) {
            places.append(place)
        }

        /// Takes handlers out and ends them.
        ///
        /// - Returns: their places, to be released with no lock held, since the captures of a handler may call this
        ///   very event as they go.
        mutating func take(where condition: (EventHandler<Args>) -> Bool) -> [Place] {
            let taken = places.filter { condition($0.handler) }
            guard !taken.isEmpty else { return [] }
            for place in taken { place.handler.end() }
            places.removeAll { $0.handler.hasEnded }
            return taken
        }
    }

    /// One event on its way to one handler.
    struct Call {
        let handler: EventHandler<Args>
        let args: Args
        /// The hold of the turn in which the event was raised; nil outside of turns.
        let hold: EventTurn.Hold?

        func make() async {
            guard let hold else { return await handler.call(args) }
            await hold.deliver { await handler.call(args) }
        }
    }

    /// Calls `handler` each time the event is raised from now on.
    func subscribe(_ handler: EventHandler<Args>) {
        prune()
        _ = add(handler)
    }

    /// Puts `handler` at the end of the line, and takes out the owner's earlier handler. With `first`, queues a call with that
    /// value ahead of all later events; `deliverPending()` must follow.
    ///
    /// - Returns: the places that were taken out, as `Line.take` does.
    func add(_ handler: EventHandler<Args>, first: Args? = nil) -> [Line.Place] {
        let call = call(to: handler)
        let hold = first == nil ? nil : EventTurn.hold
        return line.withLock { line in
            let replaced = line.take { $0.owner == handler.owner }
            let subscription = first.map { output.enqueue($0, to: call, in: hold) } ?? output.subscribe(call)
            line.append(Line.Place(handler: handler, subscription: subscription))
            return replaced
        }
    }

    /// Returns the hold that an event which the calling task raises now keeps until it is delivered. Nil outside of handlers,
    /// and where nobody subscribes.
    ///
    /// It also takes out the handlers of owners that are gone. So it is called before each `raise`, with no lock held.
    func holdTurn() -> EventTurn.Hold? { prune() ? EventTurn.hold : nil }

    /// Takes out the handlers of owners that are gone. Called with no lock held, since asking for an owner may
    /// release it.
    ///
    /// - Returns: whether handlers of other owners are left.
    @discardableResult func prune() -> Bool {
        let places = line.withLock { $0.places }
        guard !places.isEmpty else { return false }
        let dead = places.filter { !$0.handler.owner.isAlive }
        guard !dead.isEmpty else { return true }
        let ids = Set(dead.map { ObjectIdentifier($0.handler) })
        _ = line.withLock { $0.take { ids.contains(ObjectIdentifier($0)) } }
        return dead.count < places.count
    }

    private func call(to handler: EventHandler<Args>) -> @Sendable (Args) -> Void {
        if handler.isIsolated {
            return { [queue] args in queue.push(Call(handler: handler, args: args, hold: EventTurn.hold)) }
        }
        // An immediate task runs on this thread up to its first suspension, and a call without isolation has none.
        return { args in Task.immediate { await handler.call(args) } }
    }
}
