import Sessions
import Transport

/// A connection as other threads know it: whatever they want of it runs on its loop.
final class ConnectionHandle: SessionViewer {
    private let loop: EventLoop
    private let connection: LoopBound<WeakConnection>

    /// - Parameter connection: confined to `loop`.
    init(_ connection: Connection, loop: EventLoop) {
        self.loop = loop
        self.connection = LoopBound(WeakConnection(connection), loop: loop)
    }

    /// Runs `body` with the connection, or `gone` without it: at once when called on its loop, else later and in order.
    func perform(
        _ body: @escaping @Sendable (Connection) -> Void, gone: @escaping @Sendable () -> Void = {}
    ) {
        if loop.isCurrent {
            connection.value.value.map(body) ?? gone()
        } else {
            loop.execute { [connection] in connection.value.value.map(body) ?? gone() }
        }
    }

    func sessionHasNews(for view: Int) {
        perform { $0.viewHasNews(view) }
    }

    func sessionReports(_ message: String, for view: Int) {
        perform { $0.report(message, of: view) }
    }
}

/// Lets a connection end although a session or a timer still knows its handle.
private final class WeakConnection {
    weak var value: Connection?

    init(_ value: Connection) {
        self.value = value
    }
}
