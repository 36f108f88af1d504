import JSON
import JSONRPC
import Sessions
import Transport
import ViewModelProtocol

/// The views of a client whose sessions are elsewhere: on other servers with the same store, or, with `--isolate`, all of
/// them in the client's process.
///
/// Messages about them are sent there, and what comes back goes to the client unchanged and in order: requests keep the
/// client's ids. This server numbers the views of several servers; a process numbers its own. Confined to the connection's
/// loop.
final class RemoteViews {
    private unowned let connection: Connection
    /// The channels by the servers' identifiers.
    private var servers: [String: RelayedServer] = [:]
    private var views: [Int: View] = [:]
    /// The process that has all sessions of the client; nil where they are on several servers.
    private let process: ClientProcess?
    /// The highest view number that the process has given to the client.
    private var lastView = 0
    private var attachments = BatchAttachments<Waiting>()
    private var isExiting = false
    /// The number of unanswered requests that the client would send again after a loss to come to the same session.
    /// `initialize` may be one.
    private var returning = 0

    /// An attachment that waits for the answer to an earlier one of its batch.
    private struct Waiting {
        let message: Message
        let params: [UInt8]?
    }

    private struct View {
        let server: RelayedServer
        /// Whether the client was told of the view. Before that it may only guess the number.
        var isAnswered = false
    }

    init(of connection: Connection, process: ClientProcess? = nil) {
        self.connection = connection
        self.process = process
    }

    var count: Int { views.count }

    /// Relays a message about one of these views; with a process for the client, every message about sessions.
    ///
    /// - Parameter call: nil for a notification.
    /// - Returns: false where this server handles the message itself.
    /// - Throws: where the client can have no process.
    func take(_ method: Method, _ params: JSONValue?, _ call: Call?) throws(RPCError) -> Bool {
        let object = try Params(params).object
        // The process alone knows which sessions are in its memory.
        let isList = process != nil && method.message is SessionList.Type
        let effect = isList && object?.member("kept")?.boolean() == true ? .none : method.message.viewEffect
        guard effect != .ofConnection else { return false }
        // A message that attaches a view is about no view that exists.
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

    /// A message on its way to the server that has its session.
    private struct Message {
        let method: StaticString
        let effect: ViewEffect
        /// The number of the view that the message is about.
        let number: Int?
        /// The call of a request; nil for a notification.
        let call: Call?
        /// Whether the client would send the message again after a loss, and come to the same session.
        let comesBack: Bool
    }

    private func send(_ message: Message, _ params: UnsafeRawBufferPointer?, to server: RelayedServer) {
        let passes = message.call?.batch == nil
        let returns = message.comesBack && message.call != nil
        if returns { returning += 1 }
        // Where the client is gone, its channels are closed after it, and the requests sent on them are lost.
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

    /// Sends the batch's next attachment, as one has been answered; the messages behind it follow.
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
        // On a later turn: never from inside the message that led here.
        connection.loop.execute { [handle = connection.handle] in handle.perform { $0.goOn() } }
    }

    private func server(of number: Int?, _ call: Call?) throws(RPCError) -> RelayedServer? {
        guard let process else { return number.flatMap { views[$0]?.server } }
        if let server = servers.values.first { return server }
        // No process is started for a notification.
        guard call != nil else { return nil }
        let stream = try process.connect(as: connection.relayedClient(lastView: lastView))
        return add(process.client, stream, partBytes: process.messageBytes)
    }

    /// Sends on what a session says of itself as a client.
    ///
    /// - Returns: false where the view is on this server.
    func pass(_ method: StaticString, _ params: JSONValue, of number: Int) -> Bool {
        guard let server = views[number]?.server else { return false }
        server.send(method, params.text, nil) { _ in }
        return true
    }

    /// Answers `initialize` once the client's process has answered. Where the process is lost before that, answers with an
    /// error and closes the connection.
    ///
    /// - Throws: where the client can have no process.
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

    /// Returns the open channel to a server; nil where there is none.
    func server(_ id: String) -> RelayedServer? { servers[id] }

    /// Adds an open channel to a server.
    ///
    /// - Parameters:
    ///   - stream: a stream on the connection's loop.
    ///   - partBytes: see `RelayedServer`.
    func add(_ id: String, _ stream: LinkStream, partBytes: Int? = nil) -> RelayedServer {
        let server = RelayedServer(stream, partBytes: partBytes, of: connection, self)
        servers[id] = server
        return server
    }

    /// Notes that a server is about to be asked for a view.
    func willAttach(_ number: Int, _ server: RelayedServer) {
        views[number] = View(server: server)
        connection.core.relays.didRelay()
    }

    /// Tells the client that a server has attached a view; messages about the view follow only then.
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

    /// Removes a view that has ended, was detached, or wasn't attached.
    func didEnd(_ number: Int) {
        if views.removeValue(forKey: number) != nil { connection.core.relays.didEndRelay() }
    }

    /// Ends the client's process, as it sent something that is no message.
    func refuse(_ server: RelayedServer) { process?.refuse() }

    /// Calls `body`, on any thread, once everything that was sent to the client's process is written.
    func afterWriting(_ body: @escaping @Sendable () -> Void) {
        if let process { process.afterWriting(body) } else { body() }
    }

    /// Closes all channels, as the client is gone.
    func close() {
        for number in views.keys { didEnd(number) }
        let open = servers.sorted { $0.key < $1.key }
        servers = [:]
        for (_, server) in open { server.close(within: connection.core.limits.drainGrace) }
        process?.leave(hasHadViews: lastView > 0)
    }

    /// Notes that the client sends nothing more and has all its answers. Its notifications may still be at work in other
    /// servers.
    ///
    /// - Returns: whether nothing is left to be done there. Otherwise the connection asks once more when it is.
    func finish() -> Bool {
        for server in servers.values { server.finish() }
        return servers.isEmpty
    }

    /// Tells the client's process that the client exits.
    ///
    /// - Returns: whether there is a process that was told; `Connection.didExit` follows then.
    func exit() -> Bool {
        guard process != nil, let server = servers.values.first else { return false }
        isExiting = true
        server.exit()
        return true
    }

    /// Lets go of messages that were held, as the answers to a batch are sent.
    func didSend(batch: Int) {
        for server in servers.values { server.didSend(batch: batch) }
    }

    /// Goes on reading from servers, where the client has taken everything that was sent to it.
    func clientDidRead() {
        guard connection.writer.isReady else { return }
        for server in servers.values { server.resume() }
    }

    /// Reports to the connection how many bytes servers haven't read. They count like unfinished input of the client.
    func noteWaiting() {
        connection.noteWaiting(servers.values.reduce(0) { $0 + $1.waitingBytes })
    }
}

/// The loss of a server.
extension RemoteViews {
    /// Handles a closed channel. After the loss of another server, the client comes back for what its views have missed, as
    /// after any cut. After the end of its process there may be no session to come back to.
    func didLose(_ server: RelayedServer) {
        guard servers.contains(where: { $0.value === server }) else { return server.loseRequests(nil) }
        guard process == nil else { return didLoseProcess(server) }
        servers = servers.filter { $0.value !== server }
        if !server.hasFinished, views.values.contains(where: { $0.server === server && $0.isAnswered }) {
            connection.loseSession()
        }
        server.loseRequests(nil)
        connection.checkQuiet()
    }

