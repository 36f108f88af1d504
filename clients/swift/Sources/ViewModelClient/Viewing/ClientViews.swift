import JSON
import JSONRPC

/// The views of a client: they come, come back after a connection was lost, and go. Confined to the client's loop.
final class ClientViews {
    /// A view as its caller knows it.
    typealias Opened = (id: Int, key: String, viewModel: String)

    unowned let core: ClientCore
    private var lastID = 0
    var records: [Int: ViewRecord] = [:]
    /// Those that are attached, by the numbers of their sessions on this connection.
    var attached: [Int: ViewRecord] = [:]
    var progress: [Int: @Sendable (JSONText) -> Void] = [:]

    init(of core: ClientCore) {
        self.core = core
    }

    /// Makes a session with a view.
    func open(
        _ viewModel: String, arguments: JSONText?, ticket: Int, receive: @escaping @Sendable (ViewNews) -> Void,
        reply: @escaping (Result<Opened, any Error>) -> Void
    ) {
        let client = Self.randomName()
        // Where it isn't known whether the session was made, another one is opened: the first ends, as nobody comes to it.
        core.ask(
            ClientRequest(
                MethodNames.sessionOpen, ticket: ticket, loss: .isSentAgain,
                params: { params in
                    params.key("viewModel")
                    params.string(viewModel)
                    if let arguments {
                        params.key("arguments")
                        params.raw(arguments.bytes)
                    }
                    params.key("client")
                    params.string(client)
                },
                reply: { [weak self] result in
                    self?.didOpen(result, seq: { _ in 0 }, key: nil, client, receive, reply)
                }))
    }

    /// Adds a view to a session.
    ///
    /// - Parameter since: the last event that is known, where one is.
    func attach(
        key: String, since: Int?, ticket: Int, receive: @escaping @Sendable (ViewNews) -> Void,
        reply: @escaping (Result<Opened, any Error>) -> Void
    ) {
        let client = Self.randomName()
        core.ask(
            ClientRequest(
                MethodNames.sessionAttach, ticket: ticket, loss: .isSentAgain,
                params: { Self.write(key: key, since: since, client: client, to: &$0) },
                reply: { [weak self] result in
                    let seq = { (answer: JSONValue) in
                        answer.member("snapshot") == nil ? since : answer.member("seq")?.integer(as: Int.self)
                    }
                    self?.didOpen(result, seq: seq, key: key, client, receive, reply)
                }))
    }

    private func didOpen(
        _ result: Result<JSONValue, any Error>, seq: (JSONValue) -> Int?, key: String?, _ client: String,
        _ receive: @escaping @Sendable (ViewNews) -> Void, _ reply: (Result<Opened, any Error>) -> Void
    ) {
        switch result {
        case .failure(let error): reply(.failure(error))
        case .success(let answer):
            guard let number = answer.member("session")?.integer(as: Int.self),
                let viewModel = answer.member("viewModel")?.string(),
                let key = key ?? answer.member("key")?.string(), let seq = seq(answer)
            else {
                let error = RemoteError.invalidMessage("its answer lacks session, viewModel, key or seq")
                reply(.failure(error))
                return core.violate("\(error)")
            }
            lastID += 1
            let record = ViewRecord(id: lastID, key: key, client: client, number: number, seq: seq, receive: receive)
            records[record.id] = record
            attached[number] = record
            reply(.success((record.id, key, viewModel)))
            deliverSnapshot(in: answer, to: record)
        }
    }

    private func deliverSnapshot(in answer: JSONValue, to record: ViewRecord) {
        guard let snapshot = answer.member("snapshot") else { return }
        guard let seq = answer.member("seq")?.integer(as: Int.self) else {
            return core.violate("its answer to session/attach lacks seq")
        }
        record.seq = seq
        var events: [JSONText] = []
        snapshot.forEachElement { events.append(JSONText($0)) }
        record.receive(.snapshot(events, seq: seq, shown: RemoteNavigation(shown: answer.member("navigation"))))
    }

    private static func write(key: String, since: Int?, client: String, to params: inout JSONWriter) {
        params.key("key")
        params.string(key)
        if let since {
            params.key("since")
            params.integer(since)
        }
        params.key("client")
        params.string(client)
    }

