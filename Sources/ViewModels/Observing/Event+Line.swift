import Synchronization

extension Event {
    /// The handlers in order of subscription. Rules only; the event guards it.
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
        /// - Returns: their places, for the caller to let go of with no lock held: what a handler captured goes with it, and
        ///   may call this very event as it goes.
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
    }

    /// Calls `handler` each time the event is raised from now on.
    func subscribe(_ handler: EventHandler<Args>) {
        prune()
        _ = add(handler)
    }

    /// Puts `handler` at the end of the line and takes out the one that its owner had. With `first`, calls it with that
    /// before anything that is raised later; `deliverPending()` must follow.
    ///
    /// - Returns: as of `Line.take`.
    func add(_ handler: EventHandler<Args>, first: Args? = nil) -> [Line.Place] {
        let call = call(to: handler)
        return line.withLock { line in
            let replaced = line.take { $0.owner == handler.owner }
            let subscription = first.map { output.enqueue($0, to: call) } ?? output.subscribe(call)
            line.append(Line.Place(handler: handler, subscription: subscription))
            return replaced
        }
    }

    /// Raises the event for who has subscribed by now, but calls nobody before `deliverPending()`, which must follow: for a
    /// caller that holds a lock.
    func enqueue(_ args: Args) {
        output.enqueue(args)
    }

    /// Calls whom `enqueue(_:)` and `add(_:first:)` left waiting.
    func deliverPending() {
        prune()
        output.deliverPending()
    }

    /// Takes out the handlers of owners that are gone. Called with no lock held: to ask for an owner may be to let go of it.
    func prune() {
        let dead = line.withLock { $0.places }.filter { !$0.handler.owner.isAlive }
        guard !dead.isEmpty else { return }
        let ids = Set(dead.map { ObjectIdentifier($0.handler) })
        _ = line.withLock { $0.take { ids.contains(ObjectIdentifier($0)) } }
    }

    private func call(to handler: EventHandler<Args>) -> @Sendable (Args) -> Void {
        if handler.isIsolated {
            return { [queue] args in queue.push(Call(handler: handler, args: args)) }
        }
        // An immediate task runs on this thread up to its first suspension, and a call without isolation has none.
        return { args in Task.immediate { await handler.call(args) } }
    }
}
