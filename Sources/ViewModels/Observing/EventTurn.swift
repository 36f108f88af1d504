import Synchronization

/// The turn of one view event, up to its answer: what its handler raises with an `Event` or sets in an `Observed`, and what the
/// handlers of these events raise again.
///
/// There is no counter. Everything that is on its way, on whichever thread, keeps the turn's `Hold`. The turn is over when the
/// last reference to that is released, also where an event or a handler is dropped and never called.
///
/// The calling task's turn is known by a task-local value, or by its executor, which costs an ordinary handler nothing.
package final class EventTurn: Sendable {
    private enum State {
        case open(Hold?)
        /// Tasks that a handler has started may still refer to this turn. What they raise belongs to no turn.
        case closed
    }

    /// The turn of the event that is being delivered; nil outside of deliveries.
    @TaskLocal package static var delivered: EventTurn?

    private let host: (any EventTurnHost)?
    private let state: Mutex<State>
    private let raised = Atomic(false)

    /// Makes the object for the turns of handlers that run one after the other.
    package init(host: (any EventTurnHost)?) {
        self.host = host
        state = Mutex(.open(nil))
    }

    fileprivate init(_ hold: Hold) {
        host = hold.host
        state = Mutex(.open(hold))
    }

    /// The hold that an event which is raised now keeps until all of it has been delivered; nil outside of handlers.
    static var hold: Hold? {
        if let delivered { return delivered.hold }
        let executor = withUnsafeCurrentTask { $0?.unownedTaskExecutor?.asTaskExecutor() }
        return (executor as? any EventTurnExecutor)?.eventTurn?.hold
    }

    private var hold: Hold? {
        state.withLock { state in
            guard case .open(let hold) = state else { return nil }
            if let hold { return hold }
            let new = Hold(host)
            state = .open(new)
            raised.store(true, ordering: .relaxed)
            return new
        }
    }

    /// Whether the handler has raised anything that somebody subscribes to. Read once the handler has returned.
    package var hasRaised: Bool { raised.load(ordering: .relaxed) }

    /// Ends the turn of a handler that has returned, and begins another.
    ///
    /// - Returns: the end of what the handler raised; nil where that is nothing.
    package func takeEnd() -> End? {
        let hold = state.withLock { state -> Hold? in
            guard case .open(let hold) = state else { return nil }
            state = .open(nil)
            return hold
        }
        raised.store(false, ordering: .relaxed)
        // This may be the last reference to the hold.
        return hold?.end
    }

    /// Closes the turn: what is raised from now on belongs to no turn.
    package func close() {
        let last = state.withLock { state in
            defer { state = .closed }
            return state
        }
        withExtendedLifetime(last) {}
    }
}

extension EventTurn {
    /// A reference that everything of the turn keeps while it is on its way.
    final class Hold: Sendable {
        fileprivate let host: (any EventTurnHost)?
        fileprivate let end = End()

        fileprivate init(_ host: (any EventTurnHost)?) {
            self.host = host
        }

        deinit { end.come() }

        /// Delivers a part of the turn. What is raised meanwhile belongs to the turn, too.
        func deliver(_ body: () -> Void) {
            let turn = EventTurn(self)
            defer { turn.close() }
            EventTurn.$delivered.withValue(turn) {
                guard let host else { return body() }
                host.deliver(body)
            }
        }

        /// Makes a delivery that goes to another isolation a part of the turn.
        func deliver(_ body: @Sendable () async -> Void) async {
            let turn = EventTurn(self)
            defer { turn.close() }
            await EventTurn.$delivered.withValue(turn) {
                guard let host else { return await body() }
                await host.deliver(body)
            }
        }
    }

    /// The end of a turn, which comes once, when all of it has been delivered.
    package final class End: Sendable {
        private enum State {
            case isAwaited(UnsafeContinuation<Void, Never>?)
            case hasCome
        }

        private let state = Mutex(State.isAwaited(nil))

        package var hasCome: Bool {
            state.withLock { if case .hasCome = $0 { true } else { false } }
        }

        /// Waits until the end has come. Called once.
        package nonisolated(nonsending) func wait() async {
            await withUnsafeContinuation { continuation in
                let hasCome = state.withLock { state in
                    if case .hasCome = state { return true }
                    state = .isAwaited(continuation)
                    return false
                }
                if hasCome { continuation.resume() }
            }
        }

        fileprivate func come() {
            let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
                guard case .isAwaited(let waiter) = state else { return nil }
                state = .hasCome
                return waiter
            }
            waiter?.resume()
        }
    }
}

/// A host that makes what is delivered in a turn, and sent meanwhile, count as the turn's.
package protocol EventTurnHost: AnyObject, Sendable {
    func deliver(_ body: () -> Void)
    func deliver(_ body: @Sendable () async -> Void) async
}

/// An executor of handlers, by which a task knows its turn.
package protocol EventTurnExecutor: TaskExecutor {
    /// The turn of the task that runs now; nil where nobody waits for the end of a turn.
    var eventTurn: EventTurn? { get }
    /// The log of the session that the task belongs to.
    var log: Log { get }
}