    /// Nobody else's.
    private static func randomName() -> String {
        var generator = SystemRandomNumberGenerator()
        return String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
    }
}

// Connections come and go.
extension ClientViews {
    func didLoseConnection() {
        attached = [:]
        for record in records.values { detach(record) }
    }

    func detach(_ record: ViewRecord) {
        record.number = nil
        record.events.didLoseConnection()
    }

    /// Brings all views back, on a new connection.
    func attachAgain() {
        for record in inOrder { attachAgain(record) }
    }

    private var inOrder: [ViewRecord] { records.values.sorted { $0.id < $1.id } }

    func attachAgain(_ record: ViewRecord) {
        core.send(
            ClientRequest(
                MethodNames.sessionAttach, loss: .isForgotten,
                params: { Self.write(key: record.key, since: record.seq, client: record.client, to: &$0) },
                reply: { [weak self] in self?.didAttachAgain(record, $0) }))
    }

    private func didAttachAgain(_ record: ViewRecord, _ result: Result<JSONValue, any Error>) {
        guard records[record.id] != nil else { return }
        switch result {
        case .failure(let error):
            let error = error as? RemoteError ?? .connectionLost("\(error)")
            if error.isRefusal(.unknownSession) { return end(record, .sessionEnded(.forgotten)) }
            if error.isRefusal(.replayUnavailable) { return end(record, .sessionEnded(.eventsLost)) }
            end(record, error)
        case .success(let answer):
            guard let number = answer.member("session")?.integer(as: Int.self) else {
                return core.violate("its answer to session/attach lacks session")
            }
            record.number = number
            attached[number] = record
            record.events.renumber(after: answer.member("handled")?.integer(as: Int.self) ?? 0)
            deliverSnapshot(in: answer, to: record)
            if let leaving = record.leaving { leave(record, leaving) } else { sendEvents(of: record) }
        }
    }
}

// Views go.
extension ClientViews {
    /// Takes a view off, now or once it is attached again; it is told nothing more.
    func leave(_ id: Int, endsSession: Bool, reply: @escaping (Result<Void, any Error>) -> Void) {
        guard let record = records[id], record.leaving == nil, core.end == nil else { return reply(.success(())) }
        let leaving = ViewRecord.Leaving(endsSession: endsSession, reply: reply)
        record.leaving = leaving
        if record.number != nil { leave(record, leaving) }
    }

    private func leave(_ record: ViewRecord, _ leaving: ViewRecord.Leaving) {
        guard let number = record.number else { return }
        core.send(
            ClientRequest(
                leaving.endsSession ? MethodNames.sessionClose : MethodNames.sessionDetach, loss: .isForgotten,
                params: { params in
                    params.key("session")
                    params.integer(number)
                },
                reply: { [weak self] _ in
                    // A view that was cut off meanwhile goes when it is attached again.
                    guard let self, records[record.id] != nil, record.number == number else { return }
                    end(record, .closed)
                }))
    }

    /// The user has left what the view shows. Fails where it isn't known whether that was done.
    func goBack(_ id: Int, ticket: Int, reply: @escaping (Result<Void, any Error>) -> Void) {
        guard let record = records[id], record.leaving == nil else { return reply(.failure(core.end ?? .closed)) }
        guard let number = record.number else {
            return reply(.failure(RemoteError.connectionLost("there is no connection now; go back once there is one")))
        }
        core.ask(
            ClientRequest(
                MethodNames.navigationBack, ticket: ticket, loss: .fails,
                params: { params in
                    params.key("session")
                    params.integer(number)
                },
                reply: { result in reply(result.map { _ in }) }))
    }

    /// All views are over.
    func end(_ error: RemoteError) {
        for record in inOrder { end(record, error) }
        progress = [:]
    }

    func end(_ record: ViewRecord, _ error: RemoteError) {
        guard records.removeValue(forKey: record.id) != nil else { return }
        if let number = record.number { attached[number] = nil }
        for event in record.events.takeAll() { complete(event, .failure(error)) }
        if let leaving = record.leaving { leaving.reply(.success(())) } else { record.receive(.ended(error)) }
    }
}
