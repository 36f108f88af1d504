import Serving
import Sessions
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(4)))
struct LifeOfAConnectionTests {
    static let initializeResult =
        #"{"protocolVersion":"1.2","serverInfo":{"name":"view-model-server","version":"1.2.3"},"#
        + #""capabilities":{"viewModels":[{"name":"board","type":"Examples.BoardViewModel","scope":"everyone"},"#
        + #"{"name":"boardScreen","type":"Examples.BoardScreenViewModel","scope":"person"},"#
        + #"{"name":"counter","type":"Examples.CounterViewModel"},"#
        + #"{"name":"finder","type":"Examples.FinderViewModel","scope":"person"},"#
        + #"{"name":"hello","type":"Examples.HelloViewModel"},"#
        + #"{"name":"numbers","type":"Examples.NumbersViewModel"},"#
        + #"{"name":"orderDetails","type":"Examples.OrderDetailsViewModel"},"#
        + #"{"name":"orders","type":"Examples.OrdersViewModel"},{"name":"probe","type":"ServingTests.ProbeViewModel"},"#
        + #"{"name":"stopwatch","type":"Examples.StopwatchViewModel"},"#
        + #"{"name":"todos","type":"Examples.TodosViewModel","scope":"person"}],"#
        + #""children":[{"name":"boardCard","type":"Examples.BoardCardViewModel"},{"name":"confirmCancel","type":"Examples.ConfirmCancelViewModel"},"#
        + #"{"name":"finderPreview","type":"Examples.FinderPreviewViewModel"}],"#
        + #""resume":true,"durable":false},"#
        + #""limits":{"messageBytes":16777216,"sessions":1024,"pendingEvents":4096,"replayEvents":1024,"#
        + #""rows":1000,"rowBytes":1048576}}"#

