package import JSON
import JSONRPC
import Synchronization
package import Transport

/// A client of a server of view models: what can be asked of it, from any thread.
///
/// It connects again when the connection is lost, and its views miss nothing. What is asked meanwhile waits; cancelling the
/// task that asks gives it up. It ends with `close()`, or with its last reference; its views have one each.
package final class Client: Sendable {
    package let loop: EventLoop
    private let core: LoopBound<ClientCore>
    /// The loop is this client's own, and ends with it.
    private let ownsLoop: Bool
    private let lastTicket = Atomic<Int>(0)
    /// What the server says of itself. After a reconnect it may say something else.
    package let server: ServerDescription

    /// Reaches the server.
    ///
    /// - Parameter loop: one that runs; nil for one of the client's own.
    /// - Throws: `RemoteError`: why the server can't be reached.
    package static func connect(
        to target: ClientTarget, _ options: ClientOptions = ClientOptions(), on loop: EventLoop? = nil
    ) async throws -> Client {
        let ownLoop = loop == nil ? try makeLoop() : nil
        guard let loop = loop ?? ownLoop else { throw RemoteError.closed }
        let core = LoopBound(ClientCore(target, options, on: loop), loop: loop)
        do {
            let server = try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    loop.execute { core.value.begin { continuation.resume(with: $0) } }
                    if Task.isCancelled { loop.execute { core.value.close() } }
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
            loop.start()
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

    /// Ends the connection and, with it, the sessions that were opened on it and that nobody else holds. Returns when the
    /// connection is closed, and a program that was started has ended.
    package func close() async {
        await withCheckedContinuation { continuation in
            loop.execute { [core] in
                core.value.onClose { continuation.resume() }
                core.value.close()
            }
        }
    }

    /// Asks anything.
    ///
    /// - Parameters:
    ///   - isRepeatable: it may be asked again when the connection was lost before the answer came; otherwise it fails then.
    ///   - params: writes the members of the params.
    package func request(
        _ method: StaticString, isRepeatable: Bool = false,
        params: @escaping @Sendable (inout JSONWriter) -> Void = { _ in }
    ) async throws -> JSONText {
        try await perform { core, ticket, reply in
            core.ask(
                ClientCore.Call(method, ticket: ticket, isRepeatable: isRepeatable, params: params) { result in
                    reply(result.map { JSONText($0) })
                })
        }
    }

    /// What a view model takes and tells: the answer to `viewModel/describe`.
    package func describe(_ viewModel: String) async throws -> JSONText {
        try await request(MethodNames.viewModelDescribe, isRepeatable: true) { params in
            params.key("viewModel")
            params.string(viewModel)
        }
    }

    /// Makes a session with a view.
    ///
    /// - Parameter receive: called on the client's loop with all that the view is told, in order; must not block.
    package func open(
        _ viewModel: String, arguments: JSONText? = nil, receive: @escaping @Sendable (ViewNews) -> Void
    ) async throws -> ClientView {
        let opened: ClientCore.Opened = try await perform { core, ticket, reply in
            core.open(viewModel, arguments: arguments, ticket: ticket, receive: receive, reply: reply)
        }
        return ClientView(opened, of: self, endsSession: true)
    }

    /// Adds a view to a session.
    ///
    /// - Parameters:
    ///   - since: the number of the last event that is known; nil for a snapshot.
    ///   - receive: as for `open`.
    package func attach(
        key: String, since: Int? = nil, receive: @escaping @Sendable (ViewNews) -> Void
    ) async throws -> ClientView {
        let opened: ClientCore.Opened = try await perform { core, ticket, reply in
            core.attach(key: key, since: since, ticket: ticket, receive: receive, reply: reply)
        }
        return ClientView(opened, of: self, endsSession: false)
    }

    /// Loses the connection, for tests of what comes then.
    package func cutForTests() {
        loop.execute { [core] in core.value.lose("cut") }
    }

    /// Sends the server that was started a signal, for tests of what comes then.
    package func signalForTests(_ number: Int32) {
        loop.execute { [core] in core.value.program?.signal(number) }
    }

    /// Asks the core for something that can be cancelled.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (ClientCore, Int, @escaping (Result<Value, any Error>) -> Void) -> Void
    ) async throws -> Value {
        let ticket = lastTicket.wrappingAdd(1, ordering: .relaxed).newValue
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    loop.execute { [core] in body(core.value, ticket) { continuation.resume(with: $0) } }
                    // A cancellation that came before would have found nothing to cancel.
                    if Task.isCancelled { cancel(ticket) }
                }
            } onCancel: {
                cancel(ticket)
            }
        } catch let error as RemoteError where error.isRefusal(.requestCancelled) && Task.isCancelled {
            throw CancellationError()
        }
    }

    private func cancel(_ ticket: Int) {
        loop.execute { [core] in core.value.cancel(ticket) }
    }

    /// For views that are let go.
    func leave(_ id: Int, endsSession: Bool) {
        loop.execute { [core] in core.value.leave(id, endsSession: endsSession) { _ in } }
    }
}
