import Sessions
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(4)))
struct MessageTests {
    @Test(arguments: [
        "1", "0", "-5", "9007199254740993", "-9223372036854775808", "123456789012345678901234567890", "1.0", "1e3",
        #""a""#, #""""#, #""\u0041\/é""#, #""1""#, "-0",
    ])
    func `an id comes back as it was written`(id: String) async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(Wire.request(id, "ping"))
            try await client.expect(Wire.result(id))
        }
    }

    @Test func `unknown members of a message are ignored, and of duplicates the last counts`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(
                #"{"x":[1,{"id":7}],"id":1,"method":"nope","jsonrpc":"1.0","method":"ping","jsonrpc":"2.0","id":2}"#)
            try await client.expect(Wire.result("2"))
        }
    }

    @Test(arguments: ["1.5", "1e-3", "null", "true", "{}", "[1]"])
    func `an id of another type is an invalid request`(id: String) async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(Wire.request(id, "ping"))
            try await client.expectError(-32600, id: "null")
            try await client.expectNothing()
        }
    }

    @Test(arguments: [
        ("1", "null"), (#""text""#, "null"), ("null", "null"), ("{}", "null"),
        (#"{"id":1,"method":"ping"}"#, "1"),
        (#"{"jsonrpc":"1.0","id":2,"method":"ping"}"#, "2"),
        (#"{"jsonrpc":2.0,"id":3,"method":"ping"}"#, "3"),
        (#"{"jsonrpc":"2.0","id":4,"method":5}"#, "4"),
        (#"{"jsonrpc":"2.0","id":"x"}"#, #""x""#),
        (#"{"jsonrpc":"2.0","method":null}"#, "null"),
    ])
    func `a text that is no message is told so`(message: String, id: String) async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(message)
            try await client.expectError(-32600, id: id)
            try await client.expectNothing()
        }
    }

    @Test(arguments: [
        "nonsense", #"{"jsonrpc":"2.0","id":1,"method":"ping""#, #"{"a":01}"#, #"{"a":"\ud800"}"#, "{'a':1}", "{} {}",
    ])
    func `a text that is not JSON is told so, and the next message is read`(text: String) async throws {
        for framing in TestFraming.allCases {
            try await withServer { server in
                let client = try await server.connected(framing)
                client.send(text)
                try await client.expectError(-32700, id: "null")
                try await client.expectNothing()
            }
        }
    }

    @Test func `invalid UTF-8 is a parse error`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(bytes: Array(#"{"jsonrpc":"2.0","id":1,"method":""#.utf8) + [0xFF] + Array("\"}\n".utf8))
            try await client.expectError(-32700, id: "null")
            try await client.expectNothing()
        }
    }

    @Test(arguments: [
        "Content-Length: x\r\n\r\n", "Content-Length: -1\r\n\r\n", "Content-Type: a\r\n\r\n",
        "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", "Content-Length: 2\n\n{}", "Content-Length 2\r\n\r\n{}",
    ])
    func `after a framing error the connection ends`(bytes: String) async throws {
        try await withServer { server in
            let client = try await server.connected(.headers)
            client.send(bytes: Array(bytes.utf8))
            client.send(Wire.request("1", "ping"))
            try await client.expectError(-32700, id: "null")
            await client.expectEnd()
        }
    }

    @Test(arguments: ["GET / HTTP/1.1\r\n\r\n", "hello\n", "\u{FEFF}{}\n", "\"text\"\n"])
    func `a first byte of no framing ends the connection with a reason`(bytes: String) async throws {
        try await withServer { server in
            let client = await server.connect()
            client.send(bytes: Array(bytes.utf8))
            try await client.expectError(-32700, id: "null")
            await client.expectEnd()
        }
    }

    @Test func `messages over the limits end the connection`() async throws {
        var limits = Limits()
        limits.messageBytes = 100
        limits.headerBytes = 64
        let cases: [(TestFraming, String, String)] = [
            (
                .lines,
                String(repeating: " ", count: 50) + Wire.request("1", "ping") + String(repeating: " ", count: 50),
                "messageBytes"
            ),
            (.headers, "Content-Length: 101\r\n\r\n", "messageBytes"),
            (.headers, "Content-Length: 99999999999999999999\r\n\r\n", "messageBytes"),
            (.headers, "X: \(String(repeating: "x", count: 99))\r\n\r\n", "headerBytes"),
        ]
        try await withServer(limits: limits) { server in
            for (framing, bytes, limit) in cases {
                let client = try await server.connected(framing)
                client.send(bytes: Array("\(bytes)\n".utf8))
                let error = try await client.expectError(-32015, id: "null")
                #expect(error.contains(#""data":{"limit":"\#(limit)"}"#), "\(error)")
                await client.expectEnd()
            }
        }
    }

    @Test func `a charset other than UTF-8 spoils one message`() async throws {
        try await withServer { server in
            let client = try await server.connected(.headers)
            client.send(bytes: Array("Content-Type: a/b; charset=latin1\r\nContent-Length: 2\r\n\r\n{}".utf8))
            try await client.expectError(-32700, id: "null")
            let ping = Wire.request("1", "ping")
            for type in ["a/b; charset=utf-8", "a/b; charset=utf8", "a; charset=\"UTF-8\"", "a/b"] {
                client.send(
                    bytes: Array("content-type: \(type)\r\nCONTENT-LENGTH:\(ping.utf8.count)\r\n\r\n\(ping)".utf8))
                try await client.expect(Wire.result("1"))
            }
        }
    }

    @Test func `a batch is answered by one array, good and bad`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(
                "["
                    + [
                        Wire.request("1", "ping"), "1", Wire.notification("unknown"), Wire.request("2", "unknown"),
                        Wire.request("1.5", "ping"), #"{"jsonrpc":"2.0","id":9,"result":1}"#,
                        Wire.request("3", "session/list"),
                    ].joined(separator: ",") + "]")
            let answer = try await client.next()
            #expect(
                answer.hasPrefix(
                    #"[{"jsonrpc":"2.0","id":1,"result":null},{"jsonrpc":"2.0","id":null,"error":{"code":-32600"#))
            #expect(answer.contains(#"{"jsonrpc":"2.0","id":2,"error":{"code":-32601"#))
            #expect(answer.hasSuffix(#",{"jsonrpc":"2.0","id":3,"result":{"sessions":[]}}]"#))
            try await client.expectNothing()
        }
    }

    @Test func `a batch waits for its slowest answer and other messages don't wait for it`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "probe", #"{"hold":"batch"}"#))
            try await client.expect(Wire.opened("1", 1, "key-1", "probe"))
            client.send(
                "[\(Wire.viewEvent("2", 1, #"{"kind":"wait"}"#)),\(Wire.request("3", "ping"))]",
                Wire.request("4", "ping"))
            try await client.expect(Wire.one(1, 1, -1), Wire.result("4"))
            Hold.named("batch").gate.open()
            try await client.expect("[\(Wire.result("3")),\(Wire.result("2", #"{"seq":1}"#))]")
        }
    }

    @Test func `a view opened in a batch gets its events after the batch's answer`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send("[\(Wire.open("1", "counter")),\(Wire.viewEvent("2", 1, #"{"kind":"increment","by":1}"#))]")
            try await client.expect(
                "[\(Wire.opened("1", 1, "key-1", "counter")),\(Wire.result("2", #"{"seq":2}"#))]",
                Wire.event(1, 1, #"{"kind":"count","value":0}"#), Wire.event(1, 2, #"{"kind":"count","value":1}"#))
        }
    }

    @Test func `a batch of notifications is not answered, an empty one is refused, a long one too`() async throws {
        var limits = Limits()
        limits.batchMessages = 2
        try await withServer(limits: limits) { server in
            let client = try await server.connected()
            client.send("[\(Wire.notification("a")),\(Wire.notification("b"))]")
            try await client.expectNothing()
            client.send("[]")
            try await client.expectError(-32600, id: "null")
            client.send("[1,2,3]")
            try await client.expectError(-32015, id: "null")
            try await client.expectNothing()
        }
    }

    @Test func `an id in flight can't be taken again, and is free after its answer`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "probe", #"{"hold":"duplicate"}"#))
            try await client.expect(Wire.opened("1", 1, "key-1", "probe"))
            client.send(Wire.viewEvent("7", 1, #"{"kind":"wait"}"#), Wire.request("7", "ping"))
            try await client.expect(Wire.one(1, 1, -1))
            try await client.expectError(-32600, id: "null")
            Hold.named("duplicate").gate.open()
            try await client.expect(Wire.result("7", #"{"seq":1}"#))
            client.send(Wire.request("7", "ping"))
            try await client.expect(Wire.result("7"))
        }
    }

    @Test func `answers and misplaced methods do nothing, and say so in the log`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(
                #"{"jsonrpc":"2.0","id":1,"result":null}"#, #"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#
            )
            try await client.expectNothing()
            #expect(server.log.elements.filter { $0.contains("nothing that was asked") }.count == 2)
            client.send(Wire.request("1", "initialized"), Wire.request("2", "$/setTrace"), Wire.request("3", "exit"))
            for id in ["1", "2", "3"] { try await client.expectError(-32600, id: id) }
            client.send(Wire.notification("session/list"))
            #expect(try await client.next().contains("window/logMessage"))
        }
    }

    @Test(arguments: TestFraming.allCases)
    func `bytes may come in pieces of any size`(framing: TestFraming) async throws {
        for pieceBytes in [1, 2, 3, 7, 16, 61] {
            try await withServer { server in
                let client = await server.connect(framing, pieceBytes: pieceBytes)
                client.send(
                    Wire.request("1", "initialize"), Wire.open("2", "counter", #"{"start":40}"#),
                    Wire.viewEvent("3", 1, #"{"kind":"increment","by":2}"#))
                try await client.expect(
                    Wire.result("1", LifeOfAConnectionTests.initializeResult), Wire.opened("2", 1, "key-1", "counter"),
                    Wire.event(1, 1, #"{"kind":"count","value":40}"#),
                    Wire.event(1, 2, #"{"kind":"count","value":42}"#),
                    Wire.result("3", #"{"seq":2}"#))
            }
        }
    }

    @Test(arguments: TestFraming.allCases)
    func `a conversation cut at every position has the same effect`(framing: TestFraming) async throws {
        let bytes = [
            Wire.request("1", "initialize"), Wire.open("2", "hello"), Wire.viewEvent("3", 1, #"{"kind":"sayHello"}"#),
        ].flatMap { framing.frame($0) }
        try await withServer { server in
            for position in bytes.indices {
                let client = await server.connect(framing)
                client.send(bytes: Array(bytes[..<position]))
                client.send(bytes: Array(bytes[position...]))
                _ = try await client.next()
                _ = try await client.next()
                try await client.expect(
                    Wire.event(1, 1, #"{"kind":"helloText","value":""}"#),
                    Wire.event(1, 2, #"{"kind":"helloText","value":"Hello"}"#), Wire.result("3", #"{"seq":2}"#))
            }
        }
    }
}
