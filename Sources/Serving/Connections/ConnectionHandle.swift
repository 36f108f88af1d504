import JSONRPC
import Sessions
import Transport

/// A connection as other threads use it: everything that they ask of the connection runs on its loop.
///
/// The handle retains its connection until the connection is closed, and then releases it, even where a session or a timer
/// still has the handle. A weak reference would make every use of the connection slower.
final class ConnectionHandle: SessionViewer {
    private let loop: EventLoop
    // Only the loop's thread uses it: each access is in `init`, between `enter` and `leave`, or in work on the loop.
    nonisolated(unsafe) private var current: Connection?

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// The connection; set once, and to nil when it is closed. Used on the loop only.
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

    /// Runs `body` with the connection, or `gone` where it is closed: at once when called on its loop, otherwise later and in
    /// order.
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

    func viewsDidChange(for view: Int) {
        perform { $0.views.viewsDidChange(for: view) }
    }

    func sessionIsLost(_ view: Int) {
        perform { $0.loseSession(of: view) }
    }

    /// Returns the closure that takes the outcome of a view event. Without progress, as nearly always, the closure captures
    /// no more than it needs.
    func completion(
        of view: Int, _ call: Call?, _ asked: ProgressTable.Asked?
    ) -> @Sendable (ViewEventJob.Outcome) -> Void {
        guard let asked else { return { [self] in didHandle($0, of: view, call, nil) } }
        return { [self] in didHandle($0, of: view, call, asked) }
    }

    /// Takes the outcome of a view event. On the loop, as nearly always, this needs no closure.
    private func didHandle(_ outcome: ViewEventJob.Outcome, of view: Int, _ call: Call?, _ asked: ProgressTable.Asked?)
    {
        let entry = loop.enter()
        if case .none = entry { return perform { $0.views.didHandle(outcome, of: view, call, asked) } }
        current?.views.didHandle(outcome, of: view, call, asked)
        loop.leave(entry)
    }
}
