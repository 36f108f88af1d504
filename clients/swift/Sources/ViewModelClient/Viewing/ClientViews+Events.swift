import JSON
import JSONRPC
import ViewModelProtocol

/// The progress of a view event, as it is reported to the event's caller.
struct ReportedProgress {
    let report: @Sendable (JSONText) -> Void
    var hasBegun = false
    /// The view's id, once the event is answered while its progress goes on.
    var goesOnIn: Int?
}

// View events, which are numbered.
extension ClientViews {
    /// The most events of one view in flight. A session lets more wait, but they may be other clients'.
    private static let windowSize = 64
    /// The most bytes in a message besides its event.
    private static let envelopeBytes = 256

    func send(_ event: PendingEvent, of id: Int) {
        guard let record = records[id], record.leaving == nil else {
            return event.reply(.failure(core.end ?? .closed))
        }
        // Checked before the event has a number, since events behind a missing number can't be sent.
        let bytes = event.event.bytes.count + Self.envelopeBytes
        if let limit = core.server?.messageBytes, bytes > limit {
            return event.reply(.failure(RemoteError.tooLong(bytes, limit: limit)))
        }
        progress[event.ticket] = event.progress.map { ReportedProgress(report: $0) }
        record.events.append(event)
        sendEvents(of: record)
    }

    func sendEvents(of record: ViewRecord) {
        guard core.isConnected, let session = record.number else { return }
        let window = max(1, min(Self.windowSize, core.server?.pendingEvents ?? 1))
        while let event = record.events.sendNext(window: window) { send(event, to: session, record) }
    }

    private func send(_ event: PendingEvent, to session: Int, _ record: ViewRecord) {
        let params = ViewEvent.Params(
            session: ViewNumber(session), event: EventObject(event.event),
            number: event.number.map { PositiveCount($0) },
            workDoneToken: event.progress == nil ? nil : ProgressToken(Int64(event.ticket)))
        core.send(
            ClientRequest(ViewEvent.self, params, ticket: event.ticket, loss: .isForgotten) { [self] in
                didAnswer(event.ticket, of: record, $0)
            })
    }

    private func didAnswer(_ ticket: Int, of record: ViewRecord, _ result: Result<ViewEvent.Result, any Error>) {
        let outcome: ViewEventQueue.Outcome =
            switch result {
            case .failure(let error as RemoteError) where error.isBeforeNumber: .notTaken
            case .failure(let error as RemoteError) where error.isRefusal(.limitExceeded): .noRoom
            case .failure(let error as RemoteError) where error.isRefusal(.storeUnavailable): .notStored
            case .failure(let error as RemoteError) where error.isOfNumber: .wrongNumber
            default: .settled
            }
        if case .failure(let error as RemoteError) = result, outcome == .notStored { core.didRefuse(error) }
        if case .success(let answer) = result, answer.progress != nil, records[record.id] != nil {
            progress[ticket]?.goesOnIn = record.id
        }
        if let event = record.events.didAnswer(ticket, outcome) {
            complete(event, result.map(\.seq.rawValue))
        } else if outcome == .noRoom {
            core.tryAgainLater()
        }
        sendEvents(of: record)
    }

    /// Gives up a view event, or a read of rows, that isn't in flight.
    func cancelUnsent(_ ticket: Int) {
        for record in records.values {
            record.lists.cancel(ticket)
            guard let event = record.events.takeUnsent(ticket) else { continue }
            return complete(event, .failure(CancellationError()))
        }
    }

    func complete(_ event: PendingEvent, _ result: Result<Int, any Error>) {
        if progress[event.ticket]?.goesOnIn == nil { endProgress(event.ticket) }
        event.note(.over)
        event.reply(result)
        core.didCompleteEvent()
    }
}

