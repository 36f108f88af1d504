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
    }

    /// Calls `handler` each time the event is raised from now on.
    func subscribe(_ handler: EventHandler<Args>) {
        prune()
        _ = add(handler)
    }

    /// Puts `handler` at the end of the line, and takes out its owner's handler before. With `first`, queues a call
    /// with that ahead of all later events; `deliverPending()` must follow.
    ///
    /// - Returns: the same as `Line.take`.
    func add(_ handler: EventHandler<Args>, first: Args? = nil) -> [Line.Place] {
        let call = call(to: handler)
        return line.withLock { line in
            let replaced = line.take { $0.owner == handler.owner }
            let subscription = first.map { output.enqueue($0, to: call) } ?? output.subscribe(call)
            line.append(Line.Place(handler: handler, subscription: subscription))
            return replaced
        }
    }

    /// Raises the event for a caller that holds a lock: no handler is called before `deliverPending()`, which
    /// must follow.
    func enqueue(_ args: Args) {
        output.enqueue(args)
    }

    /// Makes the calls that `enqueue(_:)` and `add(_:first:)` have queued.
    func deliverPending() {
        prune()
        output.deliverPending()
    }

    /// Takes out the handlers of owners that are gone. Called with no lock held, since asking for an owner may
    /// release it.
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
