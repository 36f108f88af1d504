import JSON
import JSONRPC

// Views come, come back, and go.
extension ClientCore {
    /// How the caller of `open` and `attach` knows its view.
    typealias Opened = (id: Int, key: String, viewModel: String)

    func open(
        _ viewModel: String, arguments: JSONText?, ticket: Int, receive: @escaping @Sendable (ViewNews) -> Void,
        reply: @escaping (Result<Opened, any Error>) -> Void
    ) {
        let client = Self.randomName()
        // Where nobody knows whether the session was made it is opened again: the other one goes when nobody comes to it.
        ask(
            Call(
                MethodNames.sessionOpen, ticket: ticket, isRepeatable: true,
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

    /// - Parameter since: the last event that is known, where one is.
    func attach(
        key: String, since: Int?, ticket: Int, receive: @escaping @Sendable (ViewNews) -> Void,
        reply: @escaping (Result<Opened, any Error>) -> Void
    ) {
        let client = Self.randomName()
        ask(
            Call(
                MethodNames.sessionAttach, ticket: ticket, isRepeatable: true,
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
                return violate("\(error)")
            }
            lastView += 1
            let record = ViewRecord(
                id: lastView, key: key, client: client, number: number, seq: seq, receive: receive)
            views[record.id] = record
            attached[number] = record
            reply(.success((record.id, key, viewModel)))
            deliverSnapshot(in: answer, to: record)
        }
    }

    func attachAgain(_ record: ViewRecord) {
        record.number = nil
        send(
            Call(
                MethodNames.sessionAttach,
                params: { Self.write(key: record.key, since: record.seq, client: record.client, to: &$0) },
                reply: { [weak self] in self?.didAttachAgain(record, $0) }))
    }

    private func didAttachAgain(_ record: ViewRecord, _ result: Result<JSONValue, any Error>) {
        // With the connection lost once more, or the view gone, there is nothing left to do.
        guard isConnected, views[record.id] != nil else { return }
        switch result {
        case .failure(let error):
            let error = error as? RemoteError ?? .connectionLost("\(error)")
            if error.isRefusal(.unknownSession) { return end(record, .sessionEnded(.forgotten)) }
            if error.isRefusal(.replayUnavailable) { return end(record, .sessionEnded(.eventsLost)) }
            end(record, error)
        case .success(let answer):
            guard let number = answer.member("session")?.integer(as: Int.self) else {
                return violate("its answer to session/attach lacks session")
            }
            record.number = number
            attached[number] = record
            record.renumber(after: answer.member("handled")?.integer(as: Int.self) ?? 0)
            deliverSnapshot(in: answer, to: record)
            if let leaving = record.leaving { leave(record, leaving) } else { sendEvents(of: record) }
        }
    }

    private func deliverSnapshot(in answer: JSONValue, to record: ViewRecord) {
        guard let snapshot = answer.member("snapshot") else { return }
        guard let seq = answer.member("seq")?.integer(as: Int.self) else {
            return violate("its answer to session/attach lacks seq")
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

    /// Takes a view off, now or once it is back; it hears nothing more.
    func leave(_ id: Int, endsSession: Bool, reply: @escaping (Result<Void, any Error>) -> Void) {
        guard let record = views[id], record.leaving == nil, end == nil else { return reply(.success(())) }
        let leaving = ViewRecord.Leaving(endsSession: endsSession, reply: reply)
        record.leaving = leaving
        if record.number != nil { leave(record, leaving) }
    }

    private func leave(_ record: ViewRecord, _ leaving: ViewRecord.Leaving) {
        let number = record.number
        send(
            Call(
                leaving.endsSession ? MethodNames.sessionClose : MethodNames.sessionDetach,
                params: { params in
                    params.key("session")
                    params.integer(number ?? 0)
                },
                reply: { [weak self] result in
                    // A view that was cut off meanwhile goes when it is back.
                    guard let self, let record = views[record.id], end != nil || record.number == number else { return }
                    forget(record)
                    for event in record.takeAllPending() { complete(event, .failure(RemoteError.closed)) }
                    leaving.reply(.success(()))
                }))
    }

    /// Where it isn't known whether that was done, it fails.
    func goBack(_ id: Int, ticket: Int, reply: @escaping (Result<Void, any Error>) -> Void) {
        guard let record = views[id], record.leaving == nil else { return reply(.failure(end ?? .closed)) }
        guard let number = record.number else {
            return reply(.failure(RemoteError.connectionLost("there is no connection now; go back once there is one")))
        }
        ask(
            Call(
                MethodNames.navigationBack, ticket: ticket,
                params: { params in
                    params.key("session")
                    params.integer(number)
                },
                reply: { result in reply(result.map { _ in }) }))
    }

    func forget(_ record: ViewRecord) {
        views[record.id] = nil
        if let number = record.number { attached[number] = nil }
    }

    /// The view is over.
    func end(_ record: ViewRecord, _ error: RemoteError) {
        guard views[record.id] != nil else { return }
        forget(record)
        for event in record.takeAllPending() { complete(event, .failure(error)) }
        if let leaving = record.leaving { leaving.reply(.success(())) } else { record.receive(.ended(error)) }
    }
}
