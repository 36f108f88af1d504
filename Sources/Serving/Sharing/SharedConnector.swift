import JSON
import JSONRPC
import Sessions
import Synchronization
import Transport
import ViewModelProtocol
import ViewModels

/// Connects the sessions of a server with shared ones, of this server or of others with the same store.
final class SharedConnector: SharedSessions {
    private struct Reference { weak var core: ServerCore? }

    private let reference = Mutex(Reference())
    private let makeName: @Sendable () -> String

    /// - Parameter makeName: makes the names of sessions as clients of shared ones.
    init(makeName: @escaping @Sendable () -> String) {
        self.makeName = makeName
    }

    /// Notes the server. Called once, before there are sessions.
    func begin(_ core: ServerCore) {
        reference.withLock { $0.core = core }
    }

    func freshName() -> String { makeName() }

    func connect(_ view: SharedView, of session: Session) -> any SharedConnection {
        guard let core = reference.withLock({ $0.core }), let loop = session.loop else {
            _ = view.didFail(SessionError.ended)
            return NoConnection()
        }
        let client = RelayedClient(session: session, of: view.viewModel, waiting: view.waiting)
        let shared = LoopBound(SharedClient(view, of: client, core: core, on: loop), loop: loop)
        loop.execute { shared.value.start() }
        return LoopConnection(shared, on: loop)
    }
}

/// A `SharedClient` for any thread.
private final class LoopConnection: SharedConnection {
    private let client: LoopBound<SharedClient>
    private let loop: EventLoop

    init(_ client: LoopBound<SharedClient>, on loop: EventLoop) {
        (self.client, self.loop) = (client, loop)
    }

    func send(_ events: [SharedSent]) {
        loop.execute { [client] in client.value.send(events) }
    }

    func read(_ request: RowsRequest, then: @escaping @Sendable (Result<JSONText, any Error>) -> Void) {
        loop.execute { [client] in client.value.read(request, then: then) }
    }

    func makeSnapshot(then: @escaping @Sendable (Result<JSONText, any Error>) -> Void) {
        loop.execute { [client] in client.value.makeSnapshot(then: then) }
    }

    func resume() {
        loop.execute { [client] in client.value.resume() }
    }

    func viewersDidChange() {
        loop.execute { [client] in client.value.tellViewers() }
    }

    func close() {
        loop.execute { [client] in client.value.close() }
    }

    func close(finishing session: Session) {
        loop.execute { [client] in client.value.close(finishing: session) }
    }
}

extension Session {
    fileprivate var loop: EventLoop? { executor as? EventLoop }

    /// The longest chain of sessions that wait for each other to be opened.
    private static var longestChain: Int { 16 }

    /// Checks that this session, which is to be opened, isn't among those that wait for that.
    ///
    /// - Throws: `ViewModelFailed`, with the names of the circle.
    func checkCircle(_ waiting: [WaitingSession]) throws(RPCError) {
        if isBeingOpened, let first = waiting.firstIndex(where: { $0.key == key }) {
            let names = waiting[first...].map(\.viewModel) + [viewModelName]
            throw RPCError(
                .viewModelFailed, "the view models wait for each other: \(names.joined(separator: " needs "))")
        }
        guard waiting.count <= Self.longestChain else {
            let names = waiting.prefix(5).map(\.viewModel).joined(separator: " needs ")
            throw RPCError(.viewModelFailed, "view models need each other \(waiting.count) deep: \(names), and so on")
        }
    }
}
