import JSON
import JSONRPC
import Queues
import Sessions
import Transport
import ViewModelProtocol

/// The search for a session that another server has, for one request of a client of this server.
///
/// The request is relayed to that server. Where the server doesn't answer, or has given the session up, the store is asked
/// again. As soon as that server's lease has run out, the session is made here.
///
/// For the first `holdTime` no other message of the client is taken. The hold also ends once the request is relayed, as the
/// client's next message may name the view that the request asks for.
///
/// Confined to the connection's loop. Retained by what it waits for: a timer, a link, the store, or the other server.
final class RemoteSearch: PendingWork.Worker {
    /// A request by which a client comes to a session.
    struct Request {
        let call: Call
        let method: StaticString
        /// The params as the client sent them.
        let params: JSONText
        /// The store's query for the session; nil where the session can only be on the server that is asked first.
        let query: StoreQuery?
    }

    /// The pause before the store is asked again.
    private static let delay = Duration.milliseconds(50)
    /// The longest time for which no other message of the client is taken.
    private static let holdTime = Duration.milliseconds(200)

    /// Weak, as the connection retains the search: it is the work that a request waits for.
    private weak var connection: Connection?
    private let core: ServerCore
    private let loop: EventLoop
    private let request: Request
    /// Called with the session. The closure retains the connection, and is nil once the search is over.
    private var then: ((Session?) throws(RPCError) -> Void)?
    private var isOver = false
    /// The server that the request was relayed to and that hasn't answered yet.
    private var asked: RelayedServer?
    /// The error for the client, set once the search takes too long.
    private var lateness: RPCError?
    private var deadline: Task<Void, Never>?
    private var holdTimer: Task<Void, Never>?

    /// - Parameter then: called with the session once it is in memory here; nil where there is none.
    init(_ request: Request, for connection: Connection, then: @escaping (Session?) throws(RPCError) -> Void) {
        self.request = request
        self.then = then
        self.connection = connection
        (core, loop) = (connection.core, connection.loop)
    }

    /// The client that waits for the session; nil where the search is over or the client is gone.
    private var client: Connection? {
        guard !isOver, let connection, connection.life.takesMessages else { return nil }
        return connection
    }

    private var bound: LoopBound<RemoteSearch> { LoopBound(self, loop: loop) }

    /// Begins the search. Called once.
    ///
    /// - Parameter holder: the server that has the session.
    func begin(_ holder: SceneHolder) {
        guard let client else { return }
        client.peer.note(PendingWork(self, 0, outlivesConnection: false), for: request.call)
        let time = core.takeoverTime
        let isInProcess = client.origin == .process
        deadline = schedule(after: time) { search in
            let reason =
                isInProcess
                ? "the session is in \(holder.description), which didn't give it up within \(time)"
                : "the session is on another server, \(holder.description), which didn't answer within \(time)"
            search.lateness = .storeUnavailable(reason)
            search.endIfLate()
        }
        client.holdMessages()
        holdTimer = schedule(after: Self.holdTime) { $0.release() }
        ask(holder)
    }

    /// Ends the hold: the client's other messages are taken from now on.
    private func release() {
        guard let timer = holdTimer else { return }
        timer.cancel()
        holdTimer = nil
        // On a later turn: never from inside the message that began the search.
        guard let connection else { return }
        loop.execute { [handle = connection.handle] in handle.perform { $0.goOn() } }
    }

    func cancel(_ number: Int) {
        // The server that is asked has the last word.
        if let asked { return asked.cancel(request.call.id) }
        finish(RPCError(.requestCancelled, "cancelled"))
    }

    /// Gives up with the error of a late search, unless a server has still to answer.
    private func endIfLate() {
        if let lateness, asked == nil { finish(lateness) }
    }

    private func finish(_ error: RPCError) {
        end()?.answer(request.call, error: error)
    }

    /// Ends the search.
    ///
    /// - Returns: the client that waits; nil where the search was over already, or the client is gone.
    private func end() -> Connection? {
        let client = client
        isOver = true
        then = nil
        deadline?.cancel()
        release()
        return client
    }

    /// Asks the server that has the session, over a channel that is opened where there is none.
    private func ask(_ holder: SceneHolder) {
        guard let client else { return }
        if let server = client.remoteViews.server(holder.server) { return ask(server, for: client) }
        guard let links = core.links, let address = holder.address else { return tryAgain() }
        links.open(to: address, for: client.relayedClient(), on: loop) { [bound] stream in
            let search = bound.value
            guard let stream else { return search.tryAgain() }
            guard let client = search.client else { return stream.value.close() }
            // Another request may have opened a channel meanwhile.
            if let server = client.remoteViews.server(holder.server) {
                stream.value.close()
                return search.ask(server, for: client)
            }
            search.ask(client.remoteViews.add(holder.server, stream.value), for: client)
        }
    }

    private func ask(_ server: RelayedServer, for connection: Connection) {
        let number = connection.views.takeNumber()
        connection.remoteViews.willAttach(number, server)
        asked = server
        params(with: number).withUnsafeBytes { ask(server, for: number, $0) }
        // After the request is sent, as the next message may be for this view.
        release()
    }

    private func ask(_ server: RelayedServer, for number: Int, _ params: UnsafeRawBufferPointer) {
        server.send(request.method, params, request.call) { [self] outcome in
            asked = nil
            if case .result(let result) = outcome {
                end()?.remoteViews.didAttach(number, request.call, result)
                return
            }
            client?.remoteViews.didEnd(number)
            client?.views.giveBack(number)
            switch outcome {
            case .error(let error) where error.code != .notHere: end()?.answer(request.call, outcome)
            case .error, .lost, .result, .passes: tryAgain()
            }
        }
    }

    /// Returns the client's params with the number of its view added.
    private func params(with number: Int) -> [UInt8] {
        let members = request.params.bytes.dropFirst()
        return Array("{\"\(ConnectionViews.numberMember)\":\(number)".utf8) + (members == [0x7D] ? [] : [0x2C])
            + members
    }

    private func tryAgain() {
        endIfLate()
        guard !isOver else { return }
        release()
        _ = schedule(after: Self.delay) { $0.askStore() }
    }

    /// Runs `work` on the connection's loop after a time by the server's clock. Cancel the task to call it off.
    private func schedule(after time: Duration, _ work: @escaping @Sendable (RemoteSearch) -> Void) -> Task<Void, Never>
    {
        loop.schedule(after: time, by: core.clock) { [loop, bound] in loop.execute { work(bound.value) } }
    }

    private func askStore() {
        guard let client else { return }
        guard let query = request.query else { return finish(.storeUnavailable("the other server can't be reached")) }
        let loading = StoreLoading(query, connection: client) { [self] found in
            guard !isOver else { return }
            switch found {
            case .held(let holder): ask(holder)
            case .failed(let error): finish(error)
            case .session(let session):
                let then = then
                guard let client = end() else { return }
                do throws(RPCError) {
                    try then?(session)
                } catch {
                    client.answer(request.call, error: error)
                }
            }
        }
        loading.begin()
    }
}

extension ErrorCode {
    /// An error between servers only: the session isn't here any more, or is given up for the server that asks, which then
    /// asks the store again.
    static let notHere = ErrorCode(rawValue: -32090)
}

extension RPCError {
    static let notHere = RPCError(.notHere, "the session is not on this server")
}
