import Examples
import Sessions
import Stores
import Synchronization
import TestSupport
import Testing
import Transport
import ViewModels

@testable import Serving

/// The list of the sessions that a person may come back to.
@Suite(.inTurn, .timeLimit(.minutes(4))) struct KeptSessionsTests {
    private static func register(_ registry: inout Registry) {
        registry.add("mine", scope: .person) { CounterViewModel(arguments: $0) }
        registry.add("ours", scope: .everyone) { CounterViewModel(arguments: $0) }
        ScreenViewModel.register(in: &registry)
        registry.add("screens", ScreenViewModel.self, scope: .person)
        registry.add("named", scope: .person) { NamedViewModel() }
        registry.add("name") { NamedViewModel() }
        registry.add("noted") { NotedViewModel() }
    }

    /// Without a store.
    private actor NamedViewModel: ViewModel, TitledViewModel {
        enum ViewEvent: Codable { case name(String), wait(hold: String) }
        enum ViewModelEvent: Codable { case named }

        let output = Output<ViewModelEvent>()
        private var name = "new"
        private var hold: String?

        var title: String {
            get async {
                if let hold { await Hold.named(hold).stand() }
                return name
            }
        }

        func handle(event: ViewEvent) {
            switch event {
            case .name(let name): self.name = name
            case .wait(let hold): self.hold = hold
            }
        }
    }

    /// Durable.
    private actor NotedViewModel: ViewModel, DurableViewModel, TitledViewModel {
        enum ViewEvent: Codable { case note(String), tell }
        enum ViewModelEvent: Codable { case noted }

        let output = Output<ViewModelEvent>()
        @Saved private var note = ""

        var title: String { note.isEmpty ? "" : "note: \(note)" }

        func handle(event: ViewEvent) {
            switch event {
            case .note(let text): note = text
            case .tell: output.send(.noted)
            }
        }
    }

    /// A client's list, as `key viewModel(arguments) "title" views server`, without the times.
    private func list(_ client: TestClient, _ id: String = #""list""#) async throws -> [String] {
        client.send(Wire.request(id, "session/list", #"{"kept":true}"#))
        while true {
            let answer = try await client.next()
            // What a session has sent comes before.
            if answer.contains("\"id\":\(id)") { return try Self.sessions(answer) }
        }
    }

    private static func sessions(_ answer: String) throws -> [String] {
        guard let start = answer.firstRange(of: #""sessions":["#) else { return [answer] }
        return answer[start.upperBound...].split(separator: #"{"key":"#).compactMap { text in
            guard text.contains(#""viewModel""#) else { return nil }
            func member(_ name: String) -> String? {
                guard let found = text.firstRange(of: "\"\(name)\":") else { return nil }
                let rest = text[found.upperBound...]
                if rest.first == "{" { return String(rest.prefix { $0 != "}" }) + "}" }
                if rest.first == "\"" { return String(rest.dropFirst().prefix { $0 != "\"" }) }
                return String(rest.prefix { $0.isNumber })
            }
            let key = text.dropFirst().prefix { $0 != "\"" }
            var line = "\(key) \(member("viewModel") ?? "")\(member("arguments") ?? "")"
            if let title = member("title") { line += " '\(title)'" }
            line += " \(member("views") ?? "-")"
            if let server = member("server") { line += " on \(server)" }
            return line
        }
    }

    private func connected(_ server: TestServer, as principal: String) async throws -> TestClient {
        let client = await server.connect()
        let token = String(repeating: String(principal.prefix(1)), count: 16)
        client.send(Wire.request("0", "initialize", #"{"token":"\#(token)"}"#))
        _ = try await client.next()
        return client
    }

    /// A client that another server has let in.
    private func relayed(_ server: TestServer, _ person: String, owner: String) async -> TestClient {
        let loop = server.loops[0]
        let client = TestClient(framing: .lines, loop: loop)
        let relayed = RelayedClient(
            peer: "p", principal: nil, program: nil, person: person, owner: owner, lastView: nil)
        await withCheckedContinuation { continuation in
            loop.execute { [core = server.core] in
                let (near, far) = MemoryStream.pair(loop: loop)
                client.begin(near)
                far.start()
                core.serve(far, relayed: relayed)
                continuation.resume()
            }
        }
        return client
    }

    /// Opens a session and reads all that comes with it.
    private func open(_ client: TestClient, _ viewModel: String, _ arguments: String? = nil) async throws {
        let arguments = arguments.map { #","arguments":\#($0)"# } ?? ""
        client.send(
            Wire.request(#""open""#, "session/open", #"{"viewModel":"\#(viewModel)"\#(arguments)}"#))
        while try await !client.next().contains(#""id":"open""#) {}
        client.send(Wire.request(#""ping""#, "ping"))
        while try await !client.next().contains(#""id":"ping""#) {}
    }

    private func ask(_ client: TestClient, _ method: String, _ params: String) async throws {
        client.send(Wire.request(#""ask""#, method, params))
        while try await !client.next().contains(#""id":"ask""#) {}
    }

    private static func tokens() throws -> Tokens {
        try Tokens(file: "ada aaaaaaaaaaaaaaaa\nbob bbbbbbbbbbbbbbbb")
    }

    @Test func `a person's sessions of a scope are listed for them alone, and those of everyone for each`() async throws
    {
        try await withServer(tokens: Self.tokens(), register: Self.register) { server in
            let (ada, bob) = (try await connected(server, as: "ada"), try await connected(server, as: "bob"))
            #expect(try await list(ada).isEmpty)
            try await open(ada, "mine", #"{ "start": 5 }"#)
            try await open(ada, "ours")
            // Found by nothing but its key, and not stored.
            try await open(ada, "counter")
            try await open(bob, "mine")
            let ours = "key-2 ours 1"
            let listed = try await list(ada)
            #expect(listed == [#"key-1 mine{"start":5} 1"#, ours], "\(listed)")
            #expect(try await list(bob) == [ours, "key-4 mine 1"])
            ada.send(Wire.request("1", "session/list", #"{"kept":false}"#), Wire.request("2", "session/list"))
            #expect(try await ada.next().contains(#""seq":"#))
            #expect(try await ada.next().contains(#""seq":"#))
            ada.send(Wire.request("3", "session/list", #"{"kept":5}"#))
            _ = try await ada.expectError(-32602, id: "3")
        }
    }

    @Test func `a session is listed while nobody has a view, until it ends, and its children aren't`() async throws {
        try await withServer(register: Self.register) { server in
            let client = try await server.connected()
            try await open(client, "screens", #"{"name":"a"}"#)
            try await open(client, "mine")
            try await ask(client, "view/event", #"{"session":1,"event":{"kind":"push","value":{"name":"b"}}}"#)
            #expect(server.sessionCount == 3)
            let both = [#"key-1 screens{"name":"a"} 1"#, "key-2 mine 1"]
            #expect(try await list(client) == both)
            try await ask(client, "session/detach", #"{"session":2}"#)
            server.pass(.seconds(10))
            #expect(try await list(client) == [both[0], "key-2 mine 0"])
            let other = try await server.connected()
            try await open(other, "mine")
            #expect(try await list(client) == both)
            try await ask(other, "session/close", #"{"session":1}"#)
            #expect(try await list(client) == [both[0]])
        }
    }

    @Test func `one that is used is used now, and one that was left was used then`() async throws {
        let store = MemoryStore()
        // Its time stands still.
        let journal = ImmediateJournal(store, clock: ManualClock()) {}
        try await withServer(journal: journal, register: Self.register) { server in
            let client = try await server.connected()
            try await open(client, "mine")
            try await open(client, "ours")
            try await ask(client, "session/detach", #"{"session":1}"#)
            server.pass(.seconds(40))
            client.send(Wire.request("1", "session/list", #"{"kept":true}"#))
            let answer = try await client.next()
            let times = answer.matches(of: /"lastUsed":"([^"]+)"/).map { "\($0.1)" }
            #expect(times == ["1970-01-01T00:16:40Z", "1970-01-01T00:16:00Z"], "\(answer)")
        }
    }

    @Test func `who has no principal and comes from an address is told of everyone's alone`() async throws {
        let user = "user \(ThisProcess.userID)"
        let store = MemoryStore()
        let journal = ImmediateJournal(store, clock: ContinuousClock()) {}
        try await withServer(journal: journal, register: Self.register) { server in
            let client = try await server.connected()
            try await open(client, "ours")
            try await open(client, "mine")
            try await open(client, "counter", #"{"start":1}"#)
            let all = ["key-1 ours 1", "key-2 mine 1", #"key-3 counter{"start":1} 1"#]
            #expect(try await list(client) == all)
            for owner in ["unix", "stdio"] {
                #expect(try await list(relayed(server, user, owner: owner)) == all)
                #expect(try await list(relayed(server, "user 4000000", owner: owner)) == [all[0]])
            }
            for owner in ["127.0.0.1", "[::1]", "192.0.2.1", "localhost"] {
                #expect(try await list(relayed(server, user, owner: owner)) == [all[0]])
            }
        }
    }

    @Test func `another user of the socket finds the sessions that they opened, and the server's user doesn't`() {
        let (here, other) = ("user \(ThisProcess.userID)", "user 4000000")
        #expect(Owner.stored("unix", here) == "unix")
        #expect(Owner.stored("unix", other) == other)
        #expect(Owner.stored("principal ada", "principal ada") == "principal ada")
        #expect(Owner.stored("192.0.2.1", here) == "192.0.2.1")
        #expect(Owner.names(of: other) == [other])
        #expect(Owner.names(of: here).contains("stdio") && Owner.names(of: here).contains(here))
        #expect(Owner.person(ofStored: other) == other)
        #expect(Owner.person(ofStored: "unix") == here)
        #expect(Owner.person(ofStored: "principal ada") == "principal ada")
    }

    @Test func `what is stored is listed in the next process, and isn't brought into memory by that`() async throws {
        let lives = Lives { registry, _ in Self.register(&registry) }
        let first = try await lives.connect()
        try await open(first, "mine", #"{"start":2}"#)
        try await open(first, "counter")
        // Not stored.
        try await open(first, "named")
        try await open(first, "noted")
        try await ask(first, "view/event", #"{"session":4,"event":{"kind":"note","value":"milk"}}"#)
        #expect(try await list(first).count == 4)
        try await ask(first, "session/close", #"{"session":2}"#)
        await lives.end()
        let second = try await lives.connect()
        let stored = [#"life-1-1 mine{"start":2} 0"#, "life-1-4 noted 'note: milk' 0"]
        #expect(try await list(second).sorted() == stored)
        #expect(lives.server?.sessionCount == 0)
        second.send(Wire.attach("1", "life-1-4", since: 0))
        _ = try await second.next()
        #expect(try await list(second).sorted() == [stored[0], "life-1-4 noted 'note: milk' 1"])
        await lives.end()
    }

    @Test func `what this server has no view model of is listed, too`() async throws {
        let lives = Lives { registry, life in
            if life == 1 { Self.register(&registry) }
        }
        try await open(try await lives.connect(), "noted")
        await lives.end()
        #expect(try await list(try await lives.connect()) == ["life-1-1 noted 0"])
        await lives.end()
    }

    @Test func `what another server has is listed with that server, and stays there`() async throws {
        let network = Network { Self.register(&$0) }
        let (one, two) = (try network.member("one"), try network.member("two"))
        let client = try await one.server.connected()
        try await open(client, "mine")
        try await open(client, "counter")
        try await network.settle("one")
        let other = try await two.server.connected()
        let on = "on process 7 on one"
        #expect(try await list(client) == ["one-1 mine 1 \(on)", "one-2 counter 1 \(on)"])
        #expect(try await list(other).sorted() == ["one-1 mine - \(on)", "one-2 counter - \(on)"])
        #expect(network.holders.holder(of: "one-1") == "one")
        #expect(two.server.sessionCount == 0)
        // A view that goes through this server.
        other.send(Wire.open("1", "mine", "null"))
        try await network.settle("two")
        await network.end()
    }

    @Test func `a list has a thousand sessions, those that were used last`() async throws {
        let store = MemoryStore()
        for number in 0..<1_005 {
            let key = "stored-\(number)"
            let owner = number % 2 == 0 ? "unix" : "stdio"
            _ = try store.commit([
                SceneCommit(
                    scene: key,
                    changes: [
                        .addScene(.init(key: key, owner: owner, once: nil, used: Int64(number))),
                        .addSession(.init(key: key, scene: key, viewModel: "counter", arguments: nil)),
                    ])
            ])
        }
        let journal = ImmediateJournal(store, clock: ContinuousClock()) {}
        try await withServer(journal: journal, register: Self.register) { server in
            let client = try await server.connected()
            try await open(client, "mine")
            let sessions = try await list(client)
            #expect(sessions.count == 1_000)
            #expect(sessions.contains("key-1 mine 1"))
            #expect(sessions.contains("stored-1004 counter 0"))
            #expect(!sessions.contains("stored-5 counter 0"))
        }
    }

    @Test func `a list waits for the store no longer than a session does, and other messages are answered meanwhile`()
        async throws
    {
        let reading = Semaphore()
        let journal = try Journal(MemoryStore(reading: reading), retryDelay: .milliseconds(1), now: { 1_000 })
        try await withServer(journal: journal, register: Self.register) { server in
            let client = try await server.connected()
            let ask = { (id: String) in client.send(Wire.request(id, "session/list", #"{"kept":true}"#)) }
            ask("1")
            ask("2")
            client.send(Wire.request("3", "ping"))
            try await client.expect(Wire.result("3"))
            reading.post()
            try await client.expect(Wire.result("1", #"{"sessions":[]}"#))
            try await server.turns()
            server.pass(server.core.limits.storeTime)
            let error = try await client.expectError(-32016, id: "2")
            #expect(error.contains("storeTime"))
            reading.post()
            ask("4")
            reading.post()
            try await client.expect(Wire.result("4", #"{"sessions":[]}"#))
            #expect(server.exceeded["storeTime"] == 1)
        }
        await withCheckedContinuation { done in journal.finish { done.resume() } }
    }

    @Test func `a store that can't be reached is the answer`() async throws {
        let store = MemoryStore()
        let journal = ImmediateJournal(store, clock: ManualClock()) {}
        try await withServer(journal: journal, register: Self.register) { server in
            let client = try await server.connected()
            store.fail(at: 1, .isAway)
            client.send(Wire.open("1", "counter"))
            while journal.failure == nil { try await server.turns() }
            client.send(Wire.request("2", "session/list", #"{"kept":true}"#))
            let error = try await client.expectError(-32016, id: "2")
            #expect(error.contains("retryAfterMs"))
        }
    }

    @Test func `a title that nothing stores is read for the list, and is bounded`() async throws {
        try await withServer(register: Self.register) { server in
            let client = try await server.connected()
            try await open(client, "named")
            // Of this one nobody sees the title.
            try await open(client, "name")
            #expect(try await list(client) == ["key-1 named 'new' 1"])
            try await ask(client, "view/event", #"{"session":1,"event":{"kind":"name","value":"one"}}"#)
            #expect(try await list(client) == ["key-1 named 'one' 1"])
            let long = String(repeating: "e\u{301}", count: 150)
            try await ask(client, "view/event", #"{"session":1,"event":{"kind":"name","value":"\#(long)"}}"#)
            let cut = String(repeating: "e\u{301}", count: 99) + "…"
            #expect(try await list(client) == ["key-1 named '\(cut)' 1"])
            try await ask(client, "view/event", #"{"session":1,"event":{"kind":"name","value":""}}"#)
            #expect(try await list(client) == ["key-1 named 1"])
        }
    }

    @Test func `a view model that doesn't say its title holds up a list for a second, and nothing else`() async throws {
        // Another one in each repetition.
        let hold = "a title that is held \(UInt32.random(in: 0 ... .max))"
        try await withServer(register: Self.register) { server in
            let client = try await server.connected()
            try await open(client, "named")
            try await open(client, "mine")
            try await ask(client, "view/event", #"{"session":1,"event":{"kind":"wait","hold":"\#(hold)"}}"#)
            client.send(Wire.request("1", "session/list", #"{"kept":true}"#), Wire.request("2", "ping"))
            try await client.expect(Wire.result("2"))
            _ = await Hold.named(hold).began.elements(count: 1)
            server.pass(.seconds(1))
            #expect(try Self.sessions(await client.next()) == ["key-1 named 1", "key-2 mine 1"])
            Hold.named(hold).gate.open()
        }
    }

    @Test func `the title of a durable session is told once it is stored`() async throws {
        let lives = Lives { registry, _ in Self.register(&registry) }
        let client = try await lives.connect()
        try await open(client, "noted")
        #expect(try await list(client) == ["life-1-1 noted 1"])
        try await ask(client, "view/event", #"{"session":1,"event":{"kind":"note","value":"a"}}"#)
        #expect(try await list(client) == ["life-1-1 noted 'note: a' 1"])
        lives.store.fail(at: 1, .endsBefore)
        client.send(Wire.viewEvent("2", 1, #"{"kind":"note","value":"b"}"#))
        // Until the process ends.
        while (try? await client.next()) != nil {}
        let next = try await lives.connect()
        #expect(try await list(next) == ["life-1-1 noted 'note: a' 0"])
        // It has its notes again, with what else is in them.
        next.send(Wire.attach("1", "life-1-1", since: 0), Wire.viewEvent("2", 1, #"{"kind":"tell"}"#))
        while try await !next.next().contains(#""id":2"#) {}
        #expect(try await list(next) == ["life-1-1 noted 'note: a' 1"])
        #expect(lives.store.scenes.first?.sessions.first?.turn.notes?.title == "note: a")
        await lives.end()
    }
}
