import FoundationEssentials
import LibC
import Synchronization
import TestSupport
import Testing
import ViewModelClient
import ViewModelServer

/// The protocol of the package `swift-service-lifecycle`, as it is there.
private protocol Service: Sendable {
    func run() async throws
}

// The line that the article shows, but for `@retroactive`, as the protocol is of this module.
extension ViewModelService: Service {}

/// A server as a part of another program.
@Suite(.inTurn, .timeLimit(.minutes(4))) struct ServiceTests {
    /// Adds up, and says who asked.
    actor TallyViewModel: ViewModel, DurableViewModel {
        enum ViewEvent: Codable, Sendable { case add(Int) }
        enum ViewModelEvent: Codable, Sendable, Equatable { case sum(Int, by: String?) }

        let output = Output<ViewModelEvent>()
        @Saved private var sum = 0
        private let hasStopped: Recorder<Int>

        init(hasStopped: Recorder<Int> = Recorder()) { self.hasStopped = hasStopped }

        private let additions = Metrics.counter("tally_additions_total", "Numbers that were added.")

        func handle(event: ViewEvent) {
            if case .add(let amount) = event {
                sum += amount
                additions.add()
                Log.current.info("\(amount) is added")
            }
            output.send(.sum(sum, by: Client.current?.principal))
        }

        func stop() { hasStopped.record(sum) }
    }

    typealias RemoteTally = RemoteViewModel<TallyViewModel.ViewModelEvent, TallyViewModel.ViewEvent>

    /// A service of tallies.
    private func tallies(
        _ configuration: ViewModelService.Configuration = .init(), _ hasStopped: Recorder<Int> = Recorder()
    ) -> ViewModelService {
        ViewModelService(configuration) { registry in
            registry.add("tally") { TallyViewModel(hasStopped: hasStopped) }
        }
    }

    /// Runs a service while `body` uses it.
    private func running<Result: Sendable>(
        _ service: ViewModelService, _ body: (ViewModelService) async throws -> Result
    ) async throws -> Result {
        async let run: Void = service.run()
        do {
            let result = try await body(service)
            service.stop()
            try await run
            return result
        } catch {
            service.stop()
            try? await run
            throw error
        }
    }

    /// Adds to a tally, and returns what it tells.
    private func add(_ amount: Int, to tally: RemoteTally) async throws -> TallyViewModel.ViewModelEvent {
        let told = Recorder<TallyViewModel.ViewModelEvent>()
        let subscription = tally.output.subscribe { told.record($0) }
        defer { subscription.cancel() }
        try await tally.handle(event: .add(amount))
        return try #require(await told.elements(count: 1).last)
    }

    private func port(of service: ViewModelService) async throws -> UInt16 {
        for case .tcp(let address) in try await service.addresses { return address.port }
        throw Missing()
    }

    private struct Missing: Error {}

    private func withTemporaryFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        let path = "/tmp/vms-service-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }

    private func startError(_ service: ViewModelService) async -> ViewModelService.StartError? {
        do {
            try await service.run()
            return nil
        } catch {
            return error as? ViewModelService.StartError
        }
    }

    @Test func `a service listens on a free port and serves until its task is cancelled`() async throws {
        let hasStopped = Recorder<Int>()
        let service = tallies(.init(tcp: .loopback(0)), hasStopped)
        let oneOfAGroup: any Service = service
        let run = Task { try await oneOfAGroup.run() }
        let port = try await port(of: service)
        #expect(port > 0)
        let server = try await RemoteServer.connect(port: port)
        let tally: RemoteTally = server.viewModel("tally")
        try await tally.start()
        #expect(try await add(3, to: tally) == .sum(3, by: nil))
        run.cancel()
        try await run.value
        #expect(hasStopped.elements == [3])
        await server.close()
    }

    /// Stops when it is let.
    private actor ReluctantViewModel: ViewModel {
        enum ViewEvent: Codable { case ask }
        enum ViewModelEvent: Codable { case answer }

        let output = Output<ViewModelEvent>()
        private let stops: Recorder<Void>
        private let mayStop: Gate

        init(_ stops: Recorder<Void>, _ mayStop: Gate) { (self.stops, self.mayStop) = (stops, mayStop) }

        func handle(event: ViewEvent) {}

        func stop() async {
            stops.record(())
            await mayStop.wait()
        }
    }

    @Test func `a service takes no further client while it drains`() async throws {
        let (stops, mayStop) = (Recorder<Void>(), Gate())
        let path = "/tmp/service-draining-\(getpid()).socket"
        let service = ViewModelService(.init(unix: path)) { registry in
            registry.add("reluctant") { ReluctantViewModel(stops, mayStop) }
        }
        try await running(service) { service in
            let server = try await service.connect()
            let model: RemoteViewModel<ReluctantViewModel.ViewModelEvent, ReluctantViewModel.ViewEvent> =
                server.viewModel("reluctant")
            try await model.start()
            #expect(access(path, F_OK) == 0)
            service.stop()
            _ = await stops.elements(count: 1)
            #expect(access(path, F_OK) != 0)
            mayStop.open()
            await server.close()
        }
    }

    @Test func `a client of the same process needs no address`() async throws {
        try await running(tallies()) { service in
            #expect(try await service.addresses.isEmpty)
            let server = try await service.connect()
            #expect(server.viewModelNames == ["tally"])
            let tally: RemoteTally = server.viewModel("tally")
            try await tally.start()
            #expect(try await add(5, to: tally) == .sum(5, by: nil))
            await server.close()
        }
    }

    @Test func `several services in one process don't know each other`() async throws {
        try await running(tallies(.init(tcp: .loopback(0)))) { first in
            try await running(tallies(.init(tcp: .loopback(0)))) { second in
                #expect(try await port(of: first) != port(of: second))
                for (service, amount) in [(first, 1), (second, 20)] {
                    let server = try await service.connect()
                    let tally: RemoteTally = server.viewModel("tally")
                    try await tally.start()
                    #expect(try await add(amount, to: tally) == .sum(amount, by: nil))
                    await server.close()
                }
            }
        }
    }

    @Test func `a service runs again after its end, and its clients and sessions come back`() async throws {
        try await withTemporaryFolder { folder in
            let service = tallies(.init(tcp: .loopback(0), store: .sqlite("\(folder)/store.db")))
            let (server, tally) = try await running(service) { service in
                let server = try await service.connect()
                let tally: RemoteTally = server.viewModel("tally")
                try await tally.start()
                #expect(try await add(2, to: tally) == .sum(2, by: nil))
                return (server, tally)
            }
            try await running(service) { _ in
                let told = try await add(3, to: tally)
                #expect(told == .sum(5, by: nil))
                await server.close()
            }
        }
    }

    @Test func `who waits for the addresses is told why there are none`() async throws {
        try await running(tallies(.init(tcp: .loopback(0)))) { first in
            let taken = try await port(of: first)
            let second = tallies(.init(tcp: .loopback(taken)))
            let addresses = Task { try await second.addresses }
            let error = try #require(await startError(second))
            #expect(error.cause == .address)
            #expect(error.description.contains("127.0.0.1:\(taken)"), "\(error)")
            let told = await #expect(throws: ViewModelService.StartError.self) { try await addresses.value }
            #expect(told == error)
        }
    }

    @Test func `who waits for the addresses can be cancelled`() async throws {
        let service = tallies()
        let task = Task { try await service.addresses }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `a store that another service has is an error`() async throws {
        try await withTemporaryFolder { folder in
            let store = ViewModelService.Store.sqlite("\(folder)/store.db")
            try await running(tallies(.init(store: store))) { first in
                _ = try await first.addresses
                let error = try #require(await startError(tallies(.init(store: store))))
                #expect(error.cause == .store)
                #expect(error.description.contains("in use by another server"), "\(error)")
            }
        }
    }

    @Test func `a service whose store is taken over ends with that reason`() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/store.db"
            let first = tallies(.init(store: .sqlite(path)))
            let run = Task { await startError(first) }
            _ = try await first.addresses
            _ = try await running(tallies(.init(store: .sqlite(path, takesOver: true)))) { try await $0.addresses }
            let error = try #require(await run.value)
            #expect(error.cause == .store)
            #expect(error.description.contains("another server"), "\(error)")
        }
    }

    @Test func `a service that runs can't be run once more`() async throws {
        try await running(tallies()) { service in
            _ = try await service.addresses
            let error = try #require(await startError(service))
            #expect(error.cause == .configuration && error.description == "view-model-service runs already")
        }
    }

    private struct NoDatabase: Error {}

    @Test func `an error of the registration is thrown as it is, and the next run may succeed`() async throws {
        let attempts = Atomic<Int>(0)
        let service = ViewModelService { registry in
            if attempts.wrappingAdd(1, ordering: .relaxed).newValue == 1 { throw NoDatabase() }
            registry.add("tally") { TallyViewModel() }
        }
        await #expect(throws: NoDatabase.self) { try await service.run() }
        let addresses = try await running(service) { try await $0.addresses }
        #expect(addresses.isEmpty)
    }

    @Test(
        arguments: [
            (
                .init(tcp: TCPAddress(host: "0.0.0.0", port: 0)),
                "0.0.0.0:0 can be reached from other machines; give clients tokens (access)"
            ),
            (.init(store: .sqlite(":memory:")), "the store is the path of a file, not ':memory:'"),
            (.init(store: .redis("http://example.org")), "the store's address:"),
            (with(.token("short")), "the token has less than 16 bytes; make them at random"),
            (with(.principals(["ada": "too short"])), "the tokens: a token has no blanks"),
            (with(.principals(["ada": "short"])), "the tokens: the token of ada has 5 bytes"),
            (with(.principals([:])), "the tokens: there is no principal"),
            (withViews("/nowhere"), "the page's views: /nowhere has no views.js"),
        ] as [(ViewModelService.Configuration, String)])
    func `a configuration that can't be is refused with the reason`(
        _ configuration: ViewModelService.Configuration, _ reason: String
    ) async throws {
        let error = try #require(await startError(tallies(configuration)))
        #expect(error.cause == .configuration)
        #expect(error.description.hasPrefix(reason), "\(error)")
    }

    private static func with(_ access: ViewModelService.Access) -> ViewModelService.Configuration {
        var configuration = ViewModelService.Configuration()
        configuration.access = access
        return configuration
    }

    private static func withViews(_ folder: String) -> ViewModelService.Configuration {
        var configuration = ViewModelService.Configuration(tcp: .loopback(0))
        configuration.pageViews = folder
        return configuration
    }

    @Test func `view models know the principal of a client in this process, too`() async throws {
        let token = "0123456789abcdef"
        try await running(tallies(Self.with(.principals(["ada": token])))) { service in
            await #expect(throws: RemoteError.self) { try await service.connect() }
            var options = RemoteServer.Options()
            options.token = token
            let server = try await service.connect(options: options)
            let tally: RemoteTally = server.viewModel("tally")
            try await tally.start()
            #expect(try await add(1, to: tally) == .sum(1, by: "ada"))
            await server.close()
        }
    }

    @Test func `a service that waits for its store can be stopped`() async throws {
        try await withTemporaryFolder { folder in
            let messages = Recorder<LogEntry>()
            let service = tallies(.init(store: .redis("unix://\(folder)/redis.socket")) { messages.record($0) })
            let run = Task { try await service.run() }
            let message = await messages.elements(count: 1)[0]
            #expect(message.level == .warning && message.client == nil && !message.isNotice)
            #expect(message.message.hasPrefix("waiting for the store before clients are served:"), "\(message)")
            service.stop()
            try await run.value
        }
    }

    @Test func `the log tells its level, its client, and what is a notice`() async throws {
        let messages = Recorder<LogEntry>()
        var configuration = ViewModelService.Configuration(unix: "/tmp/service-\(getpid()).socket") {
            messages.record($0)
        }
        configuration.logLevel = .info
        let path = try #require(configuration.unix)
        try await running(tallies(configuration)) { service in
            #expect(try await service.addresses == [.unix(path)])
            let server = try await RemoteServer.connect(path: path)
            await server.close()
        }
        let first = try #require(messages.elements.first)
        #expect(first.isNotice && first.description == "listening on \(path)")
        #expect(messages.elements.contains { $0.client == "unix" && $0.level == .info })
        #expect(access(path, F_OK) != 0, "the socket's file is removed")
    }

    @Test func `a view model's messages have its name, its session and the client`() async throws {
        let messages = Recorder<LogEntry>()
        var configuration = Self.with(.principals(["ada": "0123456789abcdef"]))
        configuration.log = { if $0.viewModel != nil { messages.record($0) } }
        for (level, count) in [(Log.Level.warning, 0), (.info, 1)] {
            configuration.logLevel = level
            try await running(tallies(configuration)) { service in
                var options = RemoteServer.Options()
                options.token = "0123456789abcdef"
                let server = try await service.connect(options: options)
                let tally: RemoteTally = server.viewModel("tally")
                try await tally.start()
                _ = try await add(7, to: tally)
                await server.close()
            }
            #expect(messages.elements.count == count)
        }
        let message = try #require(messages.elements.first)
        #expect(message.description == "tally#1 (ada): 7 is added")
        #expect(message.viewModel == "tally" && message.session == 1 && message.client == "ada")
        #expect(message.level == .info && message.message == "7 is added")
    }

    @Test func `the figures are values, and so are one's own`() async throws {
        let service = tallies()
        func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
            service.metrics.first { $0.name == name }?.samples.first { $0.labels == labels }?.value
        }
        #expect(value("view_model_server_connections") == nil, "it doesn't serve")
        try await running(service) { service in
            let server = try await service.connect()
            let tally: RemoteTally = server.viewModel("tally")
            try await tally.start()
            let before = try #require(value("tally_additions_total"))
            _ = try await add(7, to: tally)
            #expect(try #require(value("tally_additions_total")) > before)
            #expect(value("view_model_server_connections") == 1)
            #expect(value("view_model_server_sessions", ["view_model": "tally"]) == 1)
            #expect(value("view_model_server_info", ["name": "view-model-service", "version": "0.0.0"]) == 1)
            await server.close()
        }
    }

    @Test func `a service leaves the signals to its program`() async throws {
        let signals = [SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGUSR1, SIGSEGV]
        func handlers() -> [UInt] {
            signals.map { signal in
                var action = sigaction()
                sigaction(signal, nil, &action)
                return unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
            }
        }
        let before = handlers()
        try await running(tallies(.init(tcp: .loopback(0)))) { service in
            _ = try await service.addresses
            #expect(handlers() == before)
        }
        #expect(handlers() == before)
    }
}
