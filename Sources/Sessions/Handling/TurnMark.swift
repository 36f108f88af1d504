import Synchronization
import ViewModels

/// The session of a handler, as a task-local value: tasks that the handler starts have it, too. It tells which session is
/// behind an effect. It doesn't keep the session, as such a task may go on for long.
final class TurnMark: Sendable {
    private struct Reference { weak var session: Session? }

    private let reference = Mutex(Reference())

    var session: Session? { reference.withLock { $0.session } }

    /// Sets the session. Called once, when it is made.
    func name(_ session: Session) {
        reference.withLock { $0.session = session }
    }
}

/// What others do in answer to an event that a handler raises is an effect of that handler.
extension TurnMark: EventTurnHost {
    func deliver(_ body: () -> Void) {
        HandlerRunner.$current.withValue(self, operation: body)
    }

    func deliver(_ body: @Sendable () async -> Void) async {
        await HandlerRunner.$current.withValue(self, operation: body)
    }
}
