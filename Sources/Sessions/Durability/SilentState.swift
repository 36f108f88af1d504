import JSON
import Synchronization
import ViewModels

/// Notices that a durable `NotifyingViewModel` has changed its state, and hasn't told its Views.
final class SilentState: Sendable {
    private let rules = Mutex(SilentTurns())
    private let output: any AnyOutput
    /// Returns whether the last state that Views were told differs from the present one. Called seldom, since it makes the
    /// texts of two events.
    private let differs: @Sendable () async -> Bool
    private let warn: @Sendable () -> Void

    /// Watches a view model. Nil for one of another kind, whose events needn't tell all of its state.
    init?<Event, ViewEvent>(
        _ model: AnyViewModel<Event, ViewEvent>, in session: Session,
        encode: @escaping @Sendable (Event) throws(JSONCodingError) -> [UInt8]
    ) {
        guard let events = model.stateEvents else { return nil }
        output = model.output
        differs = {
            guard let (told, now) = await events.lastAndNow() as? (Event, Event), let told = try? encode(told),
                let now = try? encode(now)
            else { return false }
            return told != now
        }
        let context = session.context
        let words = """
            \(session.viewModelName): its state has changed in two handlers, and its Views weren't told: call \
            changed.raise() behind each change
            """
        warn = { context.warn(words) }
    }

    /// Looks for a change that Views weren't told of. Called at the end of a turn in which something of the view model is
    /// saved.
    nonisolated(nonsending) func look() async {
        let sent = output.sentCount
        guard rules.withLock({ $0.isSuspect(sent: sent) }) else { return }
        let differs = await differs()
        if rules.withLock({ $0.isSilent(sent: sent, differs: differs) }) { warn() }
    }
}

/// Rules for when to look at a state, and when to warn that nobody was told of it. Pure.
///
/// One turn isn't enough: a task of the view model's own may have changed the state, and be about to tell Views.
struct SilentTurns {
    /// How many events there were at the end of the previous turn.
    private var sent: Int?
    /// Whether the state differed from what was told, at the end of that turn.
    private var isSilent = false
    private var isTold = false

    /// Whether no event came since the turn before.
    mutating func isSuspect(sent: Int) -> Bool {
        if isTold { return false }
        if self.sent == sent { return true }
        (self.sent, isSilent) = (sent, false)
        return false
    }

    /// Decides whether to warn, which happens once.
    ///
    /// - Parameter differs: whether the state differs from what was told.
    /// - Returns: whether it did so at the end of the previous turn, too, and no warning was given yet.
    mutating func isSilent(sent: Int, differs: Bool) -> Bool {
        guard !isTold, self.sent == sent else { return false }
        defer { isSilent = differs }
        isTold = isSilent && differs
        return isTold
    }
}
