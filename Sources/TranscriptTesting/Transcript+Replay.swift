import Commands
import JSONRPC
import Serving
public import Sessions
import Transcripts
import Transport
public import ViewModels
public import ViewModelServer

extension Transcript {
    /// Plays the client's side to a server in this process. The test fails if the server deviates from the
    /// transcript.
    ///
    /// ``Transcript`` has an example. The transcript is replayed once with each framing, each time to a server of its
    /// own that has ended when this returns; while transcripts are rewritten, once. The server's session keys are
    /// "key-1", "key-2", … in order. Its time is the transcript's: a line `"at":180000` lets three minutes pass without
    /// waiting, for the server and for view models that take their clock from the container.
    ///
    /// - Parameters:
    ///   - server: the server that the executable runs. Its options have their initial values, and `validate()` isn't
    ///     called. If its `register(in:)` throws, the test fails.
    ///   - limits: the limits of the server; nil: its own.
    ///   - token: the token that clients must carry. It takes the place of one that was taken out of the transcript.
    ///     Nil, or an empty one, lets all clients in.
    ///   - people: tokens by the names of the people who have them, in place of one for all. A transcript has them as they are.
    ///     Each has at least 16 bytes.
    ///   - timeout: how long, in real time, nothing may come while something is expected. Then the test fails. It must
    ///     be positive.
    ///   - override: registers dependencies in place of those that the server has registered, such as a clock or a
    ///     provider of data. Called after each `register(in:)` of the server. If it throws, the test fails.
    public func replay<S: Server>(
        on server: S.Type, limits: Limits? = nil, token: String? = nil, people: [String: String] = [:],
        timeout: Duration = .seconds(60),
        overriding override: @escaping (Container) throws -> Void = { _ in }
    ) async {
        let server = S()
        let issue = await issue(
            name: S.name, version: S.version, limits: limits ?? S.limits, token: token, people: people,
            timeout: timeout,
            registering: { registry in
                try await server.register(in: &registry)
                try override(registry.container)
            }, shutDown: { await server.shutDown() })
        issue?.record()
    }

    /// Plays the client's side to a server with the view models that `register` adds.
    ///
    /// In all else it is like ``replay(on:limits:token:people:timeout:overriding:)``.
    ///
    /// ```swift
    /// await transcript.replay { registry in
    ///     registry.add("orders", OrdersViewModel.self)
    ///     registry.container.register((any OrdersProvider).self) { try SlowOrders(clock: $0.resolve()) }
    /// }
    /// ```
    ///
    /// The transcript may have been recorded with another server. If neither a name nor a version is given, its
    /// answer to `initialize` may have any name, version, limits and list of view models.
    ///
    /// - Parameters:
    ///   - name: the name of the server; nil: that of this package.
    ///   - version: the version of the server; nil: that of this package.
    ///   - limits: the limits of the server.
    ///   - token: the token that clients must carry; nil, or an empty one, lets all clients in.
    ///   - people: tokens by the names of the people who have them, in place of one for all.
    ///   - timeout: how long, in real time, nothing may come while something is expected; positive.
    ///   - register: called for each replay, with an empty registry whose container resolves `any Clock<Duration>` to
    ///     the transcript's time. If it throws, the test fails.
    public func replay(
        name: String? = nil, version: String? = nil, limits: Limits = Limits(),
        token: String? = nil, people: [String: String] = [:],
        timeout: Duration = .seconds(60),
        registering register: @escaping (inout Registry) throws -> Void
    ) async {
        // A closure, since Swift 6.3 crashes when it converts a function that was passed on to an async one.
        await replay(name: name, version: version, limits: limits, token: token, people: people, timeout: timeout) {
            registry async throws in
            try register(&registry)
        }
    }

    /// Plays the client's side to a server with the view models that an `async` function adds.
    ///
    /// In all else it is like ``replay(on:limits:token:people:timeout:overriding:)``.
    ///
    /// If neither a name nor a version is given, the transcript's answer to `initialize` may have any name, version,
    /// limits and list of view models.
    ///
    /// - Parameters:
    ///   - name: the name of the server; nil: that of this package.
    ///   - version: the version of the server; nil: that of this package.
    ///   - limits: the limits of the server.
    ///   - token: the token that clients must carry; nil, or an empty one, lets all clients in.
    ///   - people: tokens by the names of the people who have them, in place of one for all.
    ///   - timeout: how long, in real time, nothing may come while something is expected; positive.
    ///   - register: called for each replay, with an empty registry whose container resolves `any Clock<Duration>` to
    ///     the transcript's time. If it throws, the test fails.
    public func replay(
        name: String? = nil, version: String? = nil, limits: Limits = Limits(),
        token: String? = nil, people: [String: String] = [:],
        timeout: Duration = .seconds(60),
        registering register: @escaping (inout Registry) async throws -> Void
    ) async {
        let issue = await issue(
            name: name, version: version, limits: limits, token: token, people: people, timeout: timeout,
            registering: register)
        issue?.record()
    }

    /// Replays the transcript as `replay` does, and returns the issue; nil if the replay passes.
    func issue(
        name: String? = nil, version: String? = nil, limits: Limits = Limits(),
        token: String? = nil, people: [String: String] = [:],
        timeout: Duration = .seconds(60),
        registering register: @escaping (inout Registry) async throws -> Void,
        shutDown: @escaping () async -> Void = {}
    ) async -> TranscriptIssue? {
        if let problem { return TranscriptIssue(problem, path: path) }
        var server = InProcessServer(
            name: name ?? Release.name, version: version ?? Release.version, limits: limits, register: register,
            shutDown: shutDown)
        do {
            server.tokens = try tokens(token, people)
        } catch {
            return TranscriptIssue("people: \(error.reason)", path: path)
        }
        var options = TranscriptRunner.Options(side: .client)
        options.timeout = timeout
        options.player.takesAnyServer = name == nil && version == nil
        return TranscriptUpdates.areWanted ? await update(server, options) : await check(server, options)
    }

    private func tokens(_ token: String?, _ people: [String: String]) throws(Tokens.Mistake) -> Tokens? {
        if people.isEmpty { return token.flatMap(Token.init).map { Tokens($0) } }
        return try Tokens(
            file: people.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: "\n"))
    }

    private func check(_ server: InProcessServer, _ options: TranscriptRunner.Options) async -> TranscriptIssue? {
        var options = options
        for framing in Framing.allCases {
            options.framing = framing
            let outcome = await server.replay(path, options)
            // With the other framing, the same issue would only come again.
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