// Notifications. Members are read one by one, since most notifications are events, which come often. Unknown values in others
// come from later versions.
extension ClientViews {
    func take(_ method: MethodName, _ params: JSONValue) {
        if method == ViewModelEvent.name {
            guard let record = viewAfterNumber(of: params) else { return }
            guard let event = params.member("event") else {
                return core.violate("an event is missing in \(params.shortText)")
            }
            guard record.leaving == nil, !record.lists.take(event, seq: record.seq) else { return }
            record.receive(.event(JSONText(event), seq: record.seq))
        } else if RemoteNavigation.isReported(by: method) {
            guard let record = viewAfterNumber(of: params) else { return }
            guard let change = RemoteNavigation(method, params) else {
                return core.violate("\(method) lacks a member: \(params.shortText)")
            }
            if record.leaving == nil { record.receive(.navigation(change, seq: record.seq)) }
        } else if method == SessionClosed.name {
            didCloseSession(params)
        } else if method == SessionViewsChanged.name {
            guard let session = params.member("session")?.integer(as: Int.self), let record = attached[session],
                record.leaving == nil, let views = params.member("views")
            else { return }
            var viewers: [RemoteViewer] = []
            views.forEachElement { viewers.append(RemoteViewer($0)) }
            record.receive(.viewers(viewers))
        } else if method == Progress.name {
            guard let token = params.member("token")?.integer(as: Int.self), let value = params.member("value") else {
                return
            }
            report(JSONText(value), kind: value.member("kind"), token: token)
        }
    }

    private func report(_ value: JSONText, kind: JSONValue?, token: Int) {
        guard var reported = progress[token] else { return }
        reported.hasBegun = reported.hasBegun || kind?.isString("begin") == true
        progress[token] = kind?.isString("end") == true ? nil : reported
        if reported.hasBegun { reported.report(value) }
    }

    /// Ends the progress of an event. If a `begin` was reported to the caller, an `end` follows.
    private func endProgress(_ ticket: Int) {
        if let reported = progress.removeValue(forKey: ticket), reported.hasBegun { reported.report(Self.end) }
    }

    private static let end = JSONText { $0.literal(#"{"kind":"end"}"#) }

    /// Ends the progress of answered events of a view that is gone.
    func endOngoingProgress(of record: ViewRecord) {
        for (ticket, reported) in progress where reported.goesOnIn == record.id { endProgress(ticket) }
    }

    /// Returns the view for a message with a number, and notes the number. Returns nil if there is no such view, if the view
    /// has seen the message already, or if messages before it are missing.
    private func viewAfterNumber(of params: JSONValue) -> ViewRecord? {
        guard let session = params.member("session")?.integer(as: Int.self),
            let seq = params.member("seq")?.integer(as: Int.self)
        else {
            core.violate("session or seq is missing in \(params.shortText)")
            return nil
        }
        // A message that the view has seen already isn't reported twice.
        guard let record = attached[session], seq > record.seq else { return nil }
        let before = params.member("after")?.integer(as: Int.self) ?? seq - 1
        guard before == record.seq else {
            didMiss(upTo: seq, of: record, session)
            return nil
        }
        record.seq = seq
        return record
    }

    /// Attaches the view again, to get the messages that are missing before a number. If they are missing again, the server has
    /// broken the protocol.
    private func didMiss(upTo seq: Int, of record: ViewRecord, _ session: Int) {
        guard record.lastMissed != record.seq else {
            return core.violate("number \(seq) of session \(session) came after \(record.seq)")
        }
        record.lastMissed = record.seq
        attached[session] = nil
        core.send(ClientRequest(SessionDetach.self, .init(session: ViewNumber(session)), loss: .isForgotten) { _ in })
        detach(record)
        attachAgain(record)
    }

    private func didCloseSession(_ params: JSONValue) {
        guard let session = params.member("session")?.integer(as: Int.self),
            let record = attached.removeValue(forKey: session)
        else { return }
        let reason = params.member("reason")?.string()
        if reason == SessionClosed.Reason.overflow.rawValue {
            // The session still has the newest of the events that came too fast.
            record.hasOverflowed = true
            detach(record)
            attachAgain(record)
        } else if reason == SessionClosed.Reason.replaced.rawValue, !record.wasReplaced {
            // The view was replaced by a late request of this client's from an earlier connection, or by another client, which
            // keeps the name after this attempt.
            record.wasReplaced = true
            detach(record)
            attachAgain(record)
        } else {
            end(record, .sessionEnded(.init(reason)))
        }
    }
}

extension JSONValue {
    /// The beginning of the value's text, short enough for a message to people.
    fileprivate var shortText: String { String(decoding: text.prefix(200), as: UTF8.self) }
}
