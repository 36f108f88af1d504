import JSONRPC
import Sessions
import Synchronization
import TestSupport
import Testing
import Serving
import ViewModels

/// View models know who asks, and only that.
@Suite(.inTurn, .timeLimit(.minutes(4)))
struct AskingClientTests {
    private static let file = "ada ada-0123456789abcdef\nbob bob-0123456789abcdef\n"

    private func withPrincipals(
        limits: Limits = Limits(), hasPool: Bool = false, _ body: (TestServer) async throws -> Void
    ) async throws {
        let tokens = try Tokens(file: Self.file)
        try await withServer(limits: limits, tokens: tokens, hasPool: hasPool, register: Asked.register, body)
    }

    private func connected(
        _ principal: String, to server: TestServer, _ framing: TestFraming = .lines, isProcess: Bool = true
    ) async throws -> TestClient {
        let client = await server.connect(framing, isProcess: isProcess)
        client.send(
            Wire.request("0", "initialize", #"{"initializationOptions":{"token":"\#(principal)-0123456789abcdef"}}"#))
        #expect(try await client.next().hasPrefix(#"{"jsonrpc":"2.0","id":0,"result":{"#))
        return client
    }

    private func said(_ seq: Int, _ text: String) -> String {
        Wire.event(1, seq, #"{"kind":"said","value":"\#(text)"}"#)
    }

    private func ask(_ client: TestClient, _ kind: String, _ seq: Int, _ texts: String...) async throws {
        client.send(Wire.viewEvent("\(seq)", 1, #"{"kind":"\#(kind)"}"#))
        for (index, text) in texts.enumerated() {
            #expect(
                try await client.next().hasSuffix(
                    #""seq":\#(seq + index),"event":{"kind":"said","value":"\#(text)"}}}"#))
        }
        _ = try await client.next()
    }

    @Test(arguments: TestFraming.allCases)
    func `the making, the start, handlers and their tasks know the client`(framing: TestFraming) async throws {
        try await withPrincipals { server in
            let ada = try await connected("ada", to: server, framing)
            ada.send(Wire.request("1", "session/open", #"{"viewModel":"asked","client":"editor"}"#))
            try await ada.expect(
                Wire.opened("1", 1, "key-1", "asked"), said(1, "made for editor ada"),
                said(2, "started for editor ada"),
                said(3, "appeared for nobody"))
            try await ask(ada, "ask", 4, "editor ada")
            try await ask(ada, "inTasks", 5, "task editor ada", "group editor ada", "detached nobody")
        }
    }

    @Test(arguments: [false, true])
    func `each event has its own client, on one session as on several`(hasPool: Bool) async throws {
        try await withPrincipals(hasPool: hasPool) { server in
            let (ada, bob) = (try await connected("ada", to: server), try await connected("bob", to: server))
            ada.send(Wire.request("1", "session/open", #"{"viewModel":"asked"}"#))
            for _ in 1...4 { _ = try await ada.next() }
            bob.send(Wire.request("1", "session/attach", #"{"key":"key-1","since":3,"client":"script"}"#))
            _ = try await bob.next()
            for round in 0..<50 {
                let seq = 4 + 2 * round
                ada.send(Wire.viewEvent("2", 1, #"{"kind":"ask"}"#))
                try await ada.expect(said(seq, "- ada"), Wire.seq("2", seq))
                bob.send(Wire.viewEvent("2", 1, #"{"kind":"ask"}"#))
                try await bob.expect(said(seq, "- ada"), said(seq + 1, "script bob"), Wire.seq("2", seq + 1))
                try await ada.expect(said(seq + 1, "script bob"))
            }
        }
    }

    @Test func `without names and tokens nobody is known, not even after others`() async throws {
        try await withServer(register: Asked.register) { server in
            let (named, nameless) = (try await server.connected(), try await server.connected())
            named.send(Wire.request("1", "session/open", #"{"viewModel":"asked","client":"editor"}"#))
            try await named.expect(
                Wire.opened("1", 1, "key-1", "asked"), said(1, "made for editor -"), said(2, "started for editor -"),
                said(3, "appeared for nobody"))
            nameless.send(Wire.request("1", "session/attach", #"{"key":"key-1","since":3}"#))
            _ = try await nameless.next()
            // Queued together: one task handles them.
            named.send(Wire.viewEvent("2", 1, #"{"kind":"ask"}"#), Wire.viewEvent("3", 1, #"{"kind":"ask"}"#))
            try await named.expect(
                said(4, "editor -"), Wire.seq("2", 4), said(5, "editor -"), Wire.seq("3", 5))
            nameless.send(Wire.viewEvent("2", 1, #"{"kind":"ask"}"#))
            try await nameless.expect(said(4, "editor -"), said(5, "editor -"), said(6, "nobody"), Wire.seq("2", 6))
        }
    }

    @Test func `a child is made for the client whose event shows it, and started for the one that attaches`()
        async throws
    {
        try await withPrincipals { server in
            let (ada, bob) = (try await connected("ada", to: server), try await connected("bob", to: server))
            ada.send(Wire.request("1", "session/open", #"{"viewModel":"asked"}"#))
            for _ in 1...4 { _ = try await ada.next() }
            ada.send(Wire.viewEvent("2", 1, #"{"kind":"push"}"#))
            _ = (try await ada.next(), try await ada.next())
            bob.send(Wire.request("1", "session/attach", #"{"key":"key-2"}"#))
            _ = try await bob.next()
            try await bob.expect(
                said(1, "made for - ada"), said(2, "started for - bob"), said(3, "appeared for nobody"))
            try await ask(bob, "ask", 4, "- bob")
            ada.send(Wire.request("3", "session/attach", #"{"key":"key-2","since":4}"#))
            _ = try await ada.next()
            ada.send(Wire.request("4", "navigation/back", #"{"session":2}"#))
            #expect(try await ada.expectError(-32600, id: "4").contains("stay, - ada"))
        }
    }

    @Test func `what one principal may have doesn't depend on others, or on addresses`() async throws {
        var limits = Limits()
        (limits.addressSessions, limits.addressConnections) = (2, 2)
        try await withPrincipals(limits: limits) { server in
            let (ada, bob) = (try await connected("ada", to: server), try await connected("bob", to: server))
            let again = try await connected("ada", to: server, .headers)
            ada.send(Wire.open("1", "hello"))
            _ = (try await ada.next(), try await ada.next())
            again.send(Wire.open("1", "hello"))
            _ = (try await again.next(), try await again.next())
            ada.send(Wire.open("2", "hello"))
            let refusal = try await ada.expectError(-32015, id: "2")
            #expect(
                refusal.contains("2 sessions were opened by principal ada; try again")
                    && refusal.contains("addressSessions"))
            bob.send(Wire.open("1", "hello"))
            #expect(try await bob.next() == Wire.opened("1", 1, "key-4", "hello"))

            let third = await server.connect()
            let token = #"{"token":"ada-0123456789abcdef"}"#
            third.send(Wire.request("1", "initialize", token), Wire.request("2", "ping"))
            let error = try await third.expectError(-32015, id: "1")
            #expect(error.contains("2 connections are open by principal ada; close others first"))
            await third.expectEnd()
            again.cut()
            await until { server.connectionCount == 2 }
            _ = try await connected("ada", to: server)
            #expect(
                server.log.elements.contains { $0.hasSuffix("a client initialized as ada") }, "\(server.log.elements)")
        }
    }
}

/// Says for whom it works, at each point of its life.
private actor Asked: ViewModel, PerRequest, BackHandling {
    enum ViewEvent: String, Codable { case ask, inTasks, push }
    enum ViewModelEvent: Codable { case said(String) }

    struct Stay: Error, CustomStringConvertible {
        let description: String
    }

    let output = Output<ViewModelEvent>()
    private let maker = Asked.client
    private let navigation: NavigationService

    init(container: Container, arguments: Void) throws {
        navigation = try container.resolve()
    }

    static func register(in registry: inout Registry) {
        registry.addChild("asked", Asked.self, canBeOpened: true)
    }

    private static var client: String {
        Client.current.map { "\($0.name ?? "-") \($0.principal ?? "-")" } ?? "nobody"
    }

    private func say(_ text: String) { output.send(.said(text)) }

    func start() async {
        say("made for \(maker)")
        await Task.yield()
        say("started for \(Self.client)")
    }

    func viewsDidAppear() { say("appeared for \(Self.client)") }

    func handle(event: ViewEvent) async throws {
        switch event {
        case .ask:
            await Task.yield()
            say(Self.client)
        case .inTasks:
            await Task { say("task \(Self.client)") }.value
            await withTaskGroup { group in group.addTask { await self.say("group \(Self.client)") } }
            let text = await Task.detached { Self.client }.value
            say("detached \(text)")
        case .push: try navigation.push(Asked.self)
        }
    }

    func willGoBack() throws { throw Stay(description: "stay, \(Self.client)") }
}