    @Test(arguments: TestFraming.allCases)
    func `a whole session, byte for byte`(framing: TestFraming) async throws {
        try await withServer { server in
            let client = await server.connect(framing)
            client.send(Wire.request("1", "initialize", "{}"))
            try await client.expect(Wire.result("1", Self.initializeResult))
            client.send(Wire.notification("initialized", "{}"), Wire.open("2", "hello"))
            try await client.expect(
                Wire.opened("2", 1, "key-1", "hello"),
                Wire.event(1, 1, #"{"kind":"helloText","value":""}"#))
            client.send(Wire.viewEvent("3", 1, #"{"kind":"sayHello"}"#))
            try await client.expect(
                Wire.event(1, 2, #"{"kind":"helloText","value":"Hello"}"#),
                Wire.result("3", #"{"seq":2}"#))
            client.send(Wire.request("4", "session/close", #"{"session":1}"#))
            try await client.expect(Wire.result("4"))
            client.send(Wire.request("5", "shutdown"))
            try await client.expect(Wire.result("5"))
            client.send(Wire.notification("exit"))
            await client.expectEnd(status: 0)
        }
    }

    @Test(arguments: [
        #"{"processId":null,"trace":"off","capabilities":{}}"#, #"{"protocolVersion":"1.0"}"#,
        #"{"clientInfo":{"name":"a","version":"1"},"rootUri":null,"workspaceFolders":[],"workDoneToken":"1"}"#,
        #"{"protocolVersion":"1.7","trace":"compact","clientInfo":"not an object"}"#,
        #"{"initializationOptions":{"protocolVersion":"1.2"},"trace":17}"#,
        #"{"initializationOptions":[1],"processId":4194999}"#,
        "null", "[]", "[null]", #"[{"trace":"verbose"}]"#,
    ])
    func `initialize takes what clients in use send`(params: String) async throws {
        try await withServer { server in
            let client = await server.connect()
            client.send(Wire.request("1", "initialize", params))
            try await client.expect(Wire.result("1", Self.initializeResult))
        }
    }

    @Test(arguments: [
        (#"{"protocolVersion":"2.0"}"#, #""path":"/protocolVersion","reason":"not supported","supported":["1.2"]"#),
        (#"{"initializationOptions":{"protocolVersion":"0.9"}}"#, #""supported":["1.2"]"#),
        (#"{"protocolVersion":"1x"}"#, #""supported":["1.2"]"#),
        (#"{"protocolVersion":1}"#, #""path":"/protocolVersion","reason":"expected a string but found a number""#),
        (#"{"processId":"7"}"#, #""path":"/processId""#),
        ("[1]", #""path":"""#),
        ("3", #""path":"""#),
    ])
    func `initialize refuses what it can't speak, and may be sent again`(params: String, data: String) async throws {
        try await withServer { server in
            let client = await server.connect()
            client.send(Wire.request("1", "initialize", params))
            let error = try await client.expectError(-32602, id: "1")
            #expect(error.contains(data), "\(error)")
            client.send(Wire.request("2", "initialize"))
            try await client.expect(Wire.result("2", Self.initializeResult))
        }
    }

    @Test func `before initialize requests are refused and notifications dropped`() async throws {
        try await withServer { server in
            let client = await server.connect()
            client.send(Wire.notification("initialized"), Wire.notification("view/event", #"{"session":1}"#))
            for method in [
                "shutdown", "ping", "session/open", "session/list", "unknown", "$/unknown", "initialized", "exit",
            ] {
                client.send(Wire.request(#""\#(method)""#, method))
                try await client.expectError(-32002, id: #""\#(method)""#)
            }
        }
    }

    @Test func `a second initialize is refused`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(Wire.request("1", "initialize"))
            try await client.expectError(-32600, id: "1")
        }
    }

    @Test func `unknown requests are refused and unknown notifications ignored`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(
                Wire.notification("workspace/didChangeConfiguration", #"{"settings":{}}"#),
                Wire.notification("$/unknown"),
                Wire.request("1", "textDocument/hover"), Wire.request("2", "$/unknown"))
            try await client.expectError(-32601, id: "1")
            try await client.expectError(-32601, id: "2")
            try await client.expectNothing()
        }
    }

    @Test func `after shutdown only exit is taken`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(Wire.request("1", "shutdown"))
            try await client.expect(Wire.result("1"))
            for method in ["ping", "shutdown", "initialize", "session/list", "unknown"] {
                client.send(Wire.request("2", method))
                try await client.expectError(-32600, id: "2")
            }
            client.send(Wire.notification("session/list"), Wire.notification("exit"))
            await client.expectEnd(status: 0)
        }
    }

    @Test func `shutdown closes the sessions that nobody else holds`() async throws {
        try await withServer { server in
            let (one, other) = (try await server.connected(), try await server.connected())
            one.send(Wire.open("1", "hello"), Wire.open("2", "probe"))
            try await one.expect(
                Wire.opened("1", 1, "key-1", "hello"),
                Wire.event(1, 1, #"{"kind":"helloText","value":""}"#),
                Wire.opened("2", 2, "key-2", "probe"))
            other.send(Wire.request("1", "session/attach", #"{"key":"key-1"}"#))
            _ = try await other.next()
            one.send(Wire.request("3", "shutdown"))
            try await one.expect(Wire.result("3"))
            other.send(Wire.request("2", "session/attach", #"{"key":"key-2"}"#))
            try await other.expectError(-32012, id: "2")
            other.send(Wire.viewEvent("3", 1, #"{"kind":"sayHello"}"#))
            try await other.expect(
                Wire.event(1, 2, #"{"kind":"helloText","value":"Hello"}"#), Wire.result("3", #"{"seq":2}"#))
        }
    }

    @Test func `exit without shutdown is status 1, at any time`() async throws {
        try await withServer { server in
            for connect in [{ await server.connect() }, { try await server.connected() }] {
                let client = try await connect()
                client.send(Wire.notification("exit"))
                await client.expectEnd(status: 1)
            }
        }
    }

    @Test(arguments: TestFraming.allCases)
    func `the end of the input is an exit, after what was read is answered`(framing: TestFraming) async throws {
        try await withServer { server in
            let client = try await server.connected(framing)
            let hold = Hold.named("end of input \(framing)")
            client.send(
                Wire.open("1", "probe", #"{"hold":"end of input \#(framing)"}"#),
                Wire.viewEvent("2", 1, #"{"kind":"wait"}"#),
                Wire.notification("view/event", #"{"session":1,"event":{"kind":"emit","count":1}}"#))
            client.endInput()
            _ = await hold.began.elements(count: 1)
            hold.gate.open()
            try await client.expect(
                Wire.opened("1", 1, "key-1", "probe"), Wire.one(1, 1, -1), Wire.result("2", #"{"seq":1}"#),
                Wire.one(1, 2, 0))
            await client.expectEnd(status: 1)
        }
    }

    @Test func `a handler that takes longer than the grace period is cancelled at the end of the input`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(
                Wire.open("1", "probe", #"{"hold":"grace"}"#), Wire.viewEvent("2", 1, #"{"kind":"waitRegardless"}"#))
            try await client.expect(Wire.opened("1", 1, "key-1", "probe"), Wire.one(1, 1, -1))
            client.endInput()
            await server.clock.sleepers(1)
            server.clock.advance(by: .seconds(5))
            try await client.expectError(-32800, id: "2")
            await client.expectEnd(status: 1)
            Hold.named("grace").gate.open()
        }
    }

    @Test(arguments: [
        (TestFraming.headers, "Content-Length: 10\r\n\r\n{\"json"), (.headers, "Content-Len"),
        (.headers, "Content-Length: 10\r\n"),
        (.lines, #"{"jsonrpc":"2.0","#),
    ])
    func `an input that ends in the middle of a message is told so`(framing: TestFraming, bytes: String) async throws {
        try await withServer { server in
            let client = try await server.connected(framing)
            client.send(bytes: Array(bytes.utf8))
            client.endInput()
            try await client.expectError(-32700, id: "null")
            await client.expectEnd(status: 1)
        }
    }

    @Test func `a last line without its end is a message`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(bytes: Array(Wire.request("1", "ping").utf8))
            client.endInput()
            try await client.expect(Wire.result("1"))
            await client.expectEnd(status: 1)
        }
    }

    @Test func `ping is answered and trace is told`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(Wire.request("1", "ping"))
            try await client.expect(Wire.result("1"))
            client.send(Wire.notification("$/setTrace", #"{"value":"messages"}"#), Wire.request("2", "ping"))
            try await client.expect(
                Wire.notification("$/logTrace", #"{"message":"Received request 'ping - (2)'."}"#),
                Wire.result("2"),
                Wire.notification("$/logTrace", #"{"message":"Sent response '(2)'."}"#))
            client.send(Wire.notification("$/setTrace", #"{"value":"verbose"}"#))
            try await client.expect(
                Wire.notification("$/logTrace", #"{"message":"Received notification '$/setTrace'."}"#))
            client.send(Wire.request("3", "ping", #"{"a":1}"#))
            try await client.expect(
                Wire.notification(
                    "$/logTrace", #"{"message":"Received request 'ping - (3)'.","verbose":"{\"a\":1}"}"#),
                Wire.result("3"),
                Wire.notification("$/logTrace", #"{"message":"Sent response '(3)'."}"#))
            client.send(Wire.notification("$/setTrace", #"{"value":"off"}"#))
            _ = try await client.next()
            try await client.expectNothing()
        }
    }

    @Test(arguments: ["", " \n"]) func `an empty token is none`(text: String) {
        #expect(Token(text) == nil)
    }

    @Test func `a token is asked for and compared`() async throws {
        // The white space around it is none of it.
        try await withServer(token: " \ts3 cret\r\n") { server in
            let wrong = ["", "s3 cre", "s3 cret!", "S3 cret", "terc 3s", "s3 cret\\n", "s3cret"]
            for params in ["{}"] + wrong.map({ #"{"token":"\#($0)"}"# }) {
                let client = await server.connect()
                client.send(Wire.request("1", "initialize", params), Wire.request("2", "ping"))
                try await client.expectError(-32010, id: "1")
                await client.expectEnd()
            }
            for params in [#"{"token":"s3 cret"}"#, #"{"initializationOptions":{"token":"s3 cret"}}"#] {
                let client = await server.connect()
                client.send(Wire.request("1", "initialize", params))
                try await client.expect(Wire.result("1", Self.initializeResult))
            }
        }
    }
}
