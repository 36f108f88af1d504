import JSONRPC
import Sessions
import Transport

/// A connection as other threads know it: everything that they ask of it runs on its loop.
///
/// It keeps its connection until that is closed, and then lets it go, however long a session or a timer still has the
/// handle. Not by a weak reference, which would make every use of the connection slower.
final class ConnectionHandle: SessionViewer {
    private let loop: EventLoop
    // Only the loop's thread uses it: each access is in `init`, between `enter` and `leave`, or in work on the loop.
    nonisolated(unsafe) private var current: Connection?

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// Set once, and to nil when the connection is closed. On the loop only.
    var connection: Connection? {
        get {
            loop.preconditionIsCurrent()
            return current
        }
        set {
            loop.preconditionIsCurrent()
            current = newValue
        }
    }

    /// Runs `body` with the connection, or `gone` without it: at once when called on its loop, else later and in order.
    func perform(
        _ body: @escaping @Sendable (Connection) -> Void, gone: @escaping @Sendable () -> Void = {}
    ) {
        let entry = loop.enter()
        if case .none = entry {
            return loop.execute { [self] in connection.map(body) ?? gone() }
        }
        current.map(body) ?? gone()
        loop.leave(entry)
    }

    func viewHasEvents(_ view: Int) {
        let entry = loop.enter()
        if case .none = entry { return perform { $0.viewHasEvents(view) } }
        current?.viewHasEvents(view)
        loop.leave(entry)
    }

    func sessionReports(_ message: String, for view: Int) {
        perform { $0.views.report(message, of: view) }
    }

    func sessionIsLost(_ view: Int) {
        perform { $0.loseSession() }
    }

    /// Takes the outcome of a view event. Without progress, as nearly always, it holds no more than it needs.
    func completion(
        of view: Int, _ call: Call?, _ asked: ProgressTable.Asked?
    ) -> @Sendable (ViewEventJob.Outcome) -> Void {
        guard let asked else { return { [self] in didHandle($0, of: view, call, nil) } }
        return { [self] in didHandle($0, of: view, call, asked) }
    }

    /// A view event was handled, nearly always on the loop, where this needs no closure.
    private func didHandle(_ outcome: ViewEventJob.Outcome, of view: Int, _ call: Call?, _ asked: ProgressTable.Asked?)
    {
        let entry = loop.enter()
        if case .none = entry { return perform { $0.views.didHandle(outcome, of: view, call, asked) } }
        current?.views.didHandle(outcome, of: view, call, asked)
        loop.leave(entry)
    }
}
