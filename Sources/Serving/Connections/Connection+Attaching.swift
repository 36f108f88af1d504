import JSON
import JSONRPC
import Sessions

// Views that attach to a session that there is. Some wait for a snapshot: they have their number and their place as soon as
// the request is read, so a script may send view events for it at once, and only the answer comes later.
extension Connection {
    /// Writes the result of `session/attach` for a view's number and what its session says.
    typealias AttachmentWriter = @Sendable (Int, Session.Attachment, inout JSONWriter) -> Void

    /// Attaches a view and answers with what `write` writes, now or when its snapshot is there.
    func attach(
        _ session: Session, since: Int?, client: String?, _ call: Call, write: @escaping AttachmentWriter
    ) throws(RPCError) {
        try checkRoom()
        let number = lastView + 1
        do throws(SessionError) {
            let attaching = try session.attach(handle, number: number, client: client, since: since) {
                [handle] outcome in
                handle.perform { $0.didArrive(number, outcome, call, write) }
            }
            switch attaching {
            case .attached(let attachment):
                add(number, session, id: attachment.view)
                didAttach(session, number, attachment, call, write)
            case .waits(let view):
                add(number, session, id: view)
                arrivals[number] = []
                views[number]?.isArriving = true
                unfinishedJobs += 1
                peer.note(PendingWork(session, attaching: view), for: call)
            }
        } catch {
            throw RPCError(error)
        }
    }

    private func didAttach(
        _ session: Session, _ number: Int, _ attachment: Session.Attachment, _ call: Call, _ write: AttachmentWriter
    ) {
        answer(call) { write(number, attachment, &$0) }
        didAnswerAttachment(of: number, call)
        startIfNeeded(session)
    }

    /// Starts what other view models have shown, when its first view is there.
    private func startIfNeeded(_ session: Session) {
        guard session.claimOpening() else { return }
        unfinishedJobs += 1
        _ = session.open(
            ready: {},
            // It was made before it was shown, so nothing is left that can fail but its end, which its views are told.
            failed: { _ in },
            started: { [handle] in handle.perform { $0.didFinishJob() } })
    }

    func add(_ number: Int, _ session: Session, id: Int) {
        lastView = number
        views.append(View(number: number, session: session, id: id))
    }

    func removeView(_ number: Int) -> View? {
        let view = views.remove(number)
        if let view { forgetNews(of: view) }
        return view
    }

    /// A view that waited has its snapshot, or was taken off.
    private func didArrive(
        _ number: Int, _ outcome: Result<Session.Attachment, SessionError>, _ call: Call, _ write: AttachmentWriter
    ) {
        let waiting = arrivals.removeValue(forKey: number) ?? []
        views[number]?.isArriving = false
        // Nobody waits for an answer any more once the connection ends.
        guard state.phase != .ended else { return }
        switch outcome {
        case .success(let attachment):
            guard let session = views[number]?.session else {
                // It was taken off while the news of its snapshot were on their way to this thread.
                answer(call, error: RPCError(SessionError.detached))
                break
            }
            didAttach(session, number, attachment, call, write)
        case .failure(let error):
            _ = removeView(number)
            // A client that waits for its answers sees 1, 2, 3, …; one that foresaw this number may have used it.
            if error != .detached, waiting.isEmpty, lastView == number { lastView -= 1 }
            answer(call, error: RPCError(error))
        }
        for action in waiting { action(self) }
        didFinishJob()
    }

    /// Puts off what concerns a view until its `session/attach` is answered.
    func onArrival(of number: Int, _ action: @escaping (Connection) -> Void) {
        arrivals[number]?.append(action)
    }

    /// What a view sends before it has arrived may be done long before it is answered, so that has a bound of its own.
    func checkArrival(of view: View) throws(RPCError) {
        guard !view.isArriving || hasRoom(beforeArrivalOf: view.number) else {
            let count = host.limits.pendingEvents
            let message = "\(count) view events wait for the answer to session/attach; send more after it"
            throw RPCError(.limitExceeded(limit: "pendingEvents", message: message))
        }
    }

    func hasRoom(beforeArrivalOf number: Int) -> Bool {
        arrivals[number].map { $0.count < host.limits.pendingEvents } ?? true
    }
}
