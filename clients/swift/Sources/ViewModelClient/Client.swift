package import JSON
import JSONRPC
import Synchronization
package import Transport
import ViewModelProtocol

/// A client of a view model server, for any thread.
///
/// It connects again when the connection is lost, and its views miss nothing. Requests made meanwhile wait; cancelling the
/// waiting task gives a request up. The client ends with `close()`, or when its last reference is released; each of its views
/// retains it.
package final class Client: Sendable {
    package let loop: EventLoop
    private let core: LoopBound<ClientCore>
    /// Whether the loop is this client's own, and ends with it.
    private let ownsLoop: Bool
    private let lastNumber = Atomic<Int>(0)
    /// The server's first description of itself. After a reconnect the server may describe itself differently.
    package let server: ServerDescription

    /// Connects to a server.
    ///
    /// - Parameter loop: a running loop; nil for a loop of the client's own.
    /// - Throws: `RemoteError` if the server can't be reached; `CancellationError`.
    package static func connect(
        to target: ClientTarget, _ options: ClientOptions = ClientOptions(), on loop: EventLoop? = nil
    ) async throws -> Client {
        let ownLoop = loop == nil ? try makeLoop() : nil
        guard let loop = loop ?? ownLoop else { throw RemoteError.closed }
        let core = LoopBound(ClientCore(target, options, on: loop), loop: loop)
        do {
            let server = try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    loop.execute { core.value.start { continuation.resume(with: $0) } }
                }
            } onCancel: {
                loop.execute { core.value.close() }
            }
            return Client(core, server, on: loop, ownsLoop: ownLoop != nil)
        } catch {
            if let ownLoop { loop.execute { core.value.onClose { ownLoop.stop() } } }
            throw Task.isCancelled ? CancellationError() : error
        }
    }

    private static func makeLoop() throws -> EventLoop {
        do {
            let loop = try EventLoop(name: "view-model-client")
            try loop.start()
            return loop
        } catch {
            throw RemoteError.unreachable("\(error)")
        }
    }

    private init(_ core: LoopBound<ClientCore>, _ server: ServerDescription, on loop: EventLoop, ownsLoop: Bool) {
        self.core = core
        self.server = server
        self.loop = loop
        self.ownsLoop = ownsLoop
    }

    deinit {
        loop.execute { [core, loop, ownsLoop] in
            core.value.onClose { if ownsLoop { loop.stop() } }
            core.value.close()
        }
    }

    /// Closes the connection and leaves the sessions. Returns when the connection is closed, and the program that was started,
    /// if any, has ended.
    ///
    /// - Parameter patience: how long to wait first for the answers to view events.
    package func close(waitingForAnswers patience: Duration = .zero) async {
        await withCheckedContinuation { continuation in
            loop.execute { [core] in
                core.value.onClose { continuation.resume() }
                core.value.close(waitingForAnswers: patience)
            }
        }
    }

    /// Returns when the server has answered a `ping`, and so has handled all that was sent before.
    package func ping() async throws {
        let _: Ping.Result = try await perform { core, ticket, reply in
            core.ask(ClientRequest(Ping.self, NoParams(), ticket: ticket, loss: .isSentAgain, reply: reply))
        }
    }

    /// Returns the contract of a view model: the answer to `viewModel/describe`, unchanged.
    package func describe(_ viewModel: String) async throws -> JSONText {
        try await perform { core, ticket, reply in
            let params = ViewModelDescribe.Params(viewModel: viewModel)
            core.ask(
                ClientRequest(ViewModelDescribe.self, params, ticket: ticket, loss: .isSentAgain, reply: reply))
        }
    }

    /// Opens a session with a view.
    ///
    /// - Parameter receive: called on the client's loop with all news of the view, in order; must not block.
    package func open(
        _ viewModel: String, arguments: JSONText? = nil, receive: @escaping @Sendable (ViewNews) -> Void
    ) async throws -> ClientView {
        let opened: ClientViews.Opened = try await perform { core, ticket, reply in
            core.views.open(viewModel, arguments: arguments, ticket: ticket, receive: receive, reply: reply)
        }
        return ClientView(opened, of: self)
    }

    /// Attaches a view to a session.
    ///
    /// - Parameters:
    ///   - since: the number of the last known event; nil to get a snapshot.
    ///   - receive: called as in `open`.
    package func attach(
        key: String, since: Int? = nil, receive: @escaping @Sendable (ViewNews) -> Void
    ) async throws -> ClientView {
        let opened: ClientViews.Opened = try await perform { core, ticket, reply in
            core.views.attach(key: key, since: since, ticket: ticket, receive: receive, reply: reply)
        }
        return ClientView(opened, of: self)
    }

    /// Runs `body` with the core on the loop, and waits for the reply. Cancelling the task cancels the ticket.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (ClientCore, Int, @escaping (Result<Value, any Error>) -> Void) -> Void
    ) async throws -> Value {
        let ticket = nextNumber()
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    loop.execute { [core] in body(core.value, ticket) { continuation.resume(with: $0) } }
                    // A cancellation that came earlier found nothing to cancel.
                    if Task.isCancelled { cancel(ticket) }
                }
            } onCancel: {
                cancel(ticket)
            }
        } catch let error as RemoteError where error.isRefusal(.requestCancelled) && Task.isCancelled {
            throw CancellationError()
        }
    }

    /// Runs `body` with the core on the loop, without waiting, so that requests keep the order of the calls. (Tasks that are
    /// started one after the other may run in another order.)
    ///
    /// - Parameter reply: called once, on the client's loop.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (ClientCore, Int, @escaping (Result<Value, any Error>) -> Void) -> Void,
        reply: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let ticket = nextNumber()
        loop.execute { [core] in body(core.value, ticket, reply) }
    }

    private func cancel(_ ticket: Int) {
        loop.execute { [core] in core.value.cancel(ticket) }
    }

    /// Returns a number that this client has never used before, for a request or a list. It is positive.
    func nextNumber() -> Int {
        lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Calls `body` on the loop with a view's record; with nil if the view has ended.
    func withRecord(_ id: Int, _ body: @escaping @Sendable (ViewRecord?, ClientCore) -> Void) {
        loop.execute { [core] in body(core.value.views.records[id], core.value) }
    }

    /// Detaches a view whose last reference was released.
    func leave(_ id: Int) {
        loop.execute { [core] in core.value.views.leave(id, endsSession: false) { _ in } }
    }

    /// Returns the sessions that the client's person may come back to, the most recently used first; none where the server is too
    /// old to tell.
    package func keptSessions() async throws -> [KeptSession] {
        let list: SessionList.Result = try await perform { core, ticket, reply in
            let params = SessionList.Params(kept: true)
            core.ask(ClientRequest(SessionList.self, params, ticket: ticket, loss: .isSentAgain, reply: reply))
        }
        return list.sessions.compactMap { KeptSession($0) }
    }

    /// Returns the number of views on a session, those of other clients included; nil if this client has no view on it.
    package func viewCount(ofKey key: String) async throws -> Int? {
        let list: SessionList.Result = try await perform { core, ticket, reply in
            core.ask(ClientRequest(SessionList.self, .init(), ticket: ticket, loss: .isSentAgain, reply: reply))
        }
        return list.sessions.first { $0.key.rawValue == key }?.views?.rawValue
    }
}
