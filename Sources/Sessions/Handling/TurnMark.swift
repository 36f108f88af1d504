import Synchronization
import ViewModels

/// Names a session to what its handlers do, wherever that has an effect: tasks that they start know it, too. It doesn't keep
/// the session, as such a task may go on for long.
final class TurnMark: Sendable {
    private struct Reference { weak var session: Session? }

    private let reference = Mutex(Reference())

    var session: Session? { reference.withLock { $0.session } }

    /// Called once, when the session is made.
    func name(_ session: Session) {
        reference.withLock { $0.session = session }
    }
}

/// What others do when they hear of what a handler raises is an effect of that handler.
extension TurnMark: EventTurnHost {
    func deliver(_ body: () -> Void) {
        HandlerRunner.$current.withValue(self, operation: body)
    }

    func deliver(_ body: @Sendable () async -> Void) async {
        await HandlerRunner.$current.withValue(self, operation: body)
    }
}
