import JSON
import JSONRPC
import Sessions
import Transport
import ViewModelProtocol

/// The views of a client whose sessions are elsewhere: on other servers with the same store, or, with `--isolate`, all of them
/// in the client's process.
///
/// Messages about them go there, and what comes back goes to the client, unchanged and in order: the ids of requests are the
/// client's own. The numbers of views that several servers have are given out here, and those of a process by the process.
/// Confined to the connection's loop.
final class RemoteViews {
    private unowned let connection: Connection
    /// By the servers' identifiers.
    private var servers: [String: RemoteServer] = [:]
    private var views: [Int: View] = [:]
    /// Where all sessions of the client are; nil where they are on several servers.
    private let process: ClientProcess?
    /// The highest number of a view that the process has told.
    private var lastView = 0
    private var attachments = BatchAttachments<Waiting>()
    private var isExiting = false
    /// Requests that clients send again, and come to a session by, and that aren't answered. `initialize` may be one, too.
    private var returning = 0

    /// An attachment that waits for another one of its batch.
    private struct Waiting {
        let message: Message
        let params: [UInt8]?
    }

    private struct View {
        let server: RemoteServer
        /// The client knows it. Otherwise it may foresee its number.
        var isAnswered = false
    }

    init(of connection: Connection, process: ClientProcess? = nil) {
        self.connection = connection
        self.process = process
    }

    var count: Int { views.count }

    /// Relays a message that is about one of these views, or any about sessions where none are here.
    ///
    /// - Parameter call: nil for a notification.
    /// - Returns: false where the message is to be taken here.
    /// - Throws: where there is no process for it.
    func take(_ method: Method, _ params: JSONValue?, _ call: Call?) throws(RPCError) -> Bool {
        let effect = method.message.viewEffect
        guard effect != .ofConnection else { return false }
        let object = try Params(params).object
        // One that attaches a view is about none that there is.
        let session = effect == .attaches ? nil : object?.member("session")
        let number = session?.shortInteger ?? session?.integer(as: Int.self)
        guard let server = try server(of: number, call) else { return false }
        let message = Message(
            method: method.name, effect: effect, number: number, call: call,
            comesBack: effect == .attaches
                && (method.message is SessionAttach.Type || object?.member("once") != nil))
        if case .attaches = effect, let batch = call?.batch {
            switch attachments.begin(Waiting(message: message, params: object.map { Array($0.text) }), in: batch) {
            case .goes: break
            case .hasNoRoom: throw .noRoomInBatch
            case .waits:
                connection.holdMessages()
                return true
            }
        }
        send(message, object?.text, to: server)
        return true
    }

    /// A message on its way to the server that has what it is about.
    private struct Message {
        let method: StaticString
        let effect: ViewEffect
        /// The number of the view that it is about.
        let number: Int?
        /// Nil for a notification.
        let call: Call?
        /// Its client sends it again where the connection is lost, and comes to the same session.
        let comesBack: Bool
    }

    private func send(_ message: Message, _ params: UnsafeRawBufferPointer?, to server: RemoteServer) {
        let passes = message.call?.batch == nil
        let returns = message.comesBack && message.call != nil
        if returns { returning += 1 }
        // Where the client is gone, its channels are closed behind it, and what they owe is lost.
        server.send(message.method, params, message.call, passes: passes) { [self, weak connection] outcome in
            if returns { returning -= 1 }
            guard let connection else { return }
            switch (message.effect, outcome, message.call) {
            case (.ends, .result, _): message.number.map(didEnd)
            case (.attaches, .result(let result), let call?):
                guard let number = result.member("session")?.shortInteger else { break }
                lastView = max(lastView, number)
                willAttach(number, server)
                didAttach(number, call, result)
                return sendNext(behind: call)
            case (.attaches, .passes(let number?), _):
                lastView = max(lastView, number)
                willAttach(number, server)
                views[number]?.isAnswered = true
            default: break
            }
            connection.answer(message.call, outcome)
            if case .attaches = message.effect, let call = message.call { sendNext(behind: call) }
        }
    }

    /// An attachment in a batch is answered: the next one has its turn, and the messages behind that.
    private func sendNext(behind call: Call) {
        guard let batch = call.batch, let next = attachments.end(in: batch), let waiting = next.message.call else {
            return
        }
        do throws(RPCError) {
            if attachments.full == batch { throw .noRoomInBatch }
            guard let server = try server(of: nil, waiting) else { return }
            if let params = next.params {
                params.withUnsafeBytes { send(next.message, $0, to: server) }
            } else {
                send(next.message, nil, to: server)
            }
        } catch {
            connection.answer(waiting, error: error)
        }
        // Never from inside the message that asks for it.
        connection.loop.execute { [handle = connection.handle] in handle.perform { $0.goOn() } }
    }

