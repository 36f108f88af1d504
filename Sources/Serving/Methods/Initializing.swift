import JSON
import JSONRPC
import Sessions
import Transport
import ViewModelProtocol

extension Connection {
    /// The token and the version are also read from `initializationOptions`, the only place where most editors let a
    /// user set something.
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
        if let isolation = core.isolation { try isolate(by: isolation, params, reply) }
        didInitialize(client: params.clientInfo, processID: params.processId, trace: params.trace ?? .off)
        if core.isolation == nil { answer(reply, core.initializeResult) }
    }
}

extension Connection {
    /// Messages behind it aren't looked at, before the answer neither.
    private func refuse(_ reply: Reply<Initialize>, _ error: RPCError, after delay: Duration) {
        holdMessages()
        let bound = LoopBound(self, loop: loop)
        _ = loop.schedule(after: delay) {
            bound.value.closeAfterAnswer()
            bound.value.answer(reply, error: error)
        }
    }

    /// Has the sessions of the client be in a process of its own, which answers before the client is answered.
    ///
    /// - Throws: where there is none for it. This connection is closed.
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

    /// The client has carried a principal's token.
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
    /// Whether a client may initialize, and as which principal.
    ///
    /// - Parameter delay: how long a client that isn't let in waits for its answer. One without a token hasn't guessed.
    /// - Throws: `Unauthorized` where its token is wrong or missing, which ends the connection; `InvalidParams`.
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
    /// The member, or else the option of this name.
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
        let named = { [registry] in Initialize.NamedViewModel(name: $0, type: registry.typeName(of: $0)) }
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
