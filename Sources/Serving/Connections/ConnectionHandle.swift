import JSONRPC
import Sessions
import Transport

/// A connection as other threads know it: everything that they ask of it runs on its loop.
///
/// It keeps its connection until that is closed, and then lets it go, however long a session or a timer still has the
/// handle. Not by a weak reference, which would make every use of the connection slower.
final class ConnectionHandle: SessionViewer {
    private let loop: EventLoop
    private let place: LoopBound<Place>

    private final class Place {
        var connection: Connection?
    }

    init(loop: EventLoop) {
        self.loop = loop
        place = LoopBound(Place(), loop: loop)
    }

    /// Set once, and to nil when the connection is closed. On the loop only.
    var connection: Connection? {
        get { place.value.connection }
        set { place.value.connection = newValue }
    }

    /// Runs `body` with the connection, or `gone` without it: at once when called on its loop, else later and in order.
    func perform(
        _ body: @escaping @Sendable (Connection) -> Void, gone: @escaping @Sendable () -> Void = {}
    ) {
        if place.ifCurrent({ $0.connection.map(body) ?? gone() }) == nil {
            loop.execute { [place] in place.value.connection.map(body) ?? gone() }
        }
    }

    func viewHasEvents(_ view: Int) {
        if place.ifCurrent({ $0.connection?.viewHasEvents(view) ?? () }) == nil {
            perform { $0.viewHasEvents(view) }
        }
    }

    func sessionReports(_ message: String, for view: Int) {
        perform { $0.views.report(message, of: view) }
    }

    /// A view event was handled, nearly always on the loop, where this needs no closure.
    func didHandle(_ outcome: ViewEventJob.Outcome, of view: Int, _ call: Call?) {
        if place.ifCurrent({ $0.connection?.views.didHandle(outcome, of: view, call) ?? () }) == nil {
            perform { $0.views.didHandle(outcome, of: view, call) }
        }
    }
}
