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
        /// What was on screen at the number that the notifications go on from.
        package let navigation: HostedNavigation
    }

    /// How far a view is whose attaching was asked for.
    package enum Attaching: Sendable {
        case attached(Attachment)
        /// Its snapshot is being made. The view has its place: what it sends is handled, and it can be detached.
        case waits(view: Int)
    }

    /// Adds a view, which gets every event from now on.
    ///
    /// - Parameters:
    ///   - number: the view's number on its connection, which comes back to the viewer.
    ///   - client: the client's name for itself, kept over its reconnects.
    package func attach(
        _ viewer: any SessionViewer, number: Int, client: String?
    ) throws(SessionError) -> Attachment {
        try state.withLock { state throws(SessionError) in
            try state.check(client, limits)
            let newest = state.log.newest
            return state.attachment(of: state.attach(viewer, number: number, client: client, after: newest), client)
        }
    }

    /// Adds a view that comes back or comes late: it gets what came after `since`, where that is kept, else a snapshot and
    /// what comes after that.
    ///
    /// A snapshot takes no part in the order of handlers, and waits for none.
    ///
    /// - Parameter later: called once, on any thread, after `waits` was returned. A failure has taken the view off again.
    package func attach(
        _ viewer: any SessionViewer, number: Int, client: String?, since: Int?,
        later: @escaping @Sendable (Result<Attachment, SessionError>) -> Void
    ) throws(SessionError) -> Attaching {
        let attaching = try state.withLock { state throws(SessionError) -> Attaching in
            try state.check(client, limits)
            let newest = state.log.newest
            if let since, !(0...newest).contains(since) {
                throw .invalid(member: "since", reason: "\(since) is not between 0 and \(newest), the newest number")
            }
            if let since, state.log.canReplay(after: since) {
                let view = state.attach(viewer, number: number, client: client, after: since)
                return .attached(state.attachment(of: view, client))
            }
            let arrival = SessionState.Arrival(answer: later)
            return .waits(view: state.attach(viewer, number: number, client: client, after: nil, arrival: arrival))
        }
        if case .waits(let view) = attaching { makeSnapshot(for: view) }
        return attaching
    }

    /// Gives up on a view whose snapshot is being made. Does nothing once that is there.
    package func cancelAttaching(_ view: Int) {
        if state.withLock({ $0.views[view]?.arrival != nil }) { detach(view) }
    }

    private func makeSnapshot(for view: Int) {
        let task = Task.detached(executorPreference: context.executor) { [self] in
            await host.placeSnapshot(for: self) { self.place($0, for: view) }
        }
        if !state.withLock({ $0.note(task, of: view) }) { task.cancel() }
    }

    private func place(_ snapshot: ModelSnapshot, for view: Int) {
        let (answered, isAbandoned) = state.withLock { state in
            (state.place(snapshot, for: view), state.isAbandoned)
        }
        // Otherwise it was answered when it was detached, or the session ended.
        guard let (answer, result) = answered else { return }
        answer(result)
        if isAbandoned { beginExpiry() }
    }
}

extension SessionState {
    fileprivate func check(_ client: String?, _ limits: Limits) throws(SessionError) {
        guard !isOver else { throw .ended }
        guard let client else { return }
        guard clients.isKnown(client) || clients.count < limits.clients else {
            let message = "this session knows \(limits.clients) clients by name; attach without one, or reuse a name"
            throw .limitExceeded(limit: "clients", message: message)
        }
        guard client.utf8.count <= limits.clientBytes else {
            throw .invalid(member: "client", reason: "a name has at most \(limits.clientBytes) bytes")
        }
    }

    fileprivate func attachment(of view: Int, _ client: String?, snapshot: [[UInt8]]? = nil) -> Session.Attachment {
        Session.Attachment(
            view: view, newest: log.newest, snapshot: snapshot, handled: client.map { clients.highest(of: $0) },
            navigation: navigation(at: views[view]?.cursor?.number ?? log.newest))
    }

    /// Ends a view's wait with the view model's snapshot, or else with all events of the log.
    ///
    /// - Returns: what to answer, without the lock.
    fileprivate mutating func place(
        _ snapshot: ModelSnapshot, for id: Int
    ) -> (@Sendable (Result<Session.Attachment, SessionError>) -> Void, Result<Session.Attachment, SessionError>)? {
        guard let (arrival, client) = place(id) else { return nil }
        switch snapshot {
        case .events(let events):
            return (arrival.answer, .success(attachment(of: id, client, snapshot: events)))
        case .none where log.hasAllEvents:
            return (arrival.answer, .success(attachment(of: id, client, snapshot: log.events)))
        case .none(let reason):
            _ = detach(id)
            return (arrival.answer, .failure(.replayUnavailable(oldest: log.oldest, reason: reason)))
        }
    }
}