    private func server(of number: Int?, _ call: Call?) throws(RPCError) -> RemoteServer? {
        guard let process else { return number.flatMap { views[$0]?.server } }
        if let server = servers.values.first { return server }
        // No process is started for a notification.
        guard call != nil else { return nil }
        let stream = try process.connect(as: connection.relayedClient(lastView: lastView))
        return add(process.client, stream, partBytes: process.messageBytes)
    }

    /// Answers `initialize` once the process of the client has answered; with an error, behind which nothing is taken, where it
    /// is lost before that.
    ///
    /// - Throws: where there is no process for it.
    func start(_ reply: Reply<Initialize>, _ result: Initialize.Result) throws(RPCError) {
        let process = try server(of: nil, reply.call)
        returning += 1
        process?.send(Ping.name, nil, reply.call) { [self, weak connection] outcome in
            returning -= 1
            switch outcome {
            case .result: connection?.answer(reply, result)
            case .lost(nil): connection?.loseSession()
            case .error, .lost, .passes:
                connection?.closeAfterAnswer()
                connection?.answer(reply.call, outcome)
            }
        }
    }

    /// The server's channel; nil where none is open.
    func server(_ id: String) -> RemoteServer? { servers[id] }

    /// A channel to a server is open.
    ///
    /// - Parameters:
    ///   - stream: on the connection's loop.
    ///   - partBytes: see `RemoteServer`.
    func add(_ id: String, _ stream: LinkStream, partBytes: Int? = nil) -> RemoteServer {
        let server = RemoteServer(stream, partBytes: partBytes, of: connection, self)
        servers[id] = server
        return server
    }

    /// A server is asked for a view.
    func willAttach(_ number: Int, _ server: RemoteServer) {
        views[number] = View(server: server)
        connection.core.relays.didRelay()
    }

    /// The server has attached a view: the client is told, and only then of what it shows.
    func didAttach(_ number: Int, _ call: Call, _ result: JSONValue) {
        let server = views[number]?.server
        if connection.refusal(of: result, for: call) == nil {
            views[number]?.isAnswered = true
        } else {
            attachments.didFill(call.batch)
            didEnd(number)
            server?.detach(number)
        }
        connection.answer(call, .result(result))
        if let batch = call.batch, connection.peer.isCollecting(batch) { server?.hold(number, until: batch) }
    }

    /// A view has ended, or was detached, or wasn't attached.
    func didEnd(_ number: Int) {
        if views.removeValue(forKey: number) != nil { connection.core.relays.didEndRelay() }
    }

    /// Something came from a server that is no message.
    func refuse(_ server: RemoteServer) { process?.refuse() }

    /// Calls `body` on any thread once the process of the client has what was sent to it.
    func afterWriting(_ body: @escaping @Sendable () -> Void) {
        if let process { process.afterWriting(body) } else { body() }
    }

    /// The client is gone.
    func close() {
        for number in views.keys { didEnd(number) }
        let open = servers.sorted { $0.key < $1.key }
        servers = [:]
        for (_, server) in open { server.close(within: connection.core.limits.drainGrace) }
        process?.leave(hasHadViews: lastView > 0)
    }

    /// The client sends nothing more, and has all answers. What it has sent as notifications may not be done.
    ///
    /// - Returns: whether it is. Else the connection is asked again, once.
    func finish() -> Bool {
        for server in servers.values { server.finish() }
        return servers.isEmpty
    }

    /// The client exits.
    ///
    /// - Returns: whether its process is told, and `Connection.didExit` follows.
    func exit() -> Bool {
        guard process != nil, let server = servers.values.first else { return false }
        isExiting = true
        server.exit()
        return true
    }

    /// The answers to a batch are sent.
    func didSend(batch: Int) {
        for server in servers.values { server.didSend(batch: batch) }
    }

    /// The client has read. More is read for it where it has taken all that it was sent.
    func clientDidRead() {
        guard connection.writer.isReady else { return }
        for server in servers.values { server.resume() }
    }

    /// What servers haven't read counts like input of the client that isn't whole.
    func noteWaiting() {
        connection.noteWaiting(servers.values.reduce(0) { $0 + $1.waitingBytes })
    }
}

/// Where a server is lost.
extension RemoteViews {
    /// A channel is closed. What its views have missed the client gets when it comes back, as after any cut; but nobody can come
    /// back to what was in a process that has ended.
    func didLose(_ server: RemoteServer) {
        guard servers.contains(where: { $0.value === server }) else { return server.loseRequests(nil) }
        guard process == nil else { return didLoseProcess(server) }
        servers = servers.filter { $0.value !== server }
        if !server.hasFinished, views.values.contains(where: { $0.server === server && $0.isAnswered }) {
            connection.loseSession()
        }
        server.loseRequests(nil)
        connection.checkQuiet()
    }

