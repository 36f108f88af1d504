import JSON
import JSONRPC
import Sessions
import Transport
import ViewModels

extension Connection {
    /// The view with this number, which the client gave as `session`.
    func view(_ number: Int) throws(RPCError) -> View {
        guard let view = views[number] else {
            throw RPCError(.unknownSession, "there is no session \(number) on this connection, or it is closed")
        }
        return view
    }

    /// Attaches the first view to a session, and answers when its view model is made; only then it starts.
    func open(_ session: Session, client: String?, _ call: Call) throws(RPCError) {
        let number: Int
        do throws(SessionError) {
            number = lastView + 1
            add(number, session, id: try session.attach(handle, number: number, client: client).view)
        } catch {
            session.end(.closed)
            throw RPCError(error)
        }
        _ = session.claimOpening()
        unfinishedJobs += 1
        let job = session.open(
            ready: { [handle] in handle.perform { $0.didOpen(session, number, call) } },
            failed: { [handle] outcome in handle.perform { $0.didFail(toOpen: number, call, outcome) } },
            started: { [handle] in handle.perform { $0.didFinishJob() } })
        peer.note(PendingWork(session, job: job, isNumbered: false), for: call)
    }

    private func didOpen(_ session: Session, _ number: Int, _ call: Call) {
        answer(call) { writer in
            writer.beginObject()
            writer.key("session")
            writer.integer(number)
            writer.key("key")
            writer.string(session.key)
            writer.key("viewModel")
            writer.string(session.viewModelName)
            writer.endObject()
        }
        didAnswerAttachment(of: number, call)
    }

    private func didFail(toOpen number: Int, _ call: Call, _ outcome: ViewEventJob.Outcome) {
        let view = removeView(number)
        answer(call, error: error(of: outcome))
        // Ends the session with it: nobody can come back to what was never opened, so no timer is set for that.
        if let view { view.session.detach(view.id, endsWithLast: true) }
    }

    func detach(view number: Int) throws(RPCError) {
        _ = try view(number)
        leave(number)
    }

    func close(view number: Int) throws(RPCError) {
        let view = try view(number)
        // Ended first: a session that loses its last view waits for another.
        view.session.end(.closed)
        leave(number)
    }

    /// Queues a view event; its answer or its failure comes when it was handled.
    func submit(
        _ handle: @escaping ViewEventJob.Handler,
        progress: WorkDoneProgress?, number: Int?, bytes: Int, to view: View, _ call: Call?
    ) throws(RPCError) {
        try checkArrival(of: view)
        let viewNumber = view.number
        let job = ViewEventJob(
            progress: progress, bytes: bytes, handle: handle,
            complete: { [connection = self.handle] in connection.didHandle($0, of: viewNumber, call) })
        do throws(SessionError) {
            let id = try view.session.submit(job, from: view.id, number: number)
            unfinishedJobs += 1
            if let call { peer.note(PendingWork(view.session, job: id, isNumbered: number != nil), for: call) }
        } catch {
            throw RPCError(error)
        }
    }

    func didHandle(_ outcome: ViewEventJob.Outcome, of number: Int, _ call: Call?) {
        let view = views[number]
        // A view that was left is looked for where it may still have to arrive.
        if view?.isArriving ?? (arrivals[number] != nil) {
            return onArrival(of: number) { $0.didHandle(outcome, of: number, call) }
        }
        // What the handler sent goes before its answer.
        if let view {
            let newest = if case .handled(let newest) = outcome { newest } else { view.session.summary.newest }
            sendEvents(of: view, upTo: newest)
        }
        switch (outcome, call) {
        case (.handled(let newest), let call?):
            answer(call) { writer in
                writer.literal(#"{"seq":"#)
                writer.integer(newest)
                writer.endObject()
            }
        case (.handled, nil), (.cancelled, nil): break
        case (_, let call?): answer(call, error: error(of: outcome))
        case (.failed, nil), (.sessionEnded, nil): log(.error, error(of: outcome).message)
        }
        didFinishJob()
    }

    func didFinishJob() {
        unfinishedJobs -= 1
        concludeIfQuiet()
    }

    /// The view's answer has been handed over: alone, or to a batch that goes out later.
    func didAnswerAttachment(of number: Int, _ call: Call) {
        if let batch = call.batch, peer.isCollecting(batch) {
            gatedViews[batch, default: []].append(number)
        } else {
            openGate(of: number)
        }
    }

    func openGate(of number: Int) {
        guard let view = views[number] else { return }
        view.isAnswered = true
        viewHasNews(number)
    }

    func checkRoom() throws(RPCError) {
        guard views.count < host.limits.sessions else {
            let message = "\(host.limits.sessions) sessions are open on this connection; close or detach one first"
            throw .limitExceeded("sessions", message)
        }
    }

    private func error(of outcome: ViewEventJob.Outcome) -> RPCError {
        switch outcome {
        case .handled: RPCError(.internalError, "a handled event is no error")
        case .cancelled: RPCError(.requestCancelled, "cancelled")
        case .sessionEnded: RPCError(.unknownSession, "the session was closed before this was done")
        case .failed(let error as JSONCodingError): .invalidParams(error)
        case .failed(let error as SessionError): RPCError(error)
        case .failed(let error): RPCError(.viewModelFailed, "\(error)")
        }
    }
}

extension RPCError {
    init(_ error: SessionError) {
        switch error {
        case .ended:
            self.init(.unknownSession, "the session has ended")
        case .invalid(let member, let reason):
            self = .invalidParams(at: JSONPointer.root.appending(member), reason)
        case .detached:
            self.init(.requestCancelled, "the view was taken off before it was attached")
        case .replayUnavailable(let oldest, let reason):
            let reason = reason.map { ", and the view model has no snapshot: \($0)" } ?? ""
            let advice = "attach with a \"since\" of at least \(oldest - 1)"
            self.init(.replayUnavailable, "earlier events are no longer kept\(reason); \(advice)") { data in
                data.key("oldest")
                data.integer(oldest)
            }
        case .limitExceeded(let limit, let message):
            self = .limitExceeded(limit, message, retryAfterMilliseconds: Self.retryAfterMilliseconds[limit])
        }
    }

    /// Only what passes by itself is worth another try.
    private static let retryAfterMilliseconds = ["pendingEvents": 100, "pendingBytes": 100, "hostedSessions": 1_000]
}
