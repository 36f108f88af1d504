import Contracts
import JSON
import JSONRPC
import Sessions
import Transport
import ViewModelProtocol

extension Connection {
    /// Adds a view to a running session. With `since`, the events after that number follow the answer; without, the answer
    /// has a snapshot.
    func attachView(_ params: SessionAttach.Params, _ reply: Reply<SessionAttach>) throws(RPCError) {
        if try asksOpener(params, reply) { return }
        if let session = core.sessions.session(withKey: params.key), !session.hasLeftMemory {
            // The session moves to the server where its view is.
            if origin == .otherServer, session.isDurable, session.scene?.leaveMemory() == true {
                core.relays.didMove()
                throw .notHere
            }
            return try withOwned(session, reply) { [self] () throws(RPCError) in
                if session.hasLeftMemory { return try attachView(params, reply) }
                try attachView(to: session, params, reply)
            }
        }
        guard core.sessions.journal != nil else { throw .unknownKey }
        find(.session(key: params.key), params, reply) { [self] session throws(RPCError) in
            guard let session else { throw .unknownKey }
            try attachView(to: session, params, reply)
        }
    }

    private func attachView(
        to session: Session, _ params: SessionAttach.Params, _ reply: Reply<SessionAttach>
    ) throws(RPCError) {
        guard session.isEndUntold else {
            return try views.attach(to: session, ViewRequest(params, reply.call, to: session))
        }
        try EndWait(session, reply).begin(for: self) { connection throws(RPCError) in
            try connection.attachView(params, reply)
        }
    }

    /// Ends a session for all its clients. The answer is sent once the end is stored, so that the session can't come back
    /// after a restart.
    ///
    /// A session that everyone finds goes on: whoever closes it only leaves it.
    ///
    /// - Throws: `StoreUnavailable` where the end can't be stored now. Then nothing has changed.
    func closeSession(_ params: SessionClose.Params, _ reply: Reply<SessionClose>) throws(RPCError) {
        let number = params.session.rawValue
        let view = try views.view(number)
        try view.check(mayDo: "it can't end the session, but be detached")
        let session = view.session
        guard session.scope != .everyone || session.isChild else {
            try views.detach(number)
            return answer(reply, Null())
        }
        if let failure = StoredEnd(of: session).failure { throw RPCError(failure) }
        // Ended before its view is detached: a session that loses its last view waits for another one.
        session.end(.closed)
        views.detach(number, endsSession: false)
        // Closings of sessions that aren't stored are answered at once, and in the order of their requests.
        guard session.scene?.committer != nil else { return answer(reply, Null()) }
        views.unfinishedJobs += 1
        StoredEnd(of: session).whenTold { [handle] outcome in
            handle.perform { connection in
                if let error = outcome.error {
                    connection.answer(reply, error: RPCError(error))
                } else {
                    connection.answer(reply, Null())
                }
                connection.views.didFinishJob()
            }
        }
    }

    /// Gives out a key with which others may look at a session and do nothing else. The answer is sent once the key is stored, so
    /// that it is good after a restart, too.
    ///
    /// A client that only looks itself gets the key that it has.
    func giveKey(_ params: SessionKeyMethod.Params, _ reply: Reply<SessionKeyMethod>) throws(RPCError) {
        let view = try views.view(params.session.rawValue)
        guard view.readKey == nil else { return answer(reply, .init(key: .init(view.key))) }
        if view.session.isDurable, let failure = core.sessions.journal?.failure {
            throw .storeUnavailable(failure.reason)
        }
        views.unfinishedJobs += 1
        core.sessions.readKeys.give(of: view.session, core.sessions.makeKey) { [handle] key, outcome in
            handle.perform { connection in
                if let error = outcome.error {
                    connection.answer(reply, error: RPCError(error))
                } else {
                    connection.answer(reply, .init(key: .init(key)))
                }
                connection.views.didFinishJob()
            }
        }
    }

