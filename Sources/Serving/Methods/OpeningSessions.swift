import JSONRPC
import Sessions
import ViewModelProtocol

extension Connection {
    /// Gives the client a view of a session: of a new one, of the one that the view model's scope finds, or of the one that
    /// the same `once` has made before. A new session is answered once the view model is made; only then the view model starts.
    func openSession(_ params: SessionOpen.Params, _ reply: Reply<SessionOpen>) throws(RPCError) {
        try views.checkRoom()
        if try asksOpener(params, reply) { return }
        let opening = try RepeatableOpening(params)
        let scope = core.scope(of: params.viewModel, hasPrincipal: principal != nil)
        guard scope != .each,
            let arguments = core.registry.findingText(
                of: params.viewModel, params.arguments, at: Params.path("arguments"))
        else { return try open(params, opening, reply) }
        // No other message of the client is taken before the arguments are read, so its messages keep their order.
        holdMessages()
        views.unfinishedJobs += 1
        let executor = core.sessions.threads?.executor(forArgumentsOf: params.viewModel) ?? loop
        Task.detached(executorPreference: executor) { [handle, person] in
            let found = RepeatableOpening.read(
                scope, params.viewModel, given: params.arguments, person: person, arguments)
            handle.perform { connection in
                connection.didFind(found, params, reply)
                connection.views.didFinishJob()
                connection.goOn()
            }
        }
    }

    private func didFind(
        _ opening: Result<RepeatableOpening, RPCError>, _ params: SessionOpen.Params, _ reply: Reply<SessionOpen>
    ) {
        guard life.takesMessages else { return }
        do throws(RPCError) {
            try open(params, opening.get(), reply)
        } catch {
            answer(reply, error: error)
        }
    }

    /// - Parameters:
    ///   - opening: by which the session may be there already; nil for a session that is always new.
    ///   - isAgain: whether another server has made the session at the same moment, so that it is in the store by now.
    private func open(
        _ params: SessionOpen.Params, _ opening: RepeatableOpening?, _ reply: Reply<SessionOpen>, isAgain: Bool = false
    ) throws(RPCError) {
        guard let opening else { return try openNewSession(params, nil, reply) }
        if let session = try core.sessions.session(of: opening) {
            return try withOwned(session, reply) { [self] () throws(RPCError) in
                if session.hasLeftMemory { return try open(params, opening, reply, isAgain: isAgain) }
                try openView(of: session, isNew: false, params, opening, reply, isAgain: isAgain)
            }
        }
        guard SessionRestorer(core.sessions).canBeStored(params.viewModel) else {
            return try openNewSession(params, opening, reply)
        }
        // The session may have been made in an earlier process, or on another server.
        find(.opening(once: opening.once), params, reply) { [self] session throws(RPCError) in
            if let session, session.isEndUntold {
                try EndWait(session, reply).begin(for: self) { connection throws(RPCError) in
                    try connection.open(params, opening, reply, isAgain: isAgain)
                }
            } else if let session {
                // The `once` may have come with another opening before.
                _ = try core.sessions.session(of: opening)
                try openView(of: session, isNew: false, params, opening, reply, isAgain: isAgain)
            } else {
                try openNewSession(params, opening, reply, isAgain: isAgain)
            }
        }
    }

    private func openNewSession(
        _ params: SessionOpen.Params, _ opening: RepeatableOpening?, _ reply: Reply<SessionOpen>, isAgain: Bool = false
    ) throws(RPCError) {
        let made = try core.sessions.makeSession(
            params.viewModel, arguments: params.arguments, at: Params.path("arguments"), for: owner, person, opening,
            on: loop)
        guard let made else { throw core.unknownViewModel(params.viewModel) }
        let session = if let opening { try core.sessions.keep(made, of: opening) } else { made }
        try openView(of: session, isNew: session === made, params, opening, reply, isAgain: isAgain)
    }

    private func openView(
        of session: Session, isNew: Bool, _ params: SessionOpen.Params, _ opening: RepeatableOpening?,
        _ reply: Reply<SessionOpen>, isAgain: Bool
    ) throws(RPCError) {
        if let waiting = relayed?.waiting { try session.checkCircle(waiting) }
        var request = ViewRequest(params, reply.call)
        if !isNew, let opening {
            request.again = { connection throws(RPCError) in
                try EndWait(session, reply).begin(for: connection) { connection throws(RPCError) in
                    try connection.open(params, opening, reply, isAgain: isAgain)
                }
            }
        }
        if !isNew, session.scope != .each, session.summary.newest > 0 {
            return try views.attach(to: session, request)
        }
        guard let opening else { return try views.open(session, request, isNew: isNew, canComeBack: false) }
        // Of two servers that make the same session at once the store takes that of one. Then the other one finds it there.
        let again: ((Connection) throws(RPCError) -> Void)? =
            isAgain
            ? nil : { connection throws(RPCError) in try connection.open(params, opening, reply, isAgain: true) }
        try views.open(session, request, isNew: isNew, canComeBack: true, again: again)
    }
}
