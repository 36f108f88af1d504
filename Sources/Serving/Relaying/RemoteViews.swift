import JSON
import JSONRPC
import Sessions
import Transport
import ViewModelProtocol

/// The views of a client whose sessions live on other servers with the same store.
///
/// Messages about them go to those servers, and what comes back goes to the client, unchanged and in order: the numbers of
/// all views of a client are given out here, and the other servers use them; the ids of requests are the client's own.
/// Confined to the connection's loop.
final class RemoteViews {
    private unowned let connection: Connection
    /// By the servers' identifiers.
    private var servers: [String: RemoteServer] = [:]
    private var views: [Int: View] = [:]

    private struct View {
        let server: RemoteServer
        /// The client knows it. Otherwise it may foresee its number.
        var isAnswered = false
    }

    init(of connection: Connection) {
        self.connection = connection
    }

    var count: Int { views.count }

    /// Relays a message that is about one of these views.
    ///
    /// - Parameter call: nil for a notification.
    /// - Returns: false where it is about none of them.
    func take(_ method: MethodName, _ params: JSONValue?, _ call: Call?) -> Bool {
        guard let object = (try? Params(params))?.object, let number = object.member("session")?.shortInteger,
            let server = views[number]?.server
        else { return false }
        let leaves = method == SessionDetach.name || method == SessionClose.name
        // Where the client is gone, its channels are closed behind it, and what they owe is lost.
        server.send("\(method)", Array(object.text), call) { [self, weak connection] outcome in
            guard let connection else { return }
            if leaves, case .result = outcome { didEnd(number) }
            connection.answer(call, outcome)
        }
        return true
    }

    /// The server's channel; nil where none is open.
    func server(_ id: String) -> RemoteServer? { servers[id] }

    /// A channel to a server is open.
    ///
    /// - Parameter stream: on the connection's loop.
    func add(_ id: String, _ stream: LinkStream) -> RemoteServer {
        // A snapshot may be as long as what the view model has.
        stream.messageBytes = .max
        let server = RemoteServer(stream, of: connection, self)
        servers[id] = server
        stream.handler = server
        stream.start()
        return server
    }

    /// A server is asked for a view.
    func willAttach(_ number: Int, _ server: RemoteServer) {
        views[number] = View(server: server)
        connection.core.relays.didRelay()
    }

    /// The server has attached a view.
    func didAttach(_ number: Int) {
        views[number]?.isAnswered = true
    }

    /// A view has ended, or was detached, or wasn't attached.
    func didEnd(_ number: Int) {
        if views.removeValue(forKey: number) != nil { connection.core.relays.didEndRelay() }
    }

    /// A channel is closed. What its views have missed the client gets when it comes back, as after any cut.
    func didLose(_ server: RemoteServer) {
        servers = servers.filter { $0.value !== server }
        if views.values.contains(where: { $0.server === server && $0.isAnswered }) { connection.loseSession() }
    }

    /// The client is gone.
    func close() {
        for number in views.keys { didEnd(number) }
        let open = servers.sorted { $0.key < $1.key }
        servers = [:]
        for (_, server) in open { server.close() }
    }

    /// The answers to a batch are sent.
    func didSendBatch() {
        for server in servers.values { server.sendHeld() }
    }

    /// The client has taken what it was sent.
    func clientDidRead() {
        for server in servers.values { server.resume() }
    }
}

/// What is asked of all servers that have views of the client.
extension RemoteViews {
    /// Answers with the client's views on all servers, in the order of their numbers.
    ///
    /// - Parameter own: those of this one.
    func list(_ own: SessionList.Result, _ reply: Reply<SessionList>) {
        var sessions = own.sessions
        ask(SessionList.name, reply.call) { outcome in
            guard case .result(let result) = outcome else { return }
            sessions += (try? SessionList.result(result))?.sessions ?? []
        } whenAll: { [connection] in
            sessions.sort { $0.session.rawValue < $1.session.rawValue }
            connection.answer(reply, .init(sessions: sessions))
        }
    }

    /// Shuts the client's connections to the other servers down, and answers when all have: with an error where one couldn't
    /// remove a session.
    func shutDown(_ reply: Reply<Shutdown>) {
        var failure: RPCError?
        ask(Shutdown.name, reply.call) { outcome in
            if case .error(let error) = outcome { failure = failure ?? error }
        } whenAll: { [connection] in
            if let failure { return connection.answer(reply, error: failure) }
            connection.answer(reply, Null())
        }
    }

    private func ask(
        _ method: StaticString, _ call: Call, each: @escaping (RemoteServer.Outcome) -> Void,
        whenAll: @escaping () -> Void
    ) {
        var missing = servers.count
        guard missing > 0 else { return whenAll() }
        for server in servers.values {
            server.send("\(method)", Array("{}".utf8), call) { outcome in
                each(outcome)
                missing -= 1
                if missing == 0 { whenAll() }
            }
        }
    }
}

extension Connection {
    /// Gives the client what another server has answered.
    ///
    /// - Parameter call: nil where it asked for no answer.
    func answer(_ call: Call?, _ outcome: RemoteServer.Outcome) {
        guard let call else { return }
        switch outcome {
        case .result(let result): answer(call) { $0.raw(result.text) }
        case .error(let error): answer(call, error: error)
        // Whether it was done the client learns when it comes back.
        case .lost: loseSession()
        }
    }
}

/// The numbers of views, which are the same on all servers.
extension ConnectionViews {
    /// A number for a view that another server has.
    func takeNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// A view with this number wasn't attached. A client that waits for its answers sees 1, 2, 3, …
    func giveBack(_ number: Int) {
        if lastNumber == number { lastNumber -= 1 }
    }

    /// The next view has the number that the server of its client has given it.
    func noteNumber(in params: JSONValue?) {
        guard let object = (try? Params(params))?.object,
            let number = object.member(Self.numberMember)?.shortInteger, number > table.attached.last?.number ?? 0
        else { return }
        lastNumber = number - 1
    }

    /// The member of the params of another server's client that has its view's number.
    static let numberMember: StaticString = "view"
}
