import JSON
import JSONRPC

// Events of Views: numbered, so that none is lost or handled twice, whatever happens to the connection.
extension ClientCore {
    /// So many are on their way for one view; a session lets more wait, but they may be others'.
    private static let windowSize = 64
    /// What stands around an event in its message, at most.
    private static let envelopeBytes = 256

    func send(_ event: PendingEvent, of id: Int) {
        guard let record = views[id], record.leaving == nil else {
            return complete(event, .failure(end ?? .closed))
        }
        // Before it has a number, since those behind it can't be sent without it.
        let bytes = event.event.bytes.count + Self.envelopeBytes
        if let limit = server?.messageBytes, bytes > limit { return complete(event, .failure(tooLong(bytes))) }
        record.unsent.append(event)
        sendEvents(of: record)
    }

    func sendEvents(of record: ViewRecord) {
        guard isConnected, let session = record.number, record.refusedNumber == nil else { return }
        let window = max(1, min(Self.windowSize, server?.pendingEvents ?? 1))
        while record.inFlight.count < window, !record.unsent.isEmpty {
            let event = record.unsent.removeFirst()
            if event.number == nil { event.number = record.lastNumber + 1 }
            record.lastNumber = max(record.lastNumber, event.number ?? 0)
            record.inFlight.append(event)
            send(event, to: session, record)
        }
    }

    private func send(_ event: PendingEvent, to session: Int, _ record: ViewRecord) {
        send(
            Call(
                MethodNames.viewEvent, ticket: event.ticket, isViewEvent: true,
                params: { params in
                    params.key("session")
                    params.integer(session)
                    params.key("event")
                    params.raw(event.event.bytes)
                    params.key("number")
                    params.integer(event.number ?? 0)
                    if event.hasProgress {
                        params.key("workDoneToken")
                        params.integer(event.ticket)
                    }
                },
                reply: { [weak self] in self?.didAnswer(event, of: record, $0) }))
    }

    private func didAnswer(_ event: PendingEvent, of record: ViewRecord, _ result: Result<JSONValue, any Error>) {
        guard let place = record.inFlight.firstIndex(where: { $0 === event }) else { return }
        record.inFlight.remove(at: place)
        switch result {
        case .success(let answer): complete(event, .success(answer.member("seq")?.integer(as: Int.self) ?? 0))
        case .failure(let error as RemoteError) where error.isRefusal(.limitExceeded):
            record.refusedNumber = min(record.refusedNumber ?? .max, event.number ?? .max)
            complete(event, .failure(error))
        case .failure(let error as RemoteError) where record.refusedNumber != nil && error.isOfNumber:
            record.returned.append(event)
        case .failure(let error): complete(event, .failure(error))
        }
        goOn(record)
    }

    /// Once all that was on its way behind an event which the session had no room for is back, it is sent again.
    private func goOn(_ record: ViewRecord) {
        if let refused = record.refusedNumber, record.inFlight.isEmpty {
            record.unsent = record.returned + record.unsent
            record.returned = []
            record.refusedNumber = nil
            record.renumber(after: refused - 1)
        }
        sendEvents(of: record)
    }

    func complete(_ event: PendingEvent, _ result: Result<Int, any Error>) {
        progress[event.ticket] = nil
        event.reply(result)
    }
}

extension RemoteError {
    /// Whether it was the number of an event that was refused.
    fileprivate var isOfNumber: Bool {
        guard isRefusal(.invalidParams), case .refused(let refusal) = self, let data = refusal.data else {
            return false
        }
        var text = data
        return text.withUTF8 { bytes in
            let value = try? JSONValue(validating: UnsafeRawBufferPointer(bytes))
            return value?.member("path")?.isString("/number") ?? false
        }
    }
}
