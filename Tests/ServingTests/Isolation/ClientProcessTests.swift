import Sessions
import TestSupport
import Testing
import Transport

@testable import Serving

/// A server with `--isolate` up to the process of a client. The processes here are no servers: one ends at once, the other
/// never reads. `IsolationTests` starts real ones.
@Suite(.inTurn, .timeLimit(.minutes(4))) struct ClientProcessTests {
    private static let endsAtOnce = ["/bin/false"]
    private static let neverReads = ["/bin/sleep", "600"]

    private func initialize(_ id: String, name: String) -> String {
        Wire.request(id, "initialize", #"{"clientInfo":{"name":"\#(name)"}}"#)
    }

    /// The clients for whom processes were started.
    private func started(by server: TestServer) -> [String] {
        server.log.elements.compactMap { line in
            line.firstRange(of: " started for ").map { String(line[$0.upperBound...]) }
        }
    }

    @Test(arguments: TestFraming.allCases)
    func `before initialize the server itself answers, and starts nothing`(_ framing: TestFraming) async throws {
        try await withServer(program: Self.neverReads) { server in
            let client = await server.connect(framing)
            client.send(Wire.request("1", "ping"), Wire.request("2", "nonsense"), Wire.notification("initialized"))
            try await client.expectError(-32002, id: "1")
            try await client.expectError(-32002, id: "2")
            client.send(#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#)
            try await client.expectError(-32600, id: "3")
            client.send("[\(Wire.request("4", "ping")),\(Wire.request("5", "ping"))]")
            let answers = try await client.next()
            #expect(answers.hasPrefix("[") && answers.hasSuffix("]"))
            #expect(answers.contains(#""id":4,"#) && answers.contains(#""id":5,"#))
            client.send(Wire.request("6", "initialize", #"{"protocolVersion":"9"}"#))
            try await client.expectError(-32602, id: "6")
            client.send(Wire.notification("exit"))
            await client.expectEnd()
            #expect(!server.log.elements.contains { $0.contains("process") })
        }
    }

    @Test func `a wrong token is refused, and starts nothing`() async throws {
        try await withServer(token: "right", program: Self.neverReads) { server in
            let client = await server.connect()
            client.send(Wire.request("1", "initialize", #"{"token":"wrong"}"#), Wire.request("2", "ping"))
            try await client.expectError(-32010, id: "1")
            await client.expectEnd()
            #expect(!server.log.elements.contains { $0.contains("process") })
        }
    }

    @Test func `one of many wrong tokens is answered late, and what is behind it isn't looked at`() async throws {
        try await withServer(token: "right", program: Self.neverReads) { server in
            for number in 1...11 {
                let client = await server.connect()
                client.send(Wire.request("1", "initialize", #"{"token":"wrong"}"#), Wire.request("2", "initialize"))
                try await server.turns()
                if number == 11 { server.pass(.seconds(1)) }
                try await client.expectError(-32010, id: "1")
                await client.expectEnd()
            }
            #expect(server.log.elements.contains { $0.contains("answered a second late") })
        }
    }

    @Test func `the time, the length and the bytes before initialize are bounded`() async throws {
        var limits = Limits()
        limits.initialBytes = 100
        try await withServer(limits: limits, program: Self.neverReads) { server in
            let slow = await server.connect(isPatient: false)
            let long = await server.connect()
            long.send(
                bytes: Array(repeating: 0x20, count: 10) + Array("{\"a\":\"".utf8) + Array(repeating: 0x61, count: 200))
            _ = try await long.expectError(-32015, id: "null")
            await long.expectEnd()
            server.pass(.seconds(10))
            let error = try await slow.expectError(-32015, id: "null")
            #expect(error.contains(#""limit":"initializeTime""#))
            await slow.expectEnd()
            #expect(server.exceeded["initializeTime"] == 1)
            #expect(server.connectionCount == 0)
        }
    }

    @Test func `a process that ends at once is an answer, and none is started in a tight loop`() async throws {
        var limits = Limits()
        limits.isolatedCrashes = 2
        try await withServer(limits: limits, program: Self.endsAtOnce) { server in
            for _ in 0..<2 {
                let client = await server.connect()
                client.send(initialize("1", name: "editor"))
                let error = try await client.expectError(-32014, id: "1")
                #expect(error.contains("exited with status 1"), "\(error)")
                await client.expectEnd()
            }
            let third = await server.connect()
            third.send(initialize("1", name: "editor"))
            let error = try await third.expectError(-32015, id: "1")
            #expect(error.contains(#""limit":"isolatedCrashes","retryAfterMs":60001"#), "\(error)")
            await third.expectEnd()
            let other = await server.connect()
            other.send(initialize("1", name: "page"))
            try await other.expectError(-32014, id: "1")
            server.pass(.seconds(60))
            let later = await server.connect()
            later.send(initialize("1", name: "editor"))
            try await later.expectError(-32014, id: "1")
        }
    }

    @Test func `clients of one name share a process, and there are so many at most`() async throws {
        var limits = Limits()
        limits.isolatedProcesses = 1
        try await withServer(limits: limits, program: Self.neverReads) { server in
            let first = await server.connect()
            first.send(initialize("1", name: "editor"))
            let same = await server.connect()
            same.send(initialize("1", name: "editor"))
            let other = await server.connect()
            other.send(initialize("1", name: "page"))
            let error = try await other.expectError(-32015, id: "1")
            #expect(error.contains(#""limit":"isolatedProcesses","retryAfterMs":1000"#), "\(error)")
            await other.expectEnd()
            #expect(started(by: server) == [#""editor""#])
            first.cut()
            same.cut()
            // Neither had a view, so nobody comes back. It doesn't end when told to, nor is SIGTERM waited for twice.
            while !server.log.elements.contains(where: { $0.contains("was ended by SIGTERM") }) {
                server.pass(.seconds(1))
                try await server.turns()
            }
            let later = await server.connect()
            later.send(initialize("1", name: "page"))
            await until { started(by: server) == [#""editor""#, #""page""#] }
        }
    }

    /// A process that reports this of itself, and then does what the rest of the script says.
    private func reports(_ report: String, then rest: String) -> [String] {
        ["/bin/sh", "-c", "printf '%s' '\(report)' >&0; \(rest)"]
    }

    private let report =
        #"{"models":{"counter":{"sessions":2,"views":1,"events":5}},"exceeded":{"rows":3},"errors":{"UnknownSession":4},"#
        + #""abandonedEnded":6,"holds":7,"keptBytes":8,"abandonedBytes":9,"#
        + #""heldWork":[{"name":"counter.increment","milliseconds":10}]}"#

    private func page(_ path: String, of server: TestServer) -> String {
        let request = HTTPRequest(method: "GET", path: path, headers: [])
        guard case .response(let response) = Site(core: server.core).answer(request) else { return "" }
        return String(decoding: response.body, as: UTF8.self)
    }

    @Test func `what a process reports is added to the server's figures, and its counters stay when it has ended`()
        async throws
    {
        try await withServer(hasPool: true, program: reports(report, then: "exec sleep 600")) { server in
            let client = await server.connect()
            // The server's own.
            client.send(Wire.request("0", "ping"), initialize("1", name: "editor"))
            try await client.expectError(-32002, id: "0")
            await until { server.core.counts.models["counter"]?.views == 1 }
            let both = [
                #"events_total{view_model="counter"} 5"#, #"limits_exceeded_total{limit="rows"} 3"#,
                #"errors_total{error="UnknownSession"} 4"#, #"errors_total{error="ServerNotInitialized"} 1"#,
                "sessions_given_way_total 6", "holds_total 7",
            ]
            let running = [
                #"sessions{view_model="counter"} 2"#, #"views{view_model="counter"} 1"#, "kept_bytes 8",
                "abandoned_bytes 9", "held_threads 1",
            ]
            let metrics = page("/metrics", of: server)
            for line in both + running { #expect(metrics.contains("\nview_model_server_\(line)\n"), "\(line)") }
            let held = #/ready\ncounter\.increment in process \d+ has held a thread for 10 ms\n1 processes run.*/#
            #expect(page("/healthz", of: server).wholeMatch(of: held.dotMatchesNewlines()) != nil)

            client.cut()
            while !server.log.elements.contains(where: { $0.contains("was ended by SIGTERM") }) {
                server.pass(.seconds(1))
                try await server.turns()
            }
            let after = page("/metrics", of: server)
            let ended = [
                #"sessions{view_model="counter"} 0"#, #"views{view_model="counter"} 0"#, "kept_bytes 0",
                "abandoned_bytes 0", "held_threads 0",
            ]
            for line in both + ended { #expect(after.contains("\nview_model_server_\(line)\n"), "\(line)") }
            #expect(!page("/healthz", of: server).contains("counter"))
        }
    }

    @Test func `what a process reported right before it crashed counts`() async throws {
        try await withServer(program: reports(report, then: "kill -9 $$")) { server in
            for count in 1...2 {
                let client = await server.connect()
                client.send(initialize("1", name: "editor"))
                try await client.expectError(-32014, id: "1")
                #expect(server.core.counts.models["counter"]?.events == 5 * count)
                #expect(server.core.counts.models["counter"]?.sessions == 0)
            }
        }
    }

    @Test func `a report that is none counts for nothing, and the process goes on`() async throws {
        let program = reports("nonsense", then: "printf '%s' '\(report)' >&0; exec sleep 600")
        try await withServer(program: program) { server in
            let client = await server.connect()
            client.send(initialize("1", name: "editor"))
            await until { server.core.counts.models["counter"]?.events == 5 }
            #expect(!server.log.elements.contains { $0.contains("ended") })
        }
    }

    @Test func `principals have processes of their own, whatever their clients are called`() async throws {
        let tokens = try Tokens(file: "alice 0123456789abcdef\nbob 0123456789abcdeg\n")
        try await withServer(tokens: tokens, program: Self.neverReads) { server in
            let clients = [("editor", "f"), ("page", "f"), ("editor", "g")]
            for (index, (name, token)) in clients.enumerated() {
                let client = await server.connect()
                client.send(
                    Wire.request(
                        "1", "initialize", #"{"clientInfo":{"name":"\#(name)"},"token":"0123456789abcde\#(token)"}"#))
                await until { server.log.elements.count { $0.contains("initialized; process") } == index + 1 }
            }
            #expect(started(by: server) == ["principal alice", "principal bob"])
        }
    }
}
