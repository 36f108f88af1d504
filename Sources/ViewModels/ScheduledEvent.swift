/// A view event that says when it is handled, and which other events it replaces.
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
/// Sessions keep to the schedule, and it is part of the contract. A `View` that is bound in Swift keeps to it too, with
/// a view model in its own process or on a server. There the handler of a superseded event is cancelled, and the View's
/// `handle(failure:of:)` is called with `CancellationError`.
public protocol ScheduledEvent: Sendable {
    /// How this event is handled. It must be the same for all events of one case, since the contract names cases only.
    ///
    /// Called once for each event, on any thread, before the event is queued. While it blocks, the events of its session that
    /// came after it wait, and no others.
    var schedule: EventSchedule { get }
}

/// When an event is handled, and which others it replaces. `ScheduledEvent` has an example.
public struct EventSchedule: Sendable, Hashable {
    /// Whether the event takes the place of earlier events of its case.
    ///
    /// When it comes, those that wait are never handled, and the task of the one that is being handled is cancelled,
    /// whichever view of the session sent them. Each of them is answered `RequestCancelled`, with `superseded` in its
    /// `data`.
    public let supersedes: Bool
    /// The time for which no event of its case may follow before the event is handled. Zero unless the event supersedes.
    ///
    /// Another event that would have to wait behind this one ends that time, so that nothing is held up.
    public let debounce: Duration
    /// Whether the event waits for the events of other cases that came before it, and later ones wait for it.
    ///
    /// Otherwise it waits for events of its own case only. Its handler may then run while another one awaits. Handlers
    /// of an actor never run at the same time; those of other classes may.
    public let waits: Bool

    private init(supersedes: Bool, debounce: Duration, waits: Bool) {
        self.supersedes = supersedes
        self.debounce = min(max(debounce, .zero), .seconds(3_600))
        self.waits = waits
    }

    /// This schedule, for an event that waits for all events before it.
    package var inTurn: EventSchedule { EventSchedule(supersedes: supersedes, debounce: debounce, waits: true) }

    /// The schedule of an event that is handled after all events that came before it. Every event that isn't a `ScheduledEvent`
    /// has this schedule.
    public static let inOrder = EventSchedule(supersedes: false, debounce: .zero, waits: true)

    /// The schedule of an event that doesn't wait for the events of other cases, nor they for it.
    public static let independent = EventSchedule(supersedes: false, debounce: .zero, waits: false)

    /// Makes the schedule of an event that takes the place of earlier events of its case that aren't done.
    ///
    /// - Parameters:
    ///   - debounce: for how long none of its case may follow before it is handled, by the server's clock. More than an
    ///     hour counts as an hour, and less than zero as zero.
    ///   - waits: whether it waits for the events of other cases, and they for it.
    public static func superseding(debounce: Duration = .zero, waits: Bool = true) -> EventSchedule {
        EventSchedule(supersedes: true, debounce: debounce, waits: waits)
    }
}

/// Returns the name of an enum's case, as it is on the wire; for any other value, the name of its type.
package func caseName(of event: some Any) -> String {
    let mirror = Mirror(reflecting: event)
    if mirror.displayStyle == .enum { return mirror.children.first?.label ?? "\(event)" }
    return "\(type(of: event))"
}