    /// Handles the loss of the client's process. No message of the client is taken until the reason is known. Then the client
    /// gets what the process can't tell it any more, and goes on with a new process; or, where its sessions are stored, it
    /// comes back to them.
    private func didLoseProcess(_ server: RelayedServer) {
        // In the middle of a message nothing else can be sent, so the client comes back, as after any cut.
        if connection.writer.isPassing { return connection.cutOff() }
        if isExiting { return connection.didExit() }
        connection.holdMessages()
        process?.didLoseChannel(hasHadViews: lastView > 0) { [weak connection] reason, goesOn in
            guard let connection, let views = connection.remote else { return }
            // A client that was coming back finds what is stored, even where the process hadn't read it yet.
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

    /// Closes the connection, so that the client comes back to its sessions, which go on in a new process.
    private func leaveProcess(_ server: RelayedServer) {
        servers = [:]
        server.loseRequests(nil)
        connection.loseSession()
    }

    private func settle(_ server: RelayedServer, _ reason: String) {
        servers = [:]
        server.loseRequests(
            RPCError(.viewModelFailed, "\(reason); what it had not answered may have been done in part"))
        // The process has ended in order, after all that the client sent was done.
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

/// Requests to all servers that have views of the client.
extension RemoteViews {
    /// Answers with the client's views on all servers, in the order of their numbers.
    ///
    /// - Parameter own: the views of sessions on this server.
    func list(_ own: SessionList.Result, _ reply: Reply<SessionList>) {
        var sessions = own.sessions
        ask(SessionList.name, reply.call) { result in
            sessions += (try? SessionList.result(result))?.sessions ?? []
        } whenAll: { [connection] in
            sessions.sort { ($0.session?.rawValue ?? 0) < ($1.session?.rawValue ?? 0) }
            connection.answer(reply, .init(sessions: sessions))
        }
    }

    /// Shuts down the client's connections to the other servers, and answers when all have answered: with an error where one
    /// of them couldn't remove a session.
    func shutDown(_ reply: Reply<Shutdown>) {
        ask(Shutdown.name, reply.call) { _ in
        } whenAll: { [self] in
            for number in views.keys { didEnd(number) }
            connection.answer(reply, Null())
        }
    }

    /// Sends a request without params to all servers.
    ///
    /// - Parameter whenAll: called once all have answered, unless one has refused. Then its error is the answer.
    private func ask(
        _ method: StaticString, _ call: Call, each: @escaping (JSONValue) -> Void, whenAll: @escaping () -> Void
    ) {
        var missing = servers.count
        guard missing > 0 else { return whenAll() }
        var failure: RelayedServer.Outcome?
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
