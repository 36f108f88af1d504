/// A view event that says how it is handled beside the others of its session.
///
/// ```swift
/// enum ViewEvent: Codable, ScheduledEvent {
///     case query(String)
///     case select(index: Int)
///     case accept
///
///     var schedule: EventSchedule {
///         switch self {
///         case .query: .superseding(debounce: .milliseconds(50))
///         case .select: .independent
///         case .accept: .inOrder
///         }
///     }
/// }
/// ```
///
/// With each key that is pressed, `query` cancels the search for the text before it. `select` is handled while a search
/// runs. `accept` waits for the newest search, which then begins at once.
///
/// Sessions do this, and the contract says it. So does a `View` that is bound in Swift, with a view model of its own process or
/// of a server: the handler of an event that is superseded is cancelled, and the View is told of it as of a failure, with
/// `CancellationError`.
public protocol ScheduledEvent: Sendable {
    /// How this event is handled. The same for all events of one case, since the contract knows only those.
    ///
    /// Called once for each event, on any thread.
    var schedule: EventSchedule { get }
}

/// When an event is handled, and which others it replaces. `ScheduledEvent` has an example.
public struct EventSchedule: Sendable, Hashable {
    /// Whether it takes the place of events of its case: those that wait are never handled, and the task of the one
    /// that is being handled is cancelled. Each of them is answered `RequestCancelled`, with `superseded` in its
    /// `data`.
    ///
    /// It does so when it comes, whichever view of the session sent the others.
    public let supersedes: Bool
    /// How long no event of its case may follow before it is handled. Zero unless it supersedes.
    ///
    /// An event that has to wait for it ends that time, so that nothing is ever held up by it.
    public let debounce: Duration
    /// Whether it waits for the events of other cases that came before it, and those that come after it wait for it.
    ///
    /// Otherwise it waits for events of its own case only. A handler may then run while another one awaits: an actor's
    /// handlers never run at the same time, those of other classes may.
    public let waits: Bool

    private init(supersedes: Bool, debounce: Duration, waits: Bool) {
        self.supersedes = supersedes
        self.debounce = min(max(debounce, .zero), .seconds(3_600))
        self.waits = waits
    }

    /// The same, but it waits for all events before it.
    package var inTurn: EventSchedule { EventSchedule(supersedes: supersedes, debounce: debounce, waits: true) }

    /// After all events that came before it, as every event that isn't a `ScheduledEvent`.
    public static let inOrder = EventSchedule(supersedes: false, debounce: .zero, waits: true)

    /// Beside the events of other cases.
    public static let independent = EventSchedule(supersedes: false, debounce: .zero, waits: false)

    /// In place of the events of its case that came before it.
    ///
    /// - Parameters:
    ///   - debounce: how long none may follow before it is handled, by the server's clock. An hour at most.
    ///   - waits: whether it waits for the events of other cases, and they for it.
    public static func superseding(debounce: Duration = .zero, waits: Bool = true) -> EventSchedule {
        EventSchedule(supersedes: true, debounce: debounce, waits: waits)
    }
}

/// The name of an enum's case, as it is on the wire; of another value its type's.
package func caseName(of event: some Any) -> String {
    let mirror = Mirror(reflecting: event)
    if mirror.displayStyle == .enum { return mirror.children.first?.label ?? "\(event)" }
    return "\(type(of: event))"
}
