import JSON
import JSONRPC
import Sessions
import Transport
import ViewModelProtocol
import ViewModels

extension Connection {
    /// Handles `initialize`. The token and the version may also be in `initializationOptions`, the only place where most
    /// editors let a user set something.
    func initialize(_ params: Initialize.Params, _ reply: Reply<Initialize>) throws(RPCError) {
        var delay = Duration.zero
        do throws(RPCError) {
            if let principal = try core.judge(params, of: stream, &delay) { try identify(as: principal) }
        } catch {
            guard delay > .zero else {
                if error.code == .unauthorized { closeAfterAnswer() }
                throw error
            }
            return refuse(reply, error, after: delay)
        }
        note(params.clientInfo)
        if let isolation = core.isolation { try isolate(by: isolation, params, reply) }
        didInitialize(client: params.clientInfo, processID: params.processId, trace: params.trace ?? .off)
        if core.isolation == nil { answer(reply, core.initializeResult) }
    }
}

extension Connection {
    /// Answers with the error after the delay, and closes the connection. No message behind the request is read meanwhile.
    private func refuse(_ reply: Reply<Initialize>, _ error: RPCError, after delay: Duration) {
        holdMessages()
        let bound = LoopBound(self, loop: loop)
        _ = loop.schedule(after: delay) {
            bound.value.closeAfterAnswer()
            bound.value.answer(reply, error: error)
        }
    }

    /// Puts the client's sessions in a process of its own. The client is answered once that process has answered.
    ///
    /// - Throws: where the client can have no process. This connection is closed then.
    private func isolate(
        by isolation: Isolation, _ params: Initialize.Params, _ reply: Reply<Initialize>
    ) throws(RPCError) {
        let process = ClientProcess(isolation, principal: principal, name: params.clientInfo?.name, on: loop)
        do throws(RPCError) {
            try isolate(process).start(reply, core.initializeResult)
        } catch {
            closeAfterAnswer()
            throw error
        }
        logOwn(.info, "initialized; \(process) serves \(process.client)")
    }

    /// Counts the connection for the principal whose token the client has sent.
    ///
    /// - Throws: `LimitExceeded` where the principal has too many connections; this one is closed.
    private func identify(as principal: String) throws(RPCError) {
        let owner = Owner(principal: principal)
        do throws(RPCError) {
            try core.count(index, for: owner)
        } catch {
            closeAfterAnswer()
            throw error
        }
        (self.owner, self.principal) = (owner.name, principal)
    }
}

extension ServerCore {
    /// Checks a client's token and protocol version, and returns the principal that the token names; nil where it names none.
    ///
    /// - Parameter delay: set to how long the answer to a wrong token waits; unchanged for a client without a token, which
    ///   hasn't guessed.
    /// - Throws: `Unauthorized` where the token is wrong or missing, which ends the connection; `InvalidParams` for the
    ///   version or an option.
    func judge(
        _ params: Initialize.Params, of stream: any ByteStream, _ delay: inout Duration
    ) throws(RPCError) -> String? {
        let token = try params.setting(params.token, "token")
        guard case .accepted(let principal) = judge(token: token) else {
            if token != nil { delay = noteWrongToken(of: stream.peerDescription) }
            let advice = "pass the server's token as \"token\", or in initializationOptions"
            throw RPCError(.unauthorized, "the token is wrong or missing; \(advice)")
        }
        if let version = try params.setting(params.protocolVersion, "protocolVersion"),
            !ProtocolVersion.isSupported(version)
        {
            throw .unsupported(version: version)
        }
        return principal
    }
}

extension Initialize.Params {
    /// Returns the value of a param: the member where there is one, else the option of this name in `initializationOptions`.
    ///
    /// - Throws: an `InvalidParams` for an option that isn't a string.
    fileprivate func setting(_ member: String?, _ name: StaticString) throws(RPCError) -> String? {
        if let member { return member }
        return try initializationOptions?.withValue { options throws(RPCError) -> String? in
            guard let value = options.member(name), value.kind != .null else { return nil }
            guard let string = value.string() else {
                throw .invalidParams(at: Params.path(name), "expected a string but found \(value.kind)")
            }
            return string
        }
    }
}

extension RPCError {
    fileprivate static func unsupported(version: String) -> RPCError {
        let current = ProtocolVersion.current.rawValue
        return RPCError(
            .invalidParams, "protocolVersion \"\(version)\" is not supported; this server speaks \(current)",
            with: InvalidParamsData(path: "/protocolVersion", reason: "not supported", supported: [current]))
    }
}

extension ServerCore {
    fileprivate var initializeResult: Initialize.Result {
        let named = { name in
            Initialize.NamedViewModel(
                name: name, type: self.registry.typeName(of: name),
                scope: .init(self.scope(of: name, hasPrincipal: self.hasPrincipals)))
        }
        let children = registry.childNames
        return Initialize.Result(
            serverInfo: .init(name: name, version: version),
            capabilities: .init(
                viewModels: registry.names.map(named), children: children.isEmpty ? nil : children.map(named),
                resume: true, durable: sessions.journal != nil),
            limits: .init(
                messageBytes: .init(limits.messageBytes), sessions: .init(limits.sessions),
                pendingEvents: .init(limits.pendingEvents), replayEvents: .init(limits.replayEvents),
                rows: .init(limits.rows), rowBytes: .init(limits.rowBytes)))
    }
}

extension Initialize.FindingScope {
    /// Nil for the scope `each`, in which nothing is found.
    init?(_ scope: SessionScope) {
        self.init(rawValue: scope.rawValue)
    }
}
