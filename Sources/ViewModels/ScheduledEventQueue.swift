import Synchronization

/// Brings the events of a bound View to its view model as each one's `schedule` says. The rules are those of a session's lanes,
/// here for Views in the same process.
package final class ScheduledEventQueue<Event: Sendable>: Sendable {
    private struct Entry {
        let id: Int
        let kind: String
        let event: Event
        /// The receiver's own number for the event.
        let number: Int?
    }

    /// Events that wait for each other.
    private struct Lane {
        var waiting: [Entry] = []
        var running: (entry: Entry, task: Task<Void, Never>?, isSuperseded: Bool)?
        /// The id of the lane's newest event, while it waits for its debounce.
        var debounced: Int?

        /// Begins the next event, where there is one that can be begun.
        mutating func startNext() -> Entry? {
            guard running == nil, let next = waiting.first, next.id != debounced else { return nil }
            running = (waiting.removeFirst(), nil, false)
            return next
        }

        /// Supersedes the events of a kind. Returns those that won't be handled, and the task of the one that is being handled.
        mutating func supersede(_ kind: String) -> ([Entry], Task<Void, Never>?) {
            let superseded = waiting.filter { $0.kind == kind }
            waiting.removeAll { $0.kind == kind }
            guard running?.entry.kind == kind else { return (superseded, nil) }
            running?.isSuperseded = true
            return (superseded, running?.task)
        }
    }

    private struct State {
        /// The lanes, by the kind of their events. The lane with the empty name has all events that wait for others.
        var lanes: [String: Lane] = [:]
        var lastID = 0
    }

    private let state = Mutex(State())
    private let clock: any Clock<Duration>
    private let receive: @Sendable (Event, Int?) async -> Void
    private let supersede: @Sendable (Event, Int?) async -> Void

    /// - Parameters:
    ///   - clock: measures debounces; nil where the receiver debounces by itself, and this queue doesn't.
    ///   - receive: handles an event, which comes with its number. Its task is cancelled where another one supersedes it.
    ///   - supersede: called with each event that is never handled.
    package init(
        clock: (any Clock<Duration>)?, receive: @escaping @Sendable (Event, Int?) async -> Void,
        supersede: @escaping @Sendable (Event, Int?) async -> Void
    ) {
        self.clock = clock ?? ContinuousClock()
        debounces = clock != nil
        self.receive = receive
        self.supersede = supersede
    }

    private let debounces: Bool

    /// Queues an event. Any thread may call it.
    ///
    /// - Parameter number: handed to `receive` or `supersede` together with the event.
    package func push(_ event: Event, number: Int? = nil) {
        let schedule = (event as? any ScheduledEvent)?.schedule ?? .inOrder
        let kind = caseName(of: event)
        let name = schedule.waits ? "" : kind
        let debounce = debounces ? schedule.debounce : .zero
        let (id, superseded, running) = state.withLock { state in
            state.lastID += 1
            let id = state.lastID
            let (superseded, running) =
                schedule.supersedes ? state.lanes[name, default: Lane()].supersede(kind) : ([], nil)
            state.lanes[name, default: Lane()].waiting.append(Entry(id: id, kind: kind, event: event, number: number))
            // An event that waits behind a debounced one ends the debounce.
            state.lanes[name]?.debounced = debounce > .zero ? id : nil
            return (id, superseded, running)
        }
        running?.cancel()
        // Detached, as the events are not the caller's alone.
        if !superseded.isEmpty {
            Task.detached { [supersede] in for entry in superseded { await supersede(entry.event, entry.number) } }
        }
        if debounce > .zero {
            Task.detached { [self] in
                try? await clock.sleep(for: debounce)
                endDebounce(of: id, in: name)
            }
        }
        startNext(in: name)
    }

    private func endDebounce(of id: Int, in lane: String) {
        state.withLock { state in
            if state.lanes[lane]?.debounced == id { state.lanes[lane]?.debounced = nil }
        }
        startNext(in: lane)
    }

    private func startNext(in lane: String) {
        guard let next = state.withLock({ $0.lanes[lane]?.startNext() }) else { return }
        let task = Task.detached { [self] in
            await receive(next.event, next.number)
            state.withLock { state in
                state.lanes[lane]?.running = nil
                if state.lanes[lane]?.waiting.isEmpty == true { state.lanes[lane] = nil }
            }
            startNext(in: lane)
        }
        let isSuperseded = state.withLock { state in
            // The task may be over already.
            guard state.lanes[lane]?.running?.entry.id == next.id else { return false }
            state.lanes[lane]?.running?.task = task
            return state.lanes[lane]?.running?.isSuperseded ?? false
        }
        if isSuperseded { task.cancel() }
    }
}
