package import JSON
import JSONRPC
import Sessions
package import ViewModelProtocol

extension Connection {
    /// Queues a View's event in its session. Only this method waits for the session's handlers before it.
    func submitViewEvent(_ params: Params, _ call: Call?) throws(RPCError) {
        let bytes = (params.object?.text.count ?? 0) + (call?.id.byteCount ?? 0)
        let plain: Void? = try params.parse { params throws(RPCError) in
            guard let event = PlainViewEvent(params) else { return nil }
            try submit(event, bytes: bytes, call)
        }
        if plain != nil { return }
        let typed = try ViewEvent.params(params)
        let submitted: Void? = try typed.event.json.withValue { event throws(RPCError) in
            try event.parse { event throws(RPCError) in
                try submit(PlainViewEvent(typed, event), bytes: bytes, call)
            }
        }
        if submitted == nil { throw .invalidParams(at: Params.path("event"), "nested too deep") }
    }

    private func submit(_ event: PlainViewEvent, bytes: Int, _ call: Call?) throws(RPCError) {
        // Once, as it is lazy.
        let views = views
        let view = try views.view(event.session)
        if let token = event.token, token.value.byteCount > core.limits.idBytes {
            throw .invalidParams(at: Params.path("workDoneToken"), "has at most \(core.limits.idBytes) bytes (idBytes)")
        }
        guard views.hasRoom(for: view) else {
            let message =
                "\(core.limits.pendingEvents) view events wait for the answer to session/attach; send more after it"
            // Nobody knows when the answer comes for which the client is to wait.
            throw .limitExceeded("pendingEvents", message, retryAfterMilliseconds: nil)
        }
        let asked = try event.token.map { token throws(RPCError) in try progress.ask(token.value, of: view, handle) }
        let job = view.session.model.job(
            of: event.event,
            for: ViewEventJob.Request(
                progress: asked?.request, client: view.client, bytes: bytes,
                complete: handle.completion(of: view.number, call, asked)))
        do throws(RPCError) {
            try submit(job, event.number, to: view, of: views, call)
        } catch {
            asked.map(progress.forget)
            throw error
        }
    }

    private func submit(
        _ job: ViewEventJob, _ number: Int?, to view: AttachedView, of views: ConnectionViews, _ call: Call?
    ) throws(RPCError) {
        // A child whose attachment isn't answered yet: the event comes behind its start.
        if view.isAwaitingSnapshot { views.startIfNeeded(view.session, for: view.client) }
        do throws(SessionError) {
            let id = try view.session.submit(job, from: view.id, number: number)
            views.unfinishedJobs += 1
            if let call {
                peer.note(PendingWork(view.session, job: id, outlivesConnection: number != nil), for: call)
            }
        } catch {
            throw RPCError(error)
        }
    }

    /// - Parameters:
    ///   - call: nil for a notification.
    ///   - view: nil where it is gone.
    func answer(_ call: Call?, _ outcome: ViewEventJob.Outcome, of view: AttachedView?, progressGoesOn: Bool) {
        switch (outcome, call) {
        case (.handled(let newest, _), let call?):
            answer(call) { writer in
                writer.literal(#"{"seq":"#)
                writer.integer(newest)
                if progressGoesOn { writer.literal(#","progress":true"#) }
                writer.endObject()
            }
        case (.handled, nil), (.cancelled, nil), (.superseded, nil): break
        case (.failed(let event as UndecodedEvent), _):
            let explained = view.map { core.explained(event, for: $0.session.viewModelName) }
            let error = RPCError.invalidEvent(explained ?? event.error)
            if let call { answer(call, error: error) } else { logFailure(of: "\(ViewEvent.name)", error) }
        case (_, let call?): answer(call, error: RPCError(outcome))
        case (.lost, nil): loseSession()
        case (.failed, nil), (.sessionEnded, nil): log(.error, RPCError(outcome).message)
        }
    }
}

/// The params of `view/event` as nearly all clients write them, read in one pass, with the event in it.
///
/// For each event that it reads, `ViewEvent.Params` has the same values; a test compares them. Borrows the message's
/// bytes.
package struct PlainViewEvent {
    package let session: Int
    package let event: ParsedValue
    package let number: Int?
    package var workDoneToken: ProgressToken? { token?.value }
    /// An object, since few events have one.
    fileprivate let token: Token?

    fileprivate final class Token {
        let value: ProgressToken

        init(_ value: ProgressToken) {
            self.value = value
        }
    }

    /// Nil where anything is missing, wrong, or written in another way than usual.
    package init?(_ params: ParsedValue) {
        var (session, event, number, token): (ParsedValue?, ParsedValue?, ParsedValue?, ParsedValue?)
        params.forEachMember { name, value in
            let value = value.kind == .null ? nil : value
            switch name {
            case "session": session = value
            case "event": event = value
            case "number": number = value
            case "workDoneToken": token = value
            default: break
            }
        }
        guard let session = session?.value.shortInteger, let event else { return nil }
        self.session = session
        self.event = event
        self.number = number?.value.shortInteger
        self.token = token.flatMap { ProgressToken($0.value) }.map(Token.init)
        guard (number == nil) == (self.number == nil), (token == nil) == (self.token == nil) else { return nil }
    }

    init(_ params: ViewEvent.Params, _ event: ParsedValue) {
        session = params.session.rawValue
        self.event = event
        number = params.number?.rawValue
        token = params.workDoneToken.map(Token.init)
    }
}
