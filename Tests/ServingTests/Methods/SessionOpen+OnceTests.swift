import Sessions
import TestSupport
import Testing

/// Opens that are sent again, since their answers may have been lost.
@Suite(.inTurn, .timeLimit(.minutes(4)))
struct SessionOpenOnceTests {
    private static let once = "8sIc3TtZ0mWvE5rKq1LhYw"

    private func open(
        _ id: String, _ viewModel: String = "probe", _ arguments: String = "{}", once: String = Self.once,
        more: String = ""
    ) -> String {
        Wire.request(
            id, "session/open", #"{"viewModel":"\#(viewModel)","arguments":\#(arguments),"once":"\#(once)"\#(more)}"#)
    }

    @Test func `the same session is given on the next connection, and its events from the first`() async throws {
        try await withServer { server in
            let first = try await server.connected()
            first.send(open("1", "probe", #"{"events":2}"#))
            try await first.expect(
                Wire.opened("1", 1, "key-1", "probe"), Wire.one(1, 1, 0, more: true), Wire.one(1, 2, 1))
            first.cut()
            let second = try await server.connected()
            second.send(open("1", "probe", #"{"events":2}"#), Wire.viewEvent("2", 1, #"{"kind":"emit","count":1}"#))
            try await second.expect(
                Wire.opened("1", 1, "key-1", "probe"), Wire.one(1, 1, 0, more: true), Wire.one(1, 2, 1),
                Wire.one(1, 3, 0), Wire.result("2", #"{"seq":3}"#))
        }
    }

    @Test func `numbered events that were taken before the cut are not taken again`() async throws {
        try await withServer { server in
            let phone = #","client":"phone""#
            let event = Wire.viewEvent("2", 1, #"{"kind":"emit","count":1}"#, #","number":1"#)
            let first = try await server.connected()
            first.send(open("1", more: phone), event)
            try await first.expect(
                Wire.opened("1", 1, "key-1", "probe"), Wire.one(1, 1, 0), Wire.result("2", #"{"seq":1}"#))
            first.cut()
            let second = try await server.connected()
            second.send(open("1", more: phone), event)
            try await second.expect(
                Wire.opened("1", 1, "key-1", "probe"), Wire.one(1, 1, 0), Wire.result("2", #"{"seq":1}"#))
        }
    }

    @Test func `an opening whose connection is cut goes on, and answers the open that is sent again`() async throws {
        try await withServer { server in
            let hold = Hold.named("goes on")
            let arguments = #"{"made":"goes on","events":1}"#
            let first = try await server.connected()
            first.send(open("1", "probe", arguments))
            _ = await hold.began.elements(count: 1)
            first.endInput()
            // The grace period of the connection ends, which cancels an opening without `once`.
            await server.clock.sleepers(1)
            server.clock.advance(by: .seconds(5))
            try await first.expectError(-32800, id: "1")
            await first.expectEnd()
            let second = try await server.connected()
            second.send(open("1", "probe", arguments))
            try await second.expectNothing()
            hold.gate.open()
            try await second.expect(Wire.opened("1", 1, "key-1", "probe"), Wire.one(1, 1, 0))
            #expect(hold.began.elements.count == 1)
        }
    }

    @Test func `a view that waits for the same opening may send events at once`() async throws {
        try await withServer(loops: 2) { server in
            let hold = Hold.named("both wait")
            let arguments = #"{"made":"both wait"}"#
            let event = Wire.viewEvent("2", 1, #"{"kind":"emit","count":1}"#)
            let first = try await server.connected(loop: 0)
            first.send(open("1", "probe", arguments))
            _ = await hold.began.elements(count: 1)
            let second = try await server.connected(loop: 1)
            second.send(open("1", "probe", arguments), event)
            try await second.expectNothing()
            hold.gate.open()
            try await first.expect(Wire.opened("1", 1, "key-1", "probe"), Wire.one(1, 1, 0))
            try await second.expect(
                Wire.opened("1", 1, "key-1", "probe"), Wire.one(1, 1, 0), Wire.result("2", #"{"seq":1}"#))
        }
    }

    @Test func `an opening that fails is the answer to all who wait for it, and is tried again after that`()
        async throws
    {
        try await withServer { server in
            let hold = Hold.named("all fail")
            let arguments = #"{"made":"all fail","fails":"make"}"#
            let (first, second) = (try await server.connected(), try await server.connected())
            first.send(open("1", "probe", arguments))
            second.send(open("1", "probe", arguments))
            _ = await hold.began.elements(count: 1)
            try await second.expectNothing()
            hold.gate.open()
            try await first.expectError(-32014, id: "1")
            try await second.expectError(-32014, id: "1")
            second.send(open("2", "probe", arguments))
            try await second.expectError(-32014, id: "2")
            #expect(hold.began.elements.count == 2)
        }
    }

    @Test func `however many send the same open at the same time, there is one session`() async throws {
        try await withServer(loops: 2) { server in
            for round in 1...50 {
                let once = "\(Self.once)-\(round)"
                let keys = try await withThrowingTaskGroup(of: String.self) { group in
                    for loop in [0, 1, 0, 1] {
                        let client = try await server.connected(loop: loop)
                        group.addTask {
                            client.send(open("1", "hello", once: once))
                            let answer = try await client.next()
                            try await client.expect(Wire.event(1, 1, #"{"kind":"helloText","value":""}"#))
                            return answer
                        }
                    }
                    return try await group.reduce(into: Set<String>()) { $0.insert($1) }
                }
                #expect(keys.count == 1)
            }
        }
    }

    @Test func `another view model or other arguments are refused, and change nothing`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(open("1", "probe", #"{"events":0}"#), open("2", "probe", #"{ "events" : 0 }"#))
            try await client.expect(Wire.opened("1", 1, "key-1", "probe"), Wire.opened("2", 2, "key-1", "probe"))
            client.send(
                open("3", "probe", #"{"events":1}"#), open("4", "hello", #"{"events":0}"#),
                Wire.request("5", "session/open", #"{"viewModel":"probe","once":"\#(Self.once)"}"#))
            for (id, other) in [
                ("3", "other arguments"), ("4", #"another view model, \"probe\""#), ("5", "other arguments"),
            ] {
                let error = try await client.expectError(-32602, id: id)
                #expect(error.contains(#""path":"/once","reason":"it came with \#(other), before"#), "\(error)")
            }
            client.send(open("6", "probe", #"{"events":0}"#))
            try await client.expect(Wire.opened("6", 3, "key-1", "probe"))
        }
    }

    @Test func `arguments that are null are none`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(
                open("1", "probe", "null"),
                Wire.request("2", "session/open", #"{"viewModel":"probe","once":"\#(Self.once)"}"#))
            try await client.expect(Wire.opened("1", 1, "key-1", "probe"), Wire.opened("2", 2, "key-1", "probe"))
        }
    }

    @Test(arguments: [
        ("", false), (String(repeating: "a", count: 21), false), (String(repeating: "a", count: 22), true),
        (String(repeating: "é", count: 21), false), (String(repeating: "é", count: 22), true),
        (String(repeating: "a", count: 256), true), (String(repeating: "a", count: 257), false),
    ])
    func `a once is as long as a secret, and not longer than is kept`(once: String, isTaken: Bool) async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(open("1", once: once))
            guard !isTaken else { return try await client.expect(Wire.opened("1", 1, "key-1", "probe")) }
            let error = try await client.expectError(-32602, id: "1")
            let reason = "it has \(once.count) characters; make 22 to 256 at random"
            #expect(error.contains(#""data":{"path":"/once","reason":"\#(reason)"}"#), "\(error)")
            client.send(Wire.open("2", "probe"))
            try await client.expect(Wire.opened("2", 1, "key-1", "probe"))
        }
    }

    @Test func `a once makes a new session when its session has ended, and keeps nothing of the old one`() async throws
    {
        try await withServer { server in
            let client = try await server.connected()
            client.send(open("1"))
            try await client.expect(Wire.opened("1", 1, "key-1", "probe"))
            weak let first = server.session(withKey: "key-1")
            client.send(Wire.request("2", "session/close", #"{"session":1}"#), open("3"))
            try await client.expect(Wire.result("2"), Wire.opened("3", 2, "key-2", "probe"))
            client.send(Wire.request("4", "session/close", #"{"session":2}"#))
            try await client.expect(Wire.result("4"))
            await until { first == nil }
        }
    }

    @Test func `the resume window ends a session whose open is not sent again`() async throws {
        try await withServer { server in
            let first = try await server.connected()
            first.send(open("1"))
            try await first.expect(Wire.opened("1", 1, "key-1", "probe"))
            first.cut()
            await server.clock.sleepers(1)
            server.clock.advance(by: .seconds(180))
            await until { server.session(withKey: "key-1") == nil }
            let second = try await server.connected()
            second.send(open("1"))
            try await second.expect(Wire.opened("1", 1, "key-2", "probe"))
        }
    }

    @Test func `a view whose first events are no longer kept is ended, and attaches with the key`() async throws {
        var limits = Limits()
        limits.replayEvents = 2
        try await withServer(limits: limits) { server in
            let arguments = #"{"count":1,"delay":0}"#
            let first = try await server.connected()
            first.send(open("1", "orders", arguments), Wire.viewEvent("2", 1, #"{"kind":"loadOrders"}"#))
            while try await first.next() != Wire.result("2", #"{"seq":3}"#) {}
            first.cut()
            let second = try await server.connected()
            second.send(open("1", "orders", arguments))
            try await second.expect(Wire.opened("1", 1, "key-1", "orders"), Wire.closed(1, "overflow"))
            second.send(Wire.request("2", "session/attach", #"{"key":"key-1","since":0}"#))
            let snapshot = #"[{"kind":"loading","value":false},{"kind":"orders","count":1}]"#
            try await second.expect(
                Wire.result("2", #"{"session":2,"viewModel":"orders","seq":3,"epoch":"1","snapshot":\#(snapshot)}"#))
        }
    }

    @Test func `a cancelled open that is sent again opens again`() async throws {
        try await withServer { server in
            let hold = Hold.named("cancelled once")
            let client = try await server.connected()
            client.send(open("1", "probe", #"{"made":"cancelled once"}"#))
            _ = await hold.began.elements(count: 1)
            client.send(CancelRequestTests.cancel("1", likeVim: false))
            try await client.expectNothing()
            hold.gate.open()
            try await client.expectError(-32800, id: "1")
            client.send(open("2", "probe", #"{"made":"cancelled once"}"#))
            try await client.expect(Wire.opened("2", 2, "key-2", "probe"))
        }
    }
}
