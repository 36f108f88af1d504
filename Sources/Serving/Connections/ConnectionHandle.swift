import JSONRPC
import Sessions
import Transport

/// A connection as other threads know it: whatever they want of it runs on its loop.
///
/// It keeps its connection until that is closed, and then lets it go, however long a session or a timer still knows the
/// handle. Not by a weak reference, which would make each use of the connection, anywhere, cost four times as much.
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

    /// Set once, and to nil when it is closed. On the loop only.
    var connection: Connection? {
        get { place.value.connection }
        set { place.value.connection = newValue }
    }

    /// Runs `body` with the connection, or `gone` without it: at once when called on its loop, else later and in order.
    func perform(
        _ body: @escaping @Sendable (Connection) -> Void, gone: @escaping @Sendable () -> Void = {}
    ) {
        if let place = place.valueIfCurrent {
            place.connection.map(body) ?? gone()
        } else {
            loop.execute { [place] in place.value.connection.map(body) ?? gone() }
        }
    }

    func sessionHasNews(for view: Int) {
        if let place = place.valueIfCurrent {
            place.connection?.viewHasNews(view)
        } else {
            perform { $0.viewHasNews(view) }
        }
    }

    func sessionReports(_ message: String, for view: Int) {
        perform { $0.report(message, of: view) }
    }

    /// A view event came out. On the loop, where nearly all do, without the closure that takes it there.
    func didHandle(_ outcome: ViewEventJob.Outcome, of view: Int, _ call: Call?) {
        if let place = place.valueIfCurrent {
            place.connection?.didHandle(outcome, of: view, call)
        } else {
            perform { $0.didHandle(outcome, of: view, call) }
        }
    }
}
