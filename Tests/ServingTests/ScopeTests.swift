import Examples
import Serving
import Sessions
import Stores
import Synchronization
import TestSupport
import Testing
import Transport
import ViewModels

/// Sessions that clients find by opening their view model.
@Suite(.inTurn, .timeLimit(.minutes(4))) struct ScopeTests {
    private static func register(_ registry: inout Registry) {
        registry.add("mine", scope: .person) { CounterViewModel(arguments: $0) }
        registry.add("ours", scope: .everyone) { CounterViewModel(arguments: $0) }
        registry.add("list", scope: .person) { TodosViewModel() }
        ScreenViewModel.register(in: &registry)
        registry.add("screens", ScreenViewModel.self, scope: .everyone)
        registry.add("held", scope: .person) { Held(arguments: $0) }
        registry.add("slow", scope: .everyone) { (arguments: Slow) in
            await Hold.named(arguments.name).stand()
            return CounterViewModel(arguments: .init())
        }
    }

    private struct Slow: Codable, Sendable { let name: String }

    /// Makes no snapshot before its `Hold` lets it.
    private actor Held: ViewModel {
        let output = Output<CounterViewModel.ViewModelEvent>()
        private let name: String

        init(arguments: Slow) { name = arguments.name }

        func start() { output.send(.count(0)) }
        func handle(event: CounterViewModel.ViewEvent) {}

        func snapshot() async -> [CounterViewModel.ViewModelEvent] {
            await Hold.named(name).stand()
            return [.count(0)]
        }
    }

    /// Blocks the thread on which it is read.
    private struct Blocking: Codable, Sendable {
        static let end = Mutex<Semaphore?>(nil)

        init(from decoder: any Decoder) throws { Self.end.withLock { $0 }?.wait() }
        func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: CodingKeys.self) }
        private enum CodingKeys: CodingKey {}
    }

    private static func tokens() throws -> Tokens {
        try Tokens(file: "ada aaaaaaaaaaaaaaaa\nbob bbbbbbbbbbbbbbbb")
    }

    private func connected(_ server: TestServer, as principal: String) async throws -> TestClient {
        let client = await server.connect()
        let token = String(repeating: String(principal.prefix(1)), count: 16)
        client.send(Wire.request("0", "initialize", #"{"token":"\#(token)"}"#))
        _ = try await client.next()
        return client
    }

    private static func count(_ session: Int, _ seq: Int, _ count: Int) -> String {
        Wire.event(session, seq, #"{"kind":"count","value":\#(count)}"#)
    }

    private static func increment(_ id: String, _ session: Int, _ more: String = "") -> String {
        Wire.viewEvent(id, session, #"{"kind":"increment","by":1}"#, more)
    }

    private static func made(_ id: String, _ session: Int, _ key: String, _ viewModel: String) -> String {
        let names = #""session":\#(session),"key":"\#(key)","viewModel":"\#(viewModel)""#
        return Wire.result(id, #"{\#(names),"epoch":"1","isNew":true}"#)
    }

    /// The answer that gives a session with events.
    private static func found(
        _ id: String, _ session: Int, _ key: String, _ viewModel: String, seq: Int, _ snapshot: String,
        epoch: String = "1", more: String = ""
    ) -> String {
        let names = #""session":\#(session),"key":"\#(key)","viewModel":"\#(viewModel)","epoch":"\#(epoch)""#
        return Wire.result(id, #"{\#(names),"isNew":false,"seq":\#(seq),"snapshot":[\#(snapshot)]\#(more)}"#)
    }

    private static func counted(_ counts: Int...) -> String {
        counts.map { #"{"kind":"count","value":\#($0)}"# }.joined(separator: ",")
    }

    @Test func `whoever opens a session that ends before the answer gets the next one`() async throws {
        try await withServer(loops: 2, register: Self.register) { server in
            let (editor, page) = (try await server.connected(loop: 0), try await server.connected(loop: 1))
            let (hold, name) = Hold.new()
            let arguments = #"{"name":"\#(name)"}"#
            editor.send(Wire.open("1", "held", arguments))
            try await editor.expect(Self.made("1", 1, "key-1", "held"), Self.count(1, 1, 0))
            page.send(Wire.open("1", "held", arguments))
            _ = await hold.began.elements(count: 1)
            editor.send(Wire.request("2", "session/close", #"{"session":1}"#))
            try await page.expect(Self.made("1", 1, "key-2", "held"), Self.count(1, 1, 0))
            hold.gate.open()
        }
    }

    /// Programs of a person that open their session and end it, all at once.
    @Test func `an opening never fails since another one has just ended the session`() async throws {
        try await withServer(loops: 2, register: Self.register) { server in
            try await withThrowingTaskGroup { group in
                for number in 0..<6 {
                    group.addTask {
                        let client = try await server.connected(loop: number % 2)
                        for id in 0..<60 {
                            client.send(Wire.open("\(id * 2)", "mine"))
                            var opened = ""
                            repeat { opened = try await client.next() } while !opened.contains(#""id":\#(id * 2),"#)
                            guard let session = opened.firstMatch(of: /"session":([0-9]+)/) else {
                                Issue.record("\(opened)")
                                return
                            }
                            client.send(
                                Wire.request("\(id * 2 + 1)", "session/close", #"{"session":\#(session.1)}"#))
                            while try await !client.next().contains(#""id":\#(id * 2 + 1),"#) {}
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `a person finds the same session again, and another person has another one`() async throws {
        try await withServer(tokens: Self.tokens(), register: Self.register) { server in
            let (ada, bob) = (try await connected(server, as: "ada"), try await connected(server, as: "bob"))
            ada.send(Wire.open("1", "mine"), Self.increment("2", 1))
            try await ada.expect(
                Self.made("1", 1, "key-1", "mine"), Self.count(1, 1, 0), Self.count(1, 2, 1), Wire.seq("2", 2))
            bob.send(Wire.open("1", "mine"))
            try await bob.expect(Self.made("1", 1, "key-2", "mine"), Self.count(1, 1, 0))
            let again = try await connected(server, as: "ada")
            again.send(Wire.open("1", "mine"), Self.increment("2", 1))
            try await again.expect(
                Self.found("1", 1, "key-1", "mine", seq: 2, Self.counted(0, 1)), Self.count(1, 3, 2), Wire.seq("2", 3))
            try await ada.expect(Self.count(1, 3, 2))
            try await bob.expectNothing()
        }
    }

    @Test func `everyone finds the same session, and whoever closes it only leaves it`() async throws {
        try await withServer(tokens: Self.tokens(), register: Self.register) { server in
            let (ada, bob) = (try await connected(server, as: "ada"), try await connected(server, as: "bob"))
            ada.send(Wire.open("1", "ours"))
            try await ada.expect(Self.made("1", 1, "key-1", "ours"), Self.count(1, 1, 0))
            bob.send(Wire.open("1", "ours"))
            try await bob.expect(Self.found("1", 1, "key-1", "ours", seq: 1, Self.counted(0)))
            ada.send(Wire.request("2", "session/close", #"{"session":1}"#))
            try await ada.expect(Wire.result("2"))
            bob.send(Self.increment("2", 1))
            try await bob.expect(Self.count(1, 2, 1), Wire.seq("2", 2))
            bob.send(Wire.request("3", "session/close", #"{"session":1}"#))
            try await bob.expect(Wire.result("3"))
            ada.send(Wire.open("3", "ours"))
            try await ada.expect(Self.found("3", 2, "key-1", "ours", seq: 2, Self.counted(0, 1)))
        }
    }

    @Test func `a person's session ends when it is closed, and the next open makes another`() async throws {
        try await withServer(register: Self.register) { server in
            let (one, two) = (try await server.connected(), try await server.connected())
            one.send(Wire.open("1", "mine"))
            try await one.expect(Self.made("1", 1, "key-1", "mine"), Self.count(1, 1, 0))
            two.send(Wire.open("1", "mine"))
            try await two.expect(Self.found("1", 1, "key-1", "mine", seq: 1, Self.counted(0)))
            one.send(Wire.request("2", "session/close", #"{"session":1}"#))
            try await one.expect(Wire.result("2"))
            try await two.expect(Wire.closed(1, "closed"))
            two.send(Wire.open("2", "mine"))
            try await two.expect(Self.made("2", 2, "key-2", "mine"), Self.count(2, 1, 0))
        }
    }

    /// Arguments and whether they find the session of `{"start":0}`.
    @Test(arguments: [
        (#"{"start":5}"#, false), (#"{ "start" : 0 }"#, true), (#"{"start":0e0}"#, true), (#"{}"#, false),
        (#"{"start":null}"#, false),
    ])
    func `arguments are equal as values`(_ arguments: String, isFound: Bool) async throws {
        try await withServer(register: Self.register) { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "ours", #"{"start":0}"#))
            try await client.expect(Self.made("1", 1, "key-1", "ours"), Self.count(1, 1, 0))
            client.send(Wire.open("2", "ours", arguments))
            let key = try await client.next()
            #expect(key.contains(isFound ? #""key":"key-1""# : #""key":"key-2""#), "\(key)")
        }
    }

    @Test func `no arguments and an empty object are equal, and so is null for a member that may be absent`()
        async throws
    {
        try await withServer(register: Self.register) { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "ours", #"{"start":null}"#))
            try await client.expect(Self.made("1", 1, "key-1", "ours"), Self.count(1, 1, 0))
            client.send(
                Wire.request("2", "session/open", #"{"viewModel":"ours"}"#),
                Wire.request("3", "session/open", #"{"viewModel":"ours","arguments":null}"#))
            try await client.expect(
                Self.found("2", 2, "key-1", "ours", seq: 1, Self.counted(0)),
                Self.found("3", 3, "key-1", "ours", seq: 1, Self.counted(0)))
        }
    }

    @Test(arguments: [(#"{"start":"x"}"#, "/arguments/start"), (#"{"begin":1}"#, "/arguments/begin")])
    func `arguments that don't fit are refused with their place`(_ arguments: String, path: String) async throws {
        try await withServer(register: Self.register) { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "ours", arguments), Wire.open("2", "ours"))
            #expect(try await client.expectError(-32602, id: "1").contains(#""path":"\#(path)""#))
            try await client.expect(Self.made("2", 1, "key-1", "ours"), Self.count(1, 1, 0))
        }
    }

    @Test func `arguments of 16 KiB are too long to find a session by`() async throws {
        try await withServer(register: Self.register) { server in
            let client = try await server.connected()
            let name = String(repeating: "n", count: 16 << 10)
            client.send(Wire.open("1", "slow", #"{"name":"\#(name)"}"#))
            #expect(try await client.expectError(-32602, id: "1").contains("a session is found by 16384 at most"))
        }
    }

    @Test func `no client can make the secret of an opening that is a server's`() async throws {
        try await withServer(register: Self.register) { server in
            let client = try await server.connected()
            let once = #"scope:[\"everyone\",\"ours\",{}]"#
            client.send(Wire.request("1", "session/open", #"{"viewModel":"counter","once":"\#(once)"}"#))
            #expect(try await client.expectError(-32602, id: "1").contains(#""path":"/once""#))
        }
    }

    @Test func `two that open at the same moment get the session that is made once`() async throws {
        try await withServer(loops: 2, register: Self.register) { server in
            let (hold, name) = Hold.new()
            let (one, two) = (try await server.connected(loop: 0), try await server.connected(loop: 1))
            one.send(Wire.open("1", "slow", #"{"name":"\#(name)"}"#))
            _ = await hold.began.elements(count: 1)
            two.send(Wire.open("1", "slow", #"{"name":"\#(name)"}"#), Self.increment("2", 1))
            try await two.expectNothing()
            hold.gate.open()
            try await one.expect(Self.made("1", 1, "key-1", "slow"), Self.count(1, 1, 0), Self.count(1, 2, 1))
            #expect(try await two.next().contains(#""key":"key-1","viewModel":"slow","epoch":"1","isNew":false}"#))
            try await two.expect(Self.count(1, 1, 0), Self.count(1, 2, 1), Wire.seq("2", 2))
            #expect(hold.began.elements.count == 1)
        }
    }

    @Test func `an opening that is cancelled stays for the others who wait for it`() async throws {
        try await withServer(register: Self.register) { server in
            let (hold, name) = Hold.new()
            let (one, two) = (try await server.connected(), try await server.connected())
            for client in [one, two] { client.send(Wire.open("1", "slow", #"{"name":"\#(name)"}"#)) }
            _ = await hold.began.elements(count: 1)
            try await two.expectNothing()
            one.send(Wire.notification("$/cancelRequest", #"{"id":1}"#))
            try await one.expectError(-32800, id: "1")
            hold.gate.open()
            #expect(try await two.next().contains(#""key":"key-1""#))
            try await two.expect(Self.count(1, 1, 0))
        }
    }

    @Test func `an opening that its only client has cancelled makes the session for the next one`() async throws {
        try await withServer(register: Self.register) { server in
            let (hold, name) = Hold.new()
            let client = try await server.connected()
            client.send(Wire.open("1", "slow", #"{"name":"\#(name)"}"#))
            _ = await hold.began.elements(count: 1)
            client.send(Wire.notification("$/cancelRequest", #"{"id":1}"#))
            try await client.expectError(-32800, id: "1")
            client.send(Wire.open("2", "slow", #"{"name":"\#(name)"}"#))
            hold.gate.open()
            #expect(try await client.next().contains(#""key":"key-1","viewModel":"slow","epoch":"1","isNew":false"#))
            #expect(hold.began.elements.count == 1)
        }
    }

    @Test func `what is on screen is in the answer, and what this client has sent`() async throws {
        try await withServer(register: Self.register) { server in
            let (one, two) = (try await server.connected(), try await server.connected())
            one.send(Wire.open("1", "screens"))
            try await one.expect(Self.made("1", 1, "key-1", "screens"))
            one.send(Wire.viewEvent("2", 1, #"{"kind":"push","value":{}}"#))
            try await one.expect(Wire.shown("push", 1, 1, "screen", "key-2"), Wire.seq("2", 1))
            let open = Wire.request("1", "session/open", #"{"viewModel":"screens","client":"me"}"#)
            let navigation = #","handled":0,"navigation":\#(Wire.navigation([Wire.child("screen", "key-2")]))"#
            two.send(open)
            try await two.expect(Self.found("1", 1, "key-1", "screens", seq: 1, "", more: navigation))
        }
    }

    @Test func `shutdown and a lost connection leave the session for the resume window`() async throws {
        try await withServer(register: Self.register) { server in
            let one = try await server.connected()
            one.send(Wire.open("1", "mine"), Self.increment("2", 1), Wire.request("3", "shutdown"))
            try await one.expect(
                Self.made("1", 1, "key-1", "mine"), Self.count(1, 1, 0), Self.count(1, 2, 1), Wire.seq("2", 2),
                Wire.result("3"))
            one.cut()
            let two = try await server.connected()
            two.send(Wire.open("1", "mine"))
            try await two.expect(Self.found("1", 1, "key-1", "mine", seq: 2, Self.counted(0, 1)))
            two.cut()
            await until { server.connectionCount == 0 }
            await server.pass(.seconds(181)) { server.sessionCount == 0 }
            let three = try await server.connected()
            three.send(Wire.open("1", "mine"))
            try await three.expect(Self.made("1", 1, "key-2", "mine"), Self.count(1, 1, 0))
        }
    }

    @Test func `a session that couldn't be made is tried again by the next open`() async throws {
        try await withServer { registry in
            registry.add("probe of all", scope: .everyone) { (arguments: Failing) in
                try ProbeViewModel(.init(fails: arguments.fails))
            }
        } _: { server in
            let client = try await server.connected()
            for id in ["1", "2"] {
                client.send(Wire.open(id, "probe of all", #"{"fails":"make"}"#))
                try await client.expectError(-32014, id: id)
            }
        }
    }

    private struct Failing: Codable, Sendable { let fails: String }

    @Test func `clients are told the scopes`() async throws {
        try await withServer(register: Self.register) { server in
            let client = await server.connect()
            client.send(
                Wire.request("0", "initialize"), Wire.request("1", "viewModel/describe", #"{"viewModel":"ours"}"#))
            let initialized = try await client.next()
            let counter = #""type":"Examples.CounterViewModel""#
            #expect(initialized.contains(#"{"name":"mine",\#(counter),"scope":"person"}"#))
            #expect(initialized.contains(#"{"name":"ours",\#(counter),"scope":"everyone"}"#))
            #expect(initialized.contains(#"{"name":"counter",\#(counter)}"#))
            #expect(try await client.next().contains(#","scope":"everyone","#))
        }
    }

    @Test func `arguments that block while they are read hold up no other client`() async throws {
        let end = Semaphore()
        Blocking.end.withLock { $0 = end }
        try await withServer(hasPool: true) { registry in
            registry.add("blocking", scope: .everyone) { (_: Blocking) in CounterViewModel(arguments: .init()) }
        } _: { server in
            let (one, two) = (try await server.connected(), try await server.connected())
            one.send(Wire.open("1", "blocking"))
            await until { server.log.elements.contains { $0.contains("blocking.arguments has held its thread") } }
            two.send(Wire.request("1", "ping"))
            try await two.expect(Wire.result("1"))
            end.post()
            end.post()
            #expect(try await one.next().contains(#""isNew":true"#))
        }
    }

    // Stored sessions

    @Test func `a person's session is found after a restart, with what it had`() async throws {
        let lives = Lives { registry, _ in Self.register(&registry) }
        let first = try await lives.connect()
        let open = Wire.request("1", "session/open", #"{"viewModel":"mine","client":"me"}"#)
        first.send(open, Self.increment("2", 1, #","number":1"#))
        try await first.expect(
            Self.made("1", 1, "life-1-1", "mine"), Self.count(1, 1, 0), Self.count(1, 2, 1), Wire.seq("2", 2))
        await lives.end()
        let second = try await lives.connect()
        second.send(open)
        try await second.expect(
            Self.found(
                "1", 1, "life-1-1", "mine", seq: 2, Self.counted(0, 1), epoch: "epoch-1", more: #","handled":1"#))
        second.send(Wire.request("2", "session/close", #"{"session":1}"#))
        try await second.expect(Wire.result("2"))
        second.send(Wire.open("3", "mine"))
        try await second.expect(Self.made("3", 2, "life-2-1", "mine"), Self.count(2, 1, 0))
        await lives.end()
    }

    private struct Older: Codable, Sendable { var name: String }

    /// `Older` with a member more, which is always written.
    private struct Newer: Codable, Sendable {
        var name: String
        var sorting: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            sorting = try container.decodeIfPresent(String.self, forKey: .sorting) ?? "date"
        }
    }

    @Test func `arguments that have a member more by now, with a default, find the session of before`() async throws {
        let lives = Lives { registry, life in
            if life == 1 {
                registry.add("desk", scope: .everyone) { (_: Older) in CounterViewModel(arguments: .init()) }
            } else {
                registry.add("desk", scope: .everyone) { (_: Newer) in CounterViewModel(arguments: .init()) }
            }
        }
        let first = try await lives.connect()
        first.send(Wire.open("1", "desk", #"{"name":"a"}"#))
        try await first.expect(Self.made("1", 1, "life-1-1", "desk"), Self.count(1, 1, 0))
        await lives.end()
        let second = try await lives.connect()
        for (id, arguments) in [(1, #"{"name":"a"}"#), (2, #"{"sorting":"date","name":"a"}"#)] {
            second.send(Wire.open("\(id)", "desk", arguments))
            let answer = try await second.next()
            #expect(answer.contains(#""id":\#(id),"result":{"session":\#(id),"key":"life-1-1""#), "\(answer)")
        }
        second.send(Wire.open("3", "desk", #"{"name":"a","sorting":"title"}"#))
        try await second.expect(Self.made("3", 3, "life-2-1", "desk"), Self.count(3, 1, 0))
        await lives.end()
    }

    @Test func `a session whose view model has another scope by now is found by its key alone, and can be ended`()
        async throws
    {
        let lives = Lives { registry, life in
            registry.add("changing", scope: life == 1 ? .everyone : .each) { CounterViewModel(arguments: $0) }
        }
        let first = try await lives.connect()
        first.send(Wire.open("1", "changing"))
        try await first.expect(Self.made("1", 1, "life-1-1", "changing"), Self.count(1, 1, 0))
        await lives.end()
        let second = try await lives.connect()
        second.send(Wire.open("1", "changing"), Wire.attach("2", "life-1-1"))
        try await second.expect(Wire.opened("1", 1, "life-2-1", "changing"), Self.count(1, 1, 0))
        #expect(try await second.next().contains(#""session":2"#))
        second.send(Wire.request("3", "session/close", #"{"session":2}"#), Wire.attach("4", "life-1-1"))
        try await second.expect(Wire.result("3"))
        try await second.expectError(-32012, id: "4")
        await lives.end()
    }

    @Test func `of two servers that make it at the same moment one does, and both have it`() async throws {
        let network = Network(register: Self.register)
        let (hold, name) = Hold.new()
        let open = Wire.open("1", "slow", #"{"name":"\#(name)"}"#)
        let (near, far) = (
            try await network.member("near").server.connected(), try await network.member("far").server.connected()
        )
        near.send(open)
        far.send(open)
        _ = await hold.began.elements(count: 2)
        hold.gate.open()
        var keys: [String] = []
        var made = 0
        for (client, name) in [(near, "near"), (far, "far")] {
            let answer = try await answer(client, of: network, name)
            keys += answer.matches(of: /"key":"([^"]+)"/).map { String($0.1) }
            made += answer.contains(#""isNew":true"#) ? 1 : 0
        }
        #expect(keys.count == 2 && keys[0] == keys[1] && made == 1, "\(keys) \(made)")
        near.send(Self.increment("2", 1))
        while try await !near.next().contains(#""id":2,"result""#) {}
        while try await !far.next().contains(#""value":1"#) {}
        near.cut()
        far.cut()
        await network.end()
    }

    @Test func `one that is still being made isn't another server's to a second client`() async throws {
        let network = Network(register: Self.register)
        let (hold, name) = Hold.new()
        let open = Wire.open("1", "slow", #"{"name":"\#(name)"}"#)
        let server = try network.member("near").server
        let (first, second) = (try await server.connected(), try await server.connected())
        first.send(open)
        _ = await hold.began.elements(count: 1)
        second.send(open)
        try await network.settle("near")
        hold.gate.open()
        try await first.expect(Self.made("1", 1, "near-1", "slow"), Self.count(1, 1, 0))
        // What there is by then comes with the answer or behind it.
        let answer = try await second.next()
        #expect(answer.contains(#""key":"near-1","viewModel":"slow","epoch":"1","isNew":false"#))
        if !answer.contains(#""snapshot""#) { try await second.expect(Self.count(1, 1, 0)) }
        first.send(Self.increment("2", 1))
        try await first.expect(Self.count(1, 2, 1), Wire.seq("2", 2))
        try await second.expect(Self.count(1, 2, 1))
        await network.end()
    }

    /// The answer to a client's open, while time passes in which its server may ask again.
    private func answer(_ client: TestClient, of network: Network, _ name: String) async throws -> String {
        let server = try network.member(name).server
        let next = Mutex<String?>(nil)
        let reading = Task {
            let message = try await client.next()
            next.withLock { $0 = message }
        }
        while next.withLock({ $0 }) == nil {
            server.pass(.milliseconds(50))
            try await server.turns()
        }
        try await reading.value
        return next.withLock { $0 } ?? ""
    }
}
