import Commands
import JSONRPC
import Serving
public import Sessions
public import Transcripts
import Transport
public import ViewModelServer

extension Transcript {
    /// Plays the client's side to a server in this process, and records an issue where it doesn't answer as the transcript
    /// says; once with each framing.
    ///
    /// Every replay has a server of its own, whose keys are "key-1", "key-2", … in order and whose time is the transcript's:
    /// see ``TranscriptClock``. Nothing is left running.
    ///
    /// - Parameters:
    ///   - server: the server as its executable runs it.
    ///   - limits: instead of the server's own.
    ///   - token: what clients must carry.
    ///   - timeout: how long nothing may come, in real time, while something is expected.
    public func replay<S: Server>(
        on server: S.Type, limits: Limits? = nil, token: String? = nil, timeout: Duration = .seconds(10)
    ) async {
        var registry = Registry()
        S.register(in: &registry)
        await replay(
            name: S.name, version: S.version, limits: limits ?? S.limits, token: token, timeout: timeout,
            registering: { [registry] given, _ in given = registry })
    }

    /// As ``replay(on:limits:token:timeout:)``, on a server with the view models that `register` adds.
    ///
    /// ```swift
    /// await transcript.replay { registry, clock in
    ///     registry.add("orders") { OrdersViewModel(provider: SlowOrders(clock: clock), arguments: $0) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: what the server calls itself.
    ///   - version: the version that it says it has.
    ///   - register: called for each replay, with the clock that it runs by. A view model that sleeps on it sleeps as long as
    ///     the transcript says, and no longer in real time.
    public func replay(
        name: String = "view-model-server", version: String = "0.0.0", limits: Limits = Limits(),
        token: String? = nil, timeout: Duration = .seconds(10),
        registering register: @escaping @Sendable (inout Registry, TranscriptClock) -> Void
    ) async {
        let issue = await issue(
            name: name, version: version, limits: limits, token: token, timeout: timeout, registering: register)
        issue?.record()
    }

    /// What a replay finds wrong; nil when nothing is.
    func issue(
        name: String = "view-model-server", version: String = "0.0.0", limits: Limits = Limits(),
        token: String? = nil, timeout: Duration = .seconds(10),
        registering register: @escaping @Sendable (inout Registry, TranscriptClock) -> Void
    ) async -> TranscriptIssue? {
        if let problem { return TranscriptIssue(problem, path: path) }
        var server = InProcessServer(name: name, version: version, limits: limits, register: register)
        server.token = token.flatMap(Token.init)
        var options = TranscriptRunner.Options(side: .client)
        options.timeout = timeout
        return TranscriptUpdates.areWanted ? await update(server, options) : await check(server, options)
    }

    private func check(_ server: InProcessServer, _ options: TranscriptRunner.Options) async -> TranscriptIssue? {
        var options = options
        for framing in Framing.allCases {
            options.framing = framing
            let outcome = await server.replay(path, options)
            // With the other framing it would say the same again.
            if let issue = TranscriptIssue(outcome, of: path, "framed by \(framing)") { return issue }
        }
        return nil
    }

    private func update(_ server: InProcessServer, _ options: TranscriptRunner.Options) async -> TranscriptIssue? {
        var options = options
        options.player.isUpdating = true
        let outcome = await server.replay(path, options)
        guard case .passed(_, let entries) = outcome else {
            return TranscriptIssue(outcome, of: path, "while it was updated")
        }
        do {
            guard try UpdatedTranscript(path: path, entries: entries).write() else { return nil }
            let advice = "look at the changes, and run the tests again"
            return TranscriptIssue("\(path) was rewritten; \(advice)", path: path)
        } catch {
            return TranscriptIssue("\(error)", path: path)
        }
    }
}
