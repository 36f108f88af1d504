import Synchronization

extension Session {
    /// What a view that attaches is told.
    package struct Attachment: Sendable {
        /// Names the view in this session.
        package let view: Int
        /// The newest number.
        package let newest: Int
        /// The events that bring a new view up to `newest`; nil where the missing ones follow by themselves.
        package let snapshot: [[UInt8]]?
        /// The highest number taken from this client; nil when it has no name.
        package let handled: Int?
    }

    /// Adds a view, which gets every event from now on, or from `since` on where that is kept.
    ///
    /// - Parameters:
    ///   - number: the view's number on its connection, which comes back to the viewer.
    ///   - client: the client's name for itself, kept over its reconnects.
    package func attach(
        _ viewer: any SessionViewer, number: Int, client: String?, since: Int? = nil
    ) throws(SessionError) -> Attachment {
        try state.withLock { state throws(SessionError) in
            guard state.end == nil else { throw .ended }
            if let client, !state.clients.isKnown(client), state.clients.count >= limits.clients {
                let message =
                    "this session knows \(limits.clients) clients by name; attach without one, or reuse a name"
                throw .limitExceeded(limit: "clients", message: message)
            }
            if let client, client.utf8.count > limits.clientBytes {
                throw .invalid(member: "client", reason: "a name has at most \(limits.clientBytes) bytes")
            }
            let newest = state.log.newest
            if let since, !(0...newest).contains(since) {
                throw .invalid(member: "since", reason: "\(since) is not between 0 and \(newest), the newest number")
            }
            var snapshot: [[UInt8]]?
            if since.map({ state.log.canReplay(after: $0) }) != true { snapshot = try state.snapshot() }
            let seen = snapshot == nil ? since ?? newest : newest
            let view = state.attach(viewer, number: number, client: client, after: seen)
            state.expiry?.cancel()
            state.expiry = nil
            return Attachment(
                view: view, newest: newest, snapshot: snapshot, handled: client.map { state.clients.highest(of: $0) })
        }
    }

    /// Takes a view off. The session stays for the others, and without any for the resume window.
    ///
    /// - Parameter endsWithLast: without any other view it ends at once.
    package func detach(_ view: Int, endsWithLast: Bool = false) {
        let isAbandoned = state.withLock { $0.detach(view) && $0.isAbandoned }
        guard isAbandoned else { return }
        if endsWithLast {
            end(.closed) { $0.views.isEmpty }
        } else {
            beginExpiry()
        }
    }

    /// Lets the session end after the resume window, unless a view has come back in the meantime.
    private func beginExpiry() {
        let expiry = startExpiry()
        let isKept = state.withLock { state in
            guard state.isAbandoned else { return false }
            state.expiry = expiry
            return true
        }
        if !isKept { expiry.cancel() }
    }

    /// Hands over what waits for a view. One that was ended by itself (`overflow`) is gone with that news.
    ///
    /// - Parameters:
    ///   - last: the last number wanted; nil for all there is, and then the view's end.
    ///   - maximumBytes: stop after about so many; at least one event is handed over.
    package func take(_ view: Int, upTo last: Int? = nil, maximumBytes: Int = .max) -> SessionNews {
        let (news, isAbandoned) = state.withLock { state in
            let news = state.take(view, upTo: last, maximumBytes: maximumBytes)
            return (news, news.end != nil && state.isAbandoned)
        }
        if isAbandoned { beginExpiry() }
        return news
    }

    /// Bytes of events that wait for a view, and of all that the session ever sent.
    package func eventBytes(of view: Int) -> (waiting: Int, sent: Int) {
        state.withLock { state in
            (state.views[view]?.cursor.waitingBytes ?? 0, state.log.sentBytes)
        }
    }

    /// The newest number and how many views there are.
    package var summary: (newest: Int, views: Int) {
        state.withLock { ($0.log.newest, $0.views.count) }
    }
}

extension SessionState {
    /// The events that bring a view without any up to the newest: all of them, as long as all are kept.
    fileprivate func snapshot() throws(SessionError) -> [[UInt8]] {
        guard log.canReplay(after: 0) else { throw .replayUnavailable(oldest: log.oldest) }
        return log.events
    }
}
