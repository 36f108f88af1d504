import Sessions
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(4)))
struct SessionTests {
    @Test func `opening an unknown view model names the known ones`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "nope"))
            let error = try await client.expectError(-32011, id: "1")
            #expect(error.contains(#""data":{"known":["board","boardScreen","counter",""#), "\(error)")
        }
    }

    @Test(arguments: [
        ("{}", "/viewModel"), (#"{"viewModel":7}"#, "/viewModel"), ("[1]", ""),
        (#"{"viewModel":"counter","arguments":{"start":"x"}}"#, "/arguments/start"),
        (#"{"viewModel":"counter","arguments":[]}"#, "/arguments"),
        (#"{"viewModel":"counter","client":1}"#, "/client"),
    ])
    func `opening with wrong params names the member`(params: String, path: String) async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(Wire.request("1", "session/open", params))
            let error = try await client.expectError(-32602, id: "1")
            #expect(error.contains(#""data":{"path":"\#(path)","#), "\(error)")
        }
    }

    @Test func `a view model that can't be made fails the open and takes the number`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(
                Wire.open("1", "probe", #"{"fails":"make"}"#), Wire.viewEvent("2", 1, #"{"kind":"fail","message":""}"#))
            #expect(try await client.expectError(-32014, id: "1").contains("can't be made"))
            try await client.expectError(-32012, id: "2")
            client.send(Wire.open("3", "probe"))
            try await client.expect(Wire.opened("3", 2, "key-2", "probe"))
        }
    }

    @Test func `a view model that can't start ends its session`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "probe", #"{"fails":"start","events":2}"#))
            try await client.expect(
                Wire.opened("1", 1, "key-1", "probe"), Wire.one(1, 1, 0, more: true), Wire.one(1, 2, 1))
            #expect(try await client.next().contains("probe failed to start: can't start"))
            try await client.expect(Wire.closed(1, "failed"))
            client.send(Wire.request("2", "session/attach", #"{"key":"key-1"}"#))
            try await client.expectError(-32012, id: "2")
        }
    }

    @Test func `two views in two connections share one session`() async throws {
        try await withServer(loops: 2) { server in
            let (one, other) = (try await server.connected(), try await server.connected(.headers, loop: 1))
            one.send(Wire.open("1", "counter"))
            try await one.expect(
                Wire.opened("1", 1, "key-1", "counter"), Wire.event(1, 1, #"{"kind":"count","value":0}"#))
            other.send(Wire.open("1", "hello"), Wire.request("2", "session/attach", #"{"key":"key-1"}"#))
            try await other.expect(
                Wire.opened("1", 1, "key-2", "hello"), Wire.event(1, 1, #"{"kind":"helloText","value":""}"#),
                Wire.attached("2", 2, "counter", seq: 1, snapshot: #"[{"kind":"count","value":0}]"#))
            other.send(Wire.viewEvent("3", 2, #"{"kind":"increment","by":5}"#))
            try await other.expect(Wire.event(2, 2, #"{"kind":"count","value":5}"#), Wire.result("3", #"{"seq":2}"#))
            try await one.expect(Wire.event(1, 2, #"{"kind":"count","value":5}"#))
            other.send(Wire.request("4", "session/list"))
            try await other.expect(
                Wire.result(
                    "4",
                    #"{"sessions":[{"session":1,"key":"key-2","viewModel":"hello","seq":1,"views":1},"#
                        + #"{"session":2,"key":"key-1","viewModel":"counter","seq":2,"views":2}]}"#))
        }
    }

    @Test func `a session outlives the view that opened it`() async throws {
        try await withServer { server in
            let (one, other) = (try await server.connected(), try await server.connected())
            one.send(Wire.open("1", "counter"))
            _ = try await one.next()
            _ = try await one.next()
            other.send(Wire.request("1", "session/attach", #"{"key":"key-1","since":1}"#))
            try await other.expect(Wire.result("1", #"{"session":1,"viewModel":"counter","seq":1,"epoch":"1"}"#))
            one.send(Wire.request("2", "session/detach", #"{"session":1}"#))
            try await one.expect(Wire.result("2"))
            one.send(Wire.viewEvent("3", 1, #"{"kind":"reset"}"#))
            try await one.expectError(-32012, id: "3")
            other.send(Wire.viewEvent("2", 1, #"{"kind":"reset"}"#))
            try await other.expect(Wire.event(1, 2, #"{"kind":"count","value":0}"#), Wire.result("2", #"{"seq":2}"#))
            try await one.expectNothing()
        }
    }

    @Test func `one connection may hold several views of one session`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "hello"), Wire.request("2", "session/attach", #"{"key":"key-1"}"#))
            _ = try await client.next()
            _ = try await client.next()
            try await client.expect(
                Wire.attached("2", 2, "hello", seq: 1, snapshot: #"[{"kind":"helloText","value":""}]"#))
            client.send(Wire.viewEvent("3", 2, #"{"kind":"sayHello"}"#))
            let messages = [try await client.next(), try await client.next(), try await client.next()]
            let hello = #"{"kind":"helloText","value":"Hello"}"#
            #expect(
                Set(messages) == [Wire.event(1, 2, hello), Wire.event(2, 2, hello), Wire.result("3", #"{"seq":2}"#)])
        }
    }

    @Test func `closing ends it for everyone and answers what waited and ran`() async throws {
        try await withServer { server in
            let (one, other) = (try await server.connected(), try await server.connected())
            one.send(Wire.open("1", "probe", #"{"hold":"close"}"#))
            try await one.expect(Wire.opened("1", 1, "key-1", "probe"))
            other.send(Wire.request("1", "session/attach", #"{"key":"key-1"}"#))
            _ = try await other.next()
            one.send(Wire.viewEvent("2", 1, #"{"kind":"wait"}"#), Wire.viewEvent("3", 1, #"{"kind":"emit","count":1}"#))
            try await one.expect(Wire.one(1, 1, -1))
            other.send(Wire.viewEvent("2", 1, #"{"kind":"emit","count":1}"#))
            try await other.expect(Wire.one(1, 1, -1))
            one.send(Wire.request("4", "session/close", #"{"session":1}"#))
            try await one.expectError(-32012, id: "2")
            try await one.expectError(-32012, id: "3")
            try await one.expect(Wire.result("4"))
            try await other.expectError(-32012, id: "2")
            try await other.expect(Wire.closed(1, "closed"))
            other.send(Wire.viewEvent("3", 1, #"{"kind":"emit","count":1}"#))
            try await other.expectError(-32012, id: "3")
            other.send(Wire.request("4", "session/attach", #"{"key":"key-1"}"#))
            try await other.expectError(-32012, id: "4")
            Hold.named("close").gate.open()
            try await one.expectNothing()
        }
    }

    @Test func `a notification that waits when its session is closed is reported`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(
                Wire.open("1", "probe", #"{"hold":"close notification"}"#), Wire.viewEvent("2", 1, #"{"kind":"wait"}"#),
                Wire.notification("view/event", #"{"session":1,"event":{"kind":"emit","count":1}}"#),
                Wire.request("3", "session/close", #"{"session":1}"#))
            try await client.expect(Wire.opened("1", 1, "key-1", "probe"), Wire.one(1, 1, -1))
            try await client.expectError(-32012, id: "2")
            try await client.expect(Wire.logMessage(1, "the session was closed before this was done"), Wire.result("3"))
            Hold.named("close notification").gate.open()
        }
    }

    @Test(arguments: ["session/detach", "session/close", "view/event"])
    func `a session that this connection doesn't have is unknown`(method: String) async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(Wire.request("1", method, #"{"session":1,"event":{"kind":"x"}}"#))
            try await client.expectError(-32012, id: "1")
            client.send(Wire.request("2", method, #"{"session":"1"}"#), Wire.request("3", method))
            for id in ["2", "3"] {
                #expect(try await client.expectError(-32602, id: id).contains(#""path":"/session""#))
            }
        }
    }

    @Test func `a view comes back with since and gets what it missed, once`() async throws {
        try await withServer { server in
            let one = try await server.connected()
            one.send(Wire.open("1", "probe"), Wire.viewEvent("2", 1, #"{"kind":"emit","count":3}"#))
            try await one.expect(
                Wire.opened("1", 1, "key-1", "probe"), Wire.one(1, 1, 0, more: true), Wire.one(1, 2, 1, more: true),
                Wire.one(1, 3, 2), Wire.result("2", #"{"seq":3}"#))
            one.cut()
            let other = try await server.connected()
            other.send(Wire.request("1", "session/attach", #"{"key":"key-1","since":1}"#))
            try await other.expect(
                Wire.result("1", #"{"session":1,"viewModel":"probe","seq":3,"epoch":"1"}"#),
                Wire.one(1, 2, 1, more: true), Wire.one(1, 3, 2))
            other.send(Wire.viewEvent("2", 1, #"{"kind":"emit","count":1}"#))
            try await other.expect(Wire.one(1, 4, 0), Wire.result("2", #"{"seq":4}"#))
        }
    }

    @Test(arguments: ["-1", "4", "9223372036854775807", "-9223372036854775808", "1.5", "\"1\"", "99999999999999999999"])
    func `a since that was never sent is refused`(since: String) async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "probe", #"{"events":3}"#))
            for _ in 0..<4 { _ = try await client.next() }
            client.send(Wire.request("2", "session/attach", #"{"key":"key-1","since":\#(since)}"#))
            #expect(try await client.expectError(-32602, id: "2").contains(#""path":"/since""#))
        }
    }

    @Test func `events that are no longer kept can't be replayed`() async throws {
        var limits = Limits()
        limits.replayEvents = 2
        try await withServer(limits: limits) { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "probe", #"{"events":5}"#))
            for _ in 0..<6 { _ = try await client.next() }
            for params in [#"{"key":"key-1"}"#, #"{"key":"key-1","since":2}"#] {
                client.send(Wire.request("2", "session/attach", params))
                #expect(try await client.expectError(-32013, id: "2").contains(#""data":{"oldest":4}"#))
            }
            client.send(Wire.request("3", "session/attach", #"{"key":"key-1","since":3}"#))
            _ = try await client.next()
            try await client.expect(Wire.one(2, 4, 3, more: true), Wire.one(2, 5, 4))
        }
    }

    @Test func `a session without views waits for the resume window`() async throws {
        try await withServer { server in
            let one = try await server.connected()
            one.send(Wire.open("1", "hello"))
            _ = try await one.next()
            one.cut()
            await server.clock.sleepers(1)
            server.clock.advance(by: .seconds(179))
            let other = try await server.connected()
            other.send(Wire.request("1", "session/attach", #"{"key":"key-1","since":1}"#))
            try await other.expect(Wire.result("1", #"{"session":1,"viewModel":"hello","seq":1,"epoch":"1"}"#))
            server.clock.advance(by: .seconds(1000))
            try await other.expectNothing()
            other.cut()
            await server.clock.sleepers(1)
            server.clock.advance(by: .seconds(180))
            let third = try await server.connected()
            // The session ends on the loop that opened it, in a job that the clock has queued before this message.
            third.send(Wire.request("1", "session/attach", #"{"key":"key-1","since":1}"#))
            try await third.expectError(-32012, id: "1")
        }
    }

    @Test func `the server hosts no more sessions than its limit, where all have views`() async throws {
        var limits = Limits()
        limits.hostedSessions = 2
        try await withServer(limits: limits) { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "probe"), Wire.open("2", "probe"), Wire.open("4", "probe"))
            try await client.expect(
                Wire.opened("1", 1, "key-1", "probe"), Wire.opened("2", 2, "key-2", "probe"))
            let error = try await client.expectError(-32015, id: "4")
            #expect(error.contains(#""data":{"limit":"hostedSessions","retryAfterMs":1000}"#), "\(error)")
            client.send(Wire.request("5", "session/close", #"{"session":2}"#), Wire.open("6", "probe"))
            // The third key was for the session that wasn't opened.
            try await client.expect(Wire.result("5"), Wire.opened("6", 3, "key-4", "probe"))
        }
    }

    @Test func `a connection holds no more sessions than its limit`() async throws {
        var limits = Limits()
        limits.sessions = 2
        try await withServer(limits: limits) { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "probe"), Wire.open("2", "probe"), Wire.open("3", "probe"))
            try await client.expect(Wire.opened("1", 1, "key-1", "probe"), Wire.opened("2", 2, "key-2", "probe"))
            #expect(try await client.expectError(-32015, id: "3").contains(#""data":{"limit":"sessions"}"#))
            client.send(Wire.request("4", "session/attach", #"{"key":"key-1"}"#))
            try await client.expectError(-32015, id: "4")
            client.send(Wire.request("5", "session/close", #"{"session":1}"#), Wire.open("6", "probe"))
            try await client.expect(Wire.result("5"), Wire.opened("6", 3, "key-3", "probe"))
        }
    }
}