    /// Calls `body` once the store has said whether this server still has the session.
    ///
    /// A durable session may have moved to another server while this one was suspended. The session has then left this
    /// server's memory when `body` is called, and nothing of it may be told here.
    func withOwned<Method>(
        _ session: Session, _ reply: Reply<Method>, _ body: @escaping () throws(RPCError) -> Void
    ) throws(RPCError) {
        guard let scene = session.storage?.header.scene else { return try body() }
        load(.owner(scene: scene)) { [self] found in
            do throws(RPCError) {
                if case .failed(let error) = found { throw error }
                try body()
            } catch {
                answer(reply, error: error)
            }
        }
    }
}

extension Connection {
    /// Finds a stored session: reads it from the store, or sends the request on to the server that has it.
    ///
    /// - Parameter then: called on the loop with the session once it is in memory here, or with nil where there is none. Not
    ///   called where the connection is gone.
    func find<Method: ClientMethod>(
        _ query: StoreQuery, _ params: Method.Params, _ reply: Reply<Method>,
        then: @escaping (Session?) throws(RPCError) -> Void
    ) {
        load(query) { [self] found in
            do throws(RPCError) {
                switch found {
                case .failed(let error): throw error
                case .session(let session): try then(session)
                case .held(let holder):
                    // The server that relayed the request searches again, and finds the holder by itself.
                    guard origin != .otherServer else { throw .notHere }
                    let request = RemoteSearch.Request(
                        call: reply.call, method: Method.name, params: try JSONText(result: params), query: query)
                    RemoteSearch(request, for: self, then: then).begin(holder)
                }
            } catch {
                answer(reply, error: error)
            }
        }
    }

    /// Sends a request on to the opener, the one server that has all sessions, where this server was set up with one. Only
    /// tests set one up.
    ///
    /// - Returns: false where there is no opener, and nothing was sent.
    func asksOpener<Method: ClientMethod>(
        _ params: Method.Params, _ reply: Reply<Method>
    ) throws(RPCError) -> Bool {
        guard let opener = core.links?.opener else { return false }
        let request = RemoteSearch.Request(
            call: reply.call, method: Method.name, params: try JSONText(result: params), query: nil)
        RemoteSearch(request, for: self) { _ in }.begin(opener)
        return true
    }
}

extension RPCError {
    fileprivate static let unknownKey = RPCError(
        .unknownSession, "there is no session with this key; it ended, or the key is wrong")
}

extension ServerCore {
    func describe(_ name: String, hasPrincipal: Bool) throws(RPCError) -> ViewModelDescribe.Result {
        guard let contract = contract(of: name) else {
            let reason = "there is no view model \"\(name)\"; registered are"
            throw .unknownViewModel(reason, known: registry.allNames)
        }
        return ViewModelDescribe.Result(name, contract, .init(scope(of: name, hasPrincipal: hasPrincipal)))
    }

    func unknownViewModel(_ name: String) -> RPCError {
        let reason =
            registry.allNames.contains(name)
            ? "\"\(name)\" is only shown by other view models; clients can open"
            : "there is no view model \"\(name)\"; registered are"
        return .unknownViewModel(reason, known: registry.names)
    }
}

extension ViewModelDescribe.Result {
    fileprivate init(_ name: String, _ contract: JSONTree, _ scope: Initialize.FindingScope?) {
        func text(_ member: String) -> JSONText? {
            contract[member].map { tree in JSONText { tree.write(into: &$0) } }
        }
        func schema(_ member: String) -> SchemaText { SchemaText(text(member) ?? .emptyObject) }
        let description: String? = if case .string(let text)? = contract["description"] { text } else { nil }
        self.init(
            name: name, description: description, scope: scope, arguments: schema("arguments"),
            viewEvent: schema("viewEvent"), viewModelEvent: schema("viewModelEvent"),
            lists: text("lists").map { ListSchemas($0) }, definitions: text("$defs").map { SchemaDefinitions($0) })
    }
}