    /// Nothing more is taken of the client until it is known why. Then it is told what the process can't tell it any more, and
    /// goes on with the next one; or it comes back, where sessions of it are stored.
    private func didLoseProcess(_ server: RemoteServer) {
        // In the middle of a message nothing can be told: the client comes back, as after any cut.
        if connection.writer.isPassing { return connection.cutOff() }
        if isExiting { return connection.didExit() }
        connection.holdMessages()
        process?.didLoseChannel(hasHadViews: lastView > 0) { [weak connection] reason, goesOn in
            guard let connection, let views = connection.remote else { return }
            // Who was coming back finds what is stored, also where the process hadn't got it yet.
            let returns = views.returning > 0 && views.process?.keepsSessions == true
            if !server.hasFinished, returns || (goesOn && !views.views.isEmpty) {
                views.leaveProcess(server)
            } else {
                views.settle(server, reason)
            }
            connection.goOn()
            connection.checkQuiet()
        }
    }

    /// Sessions of it go on in the next process: the client comes back to them, as after any cut.
    private func leaveProcess(_ server: RemoteServer) {
        servers = [:]
        server.loseRequests(nil)
        connection.loseSession()
    }

    private func settle(_ server: RemoteServer, _ reason: String) {
        servers = [:]
        server.loseRequests(
            RPCError(.viewModelFailed, "\(reason); what it had not answered may have been done in part"))
        // It has ended in order, behind all that the client has sent.
        guard !server.hasFinished else { return }
        for token in server.tokens { notify(Progress.self, .init(token: token, value: .end())) }
        guard !views.isEmpty else { return }
        let message = "\(reason); its sessions ended with it, and new ones can be opened"
        notify(LogMessage.self, .init(type: .error, message: message))
        for number in views.keys.sorted() {
            didEnd(number)
            notify(SessionClosed.self, .init(session: .init(number), reason: .failed))
        }
    }

    private func notify<N: ServerNotification>(_ type: N.Type, _ params: N.Params) {
        connection.peer.notify(type, params, for: connection)
    }
}

/// What is asked of all servers that have views of the client.
extension RemoteViews {
    /// Answers with the client's views on all servers, in the order of their numbers.
    ///
    /// - Parameter own: those of this one.
    func list(_ own: SessionList.Result, _ reply: Reply<SessionList>) {
        var sessions = own.sessions
        ask(SessionList.name, reply.call) { result in
            sessions += (try? SessionList.result(result))?.sessions ?? []
        } whenAll: { [connection] in
            sessions.sort { $0.session.rawValue < $1.session.rawValue }
            connection.answer(reply, .init(sessions: sessions))
        }
    }

    /// Shuts the client's connections to the other servers down, and answers when all have: with an error where one couldn't
    /// remove a session.
    func shutDown(_ reply: Reply<Shutdown>) {
        ask(Shutdown.name, reply.call) { _ in
        } whenAll: { [self] in
            for number in views.keys { didEnd(number) }
            connection.answer(reply, Null())
        }
    }

    /// - Parameter whenAll: called once all have answered, unless one has refused. Its error is the answer then.
    private func ask(
        _ method: StaticString, _ call: Call, each: @escaping (JSONValue) -> Void, whenAll: @escaping () -> Void
    ) {
        var missing = servers.count
        guard missing > 0 else { return whenAll() }
        var failure: RemoteServer.Outcome?
        for server in servers.values {
            server.send(method, nil, call) { [connection] outcome in
                switch outcome {
                case .result(let result): each(result)
                case .passes: break
                case .error, .lost(.some): failure = failure ?? outcome
                case .lost(nil): break
                }
                missing -= 1
                guard missing == 0 else { return }
                if let failure { connection.answer(call, failure) } else { whenAll() }
            }
        }
    }
}

extension Connection {
    /// Gives the client what another server has answered. Errors were counted there.
    ///
    /// - Parameter call: nil where it asked for no answer.
    func answer(_ call: Call?, _ outcome: RemoteServer.Outcome) {
        guard let call else { return }
        switch outcome {
        case .result(let result):
            if let error = refusal(of: result, for: call) { return answer(call, error: error) }
            guard result.text.count > RemoteServer.longBytes else { return answer(call) { $0.raw(result.text) } }
            var text = LongMessage()
            text.append(result.text)
            answer(call, longResult: text)
        case .passes: didPassAnswer(to: call)
        case .error(let error): answer(call, error: error, isCounted: true)
        case .lost(let error?): answer(call, error: error)
        case .lost(nil): loseSession()
        }
    }

    /// The error in the place of an answer that has no room in its batch, of which the other server knows nothing. All but the
    /// first have a quarter of a message together: this server holds them for one client alone.
    func refusal(of result: JSONValue, for call: Call) -> RPCError? {
        guard let batch = call.batch, case let room = peer.room(in: batch), room < .max else { return nil }
        return result.text.count > room - core.limits.messageBytes / 4 * 3 ? .noRoomInBatch : nil
    }
}
