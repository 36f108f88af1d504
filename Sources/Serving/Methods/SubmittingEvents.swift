package import JSON
import JSONRPC
import Sessions
import ViewModels
package import ViewModelProtocol

extension Connection {
    /// Queues a view event in its session, where the event waits for the handlers of earlier ones.
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
                let token = typed.workDoneToken.flatMap { _ in params.object?.member("workDoneToken") }
                try submit(PlainViewEvent(typed, event, token: token), bytes: bytes, call)
            }
        }
        if submitted == nil { throw .invalidParams(at: Params.path("event"), "nested too deep") }
    }

    private func submit(_ event: PlainViewEvent, bytes: Int, _ call: Call?) throws(RPCError) {
        // Read once, as the property is lazy.
        let views = views
        let view = try views.view(event.session)
        try view.check(mayDo: "it can't send events")
        if event.token != nil { try checkToken(of: event) }
        guard views.hasRoom(for: view) else {
            let message =
                "\(core.limits.pendingEvents) view events wait for the answer to session/attach; send more after it"
            // No time to retry after: nobody knows when `session/attach` will be answered.
            throw .limitExceeded("pendingEvents", message, retryAfterMilliseconds: nil)
        }
        let asked = event.token == nil ? nil : try askForProgress(event, of: view)
        let job = view.session.model.job(
            of: event.event,
            for: ViewEventJob.Request(
                progress: asked?.request, client: sender(of: event) ?? view.client, bytes: bytes,
                complete: handle.completion(of: view.number, call, asked)))
        do throws(RPCError) {
            try submit(job, event.number, to: view, of: views, call)
        } catch {
            asked.map(progress.forget)
            throw error
        }
    }

    /// Returns the one for whom a session sends the event; nil where a client sends it, or nobody is known.
    private func sender(of event: PlainViewEvent) -> Client? {
        guard isOfSession, let from = event.from, let sender = SharedSender(from) else { return nil }
        return Client(name: sender.name, principal: sender.principal)
    }

    private func checkToken(of event: PlainViewEvent) throws(RPCError) {
        guard let token = event.workDoneToken, token.byteCount > core.limits.idBytes else { return }
        throw .invalidParams(at: Params.path("workDoneToken"), "has at most \(core.limits.idBytes) bytes (idBytes)")
    }

    private func askForProgress(
        _ event: PlainViewEvent, of view: AttachedView
    ) throws(RPCError) -> ProgressTable.Asked? {
        try event.workDoneToken.map { token throws(RPCError) in try progress.ask(token, of: view, handle) }
    }

    private func submit(
        _ job: ViewEventJob, _ number: Int?, to view: AttachedView, of views: ConnectionViews, _ call: Call?
    ) throws(RPCError) {
        // The view may be a child's whose attachment isn't answered yet: the session starts before its event.
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

    /// Answers a view event with its outcome. The failure of a notification goes to the log.
    ///
    /// - Parameters:
    ///   - call: nil for a notification.
    ///   - view: the view that sent the event; nil where it is gone.
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

/// The params of `view/event` in the form in which nearly all clients write them, read in one pass together with the event.
///
/// `ViewEvent.Params` reads the same values from every text that this type reads; a test compares them. Borrows the message's
/// bytes.
package struct PlainViewEvent {
    package let session: Int
    package let event: ParsedValue
    package let number: Int?
    /// The progress token, parsed from its text at each access, so that this struct owns nothing that must be released for
    /// each event.
    package var workDoneToken: ProgressToken? { token.flatMap { ProgressToken($0) } }
    fileprivate let token: JSONValue?
    fileprivate let from: JSONValue?

    /// Reads the params; nil where anything is missing, wrong, or written in another way than usual.
    package init?(_ params: ParsedValue) {
        var (session, event, number, token): (ParsedValue?, ParsedValue?, ParsedValue?, ParsedValue?)
        var from: ParsedValue?
        params.forEachMember { name, value in
            let value = value.kind == .null ? nil : value
            switch name {
            case "session": session = value
            case "event": event = value
            case "number": number = value
            case "workDoneToken": token = value
            case "from": from = value
            default: break
            }
        }
        guard let session = session?.value.shortInteger, let event else { return nil }
        self.session = session
        self.event = event
        self.number = number?.value.shortInteger
        self.token = token?.value
        self.from = from?.value
        guard (number == nil) == (self.number == nil), self.token == nil || workDoneToken != nil else { return nil }
    }

    /// Takes params that were decoded in the general way.
    ///
    /// - Parameter token: the token's text, where there is one.
    init(_ params: ViewEvent.Params, _ event: ParsedValue, token: JSONValue?) {
        session = params.session.rawValue
        self.event = event
        number = params.number?.rawValue
        self.token = token
        from = nil
    }
}
