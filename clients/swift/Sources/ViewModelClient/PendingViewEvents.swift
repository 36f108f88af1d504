import Synchronization
import ViewModels

/// View events of a `RemoteViewModel` that the server hasn't answered, oldest first.
///
/// `RemoteViewModel.pending` has the current ones. `RemoteViewModel.dropped` gives back those whose session has ended.
///
/// ```swift
/// let subscription = note.dropped.subscribe { dropped in
///     for case .edit(let text) in dropped.unsent { draft.append(text) }
///     if !dropped.unanswered.isEmpty { warn("the last change may be lost") }
/// }
/// ```
public struct PendingViewEvents<ViewEvent: Sendable>: Sendable {
    /// Events that were sent and have no answer. The view model may have handled them, or not.
    public let unanswered: [ViewEvent]
    /// Events that are still to be sent, or to be sent again, and that the view model hasn't handled. They wait for a
    /// connection, or for the events before them.
    public let unsent: [ViewEvent]

    init(unanswered: [ViewEvent] = [], unsent: [ViewEvent] = []) {
        self.unanswered = unanswered
        self.unsent = unsent
    }

    /// The numbers of both kinds of events.
    public var count: PendingCount { PendingCount(unanswered: unanswered.count, unsent: unsent.count) }
}

/// The number of view events that the server hasn't answered, from `RemoteViewModel.pendingCounts`.
public struct PendingCount: Hashable, Sendable {
    /// The number of events that were sent and have no answer. The view model may have handled them, or not.
    public let unanswered: Int
    /// The number of events to be sent, or to be sent again. The view model hasn't handled them.
    public let unsent: Int

    init(unanswered: Int = 0, unsent: Int = 0) {
        self.unanswered = unanswered
        self.unsent = unsent
    }

    /// The sum of both.
    public var total: Int { unanswered + unsent }
}

/// The stage of a view event, as far as the client knows.
package enum ViewEventStage: Sendable {
    /// The event is to be sent, and nobody has handled it.
    case waits
    /// The event was sent, and may have been handled. It stays in this stage when the connection is lost, until the session
    /// tells which events it has taken.
    case sent
    /// The event is over: its sender is about to get the outcome.
    case over
}

/// The unanswered view events of one `RemoteViewModel`, including those that wait in a View's binding. Changed on the client's
/// loop alone, read on any thread.
final class PendingEventList<ViewEvent: Sendable>: Sendable {
    private struct State {
        /// The events by number, which is the order of sending.
        var events: [Int: (event: ViewEvent, isSent: Bool)] = [:]
        var sentCount = 0

        var count: PendingCount { PendingCount(unanswered: sentCount, unsent: events.count - sentCount) }
    }

    let counts = Output<PendingCount>()
    private let lastNumber = Atomic<Int>(0)
    private let state = Mutex(State())

    var events: PendingViewEvents<ViewEvent> {
        state.withLock { Self.events(in: $0) }
    }

    /// Returns a number for an event that is about to be sent.
    func nextNumber() -> Int {
        lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    }

    func note(_ stage: ViewEventStage, of event: ViewEvent, number: Int) {
        let count = state.withLock { state in
            let before = state.count
            if state.events.removeValue(forKey: number)?.isSent == true { state.sentCount -= 1 }
            switch stage {
            case .waits: state.events[number] = (event, false)
            case .sent:
                state.events[number] = (event, true)
                state.sentCount += 1
            case .over: break
            }
            return state.count == before ? nil : state.count
        }
        if let count { counts.send(count) }
    }

    /// Removes and returns all events, since their session has ended.
    func takeAll() -> PendingViewEvents<ViewEvent> {
        let events = state.withLock { state in
            defer { state = State() }
            return Self.events(in: state)
        }
        if events.count.total > 0 { counts.send(PendingCount()) }
        return events
    }

    private static func events(in state: State) -> PendingViewEvents<ViewEvent> {
        let inOrder = state.events.sorted { $0.key < $1.key }.map(\.value)
        return PendingViewEvents(
            unanswered: inOrder.filter(\.isSent).map(\.event), unsent: inOrder.filter { !$0.isSent }.map(\.event))
    }
}
