import Sessions
import TestSupport
import Testing
import Transport
import ViewModels

@Suite(.inTurn, .timeLimit(.minutes(4)))
struct ViewEventTests {
    @Test(arguments: [
        (#"{"session":1}"#, "/event", "missing"),
        (#"{"session":1,"event":null}"#, "/event", "missing"),
        (#"{"session":1,"event":3}"#, "/event", "expected an object"),
        (#"{"session":1,"event":{}}"#, "/event/kind", "missing"),
        (#"{"session":1,"event":{"kind":7}}"#, "/event/kind", "expected a string"),
        (#"{"session":1,"event":{"kind":"nope"}}"#, "/event/kind", "unknown kind 'nope'"),
        (#"{"session":1,"event":{"kind":"increment"}}"#, "/event/by", "missing"),
        (#"{"session":1,"event":{"kind":"increment","by":null}}"#, "/event/by", ""),
        (#"{"session":1,"event":{"kind":"increment","by":1.5}}"#, "/event/by", ""),
        (#"{"session":1,"event":{"kind":"increment","by":9223372036854775808}}"#, "/event/by", ""),
        (#"{"session":1,"event":{"kind":"reset"},"number":1}"#, "/number", "client"),
        (#"{"session":1,"event":{"kind":"reset"},"workDoneToken":{}}"#, "/workDoneToken", "a string or an integer"),
    ])
    func `a member that doesn't fit is refused with its place and reason`(params: String, path: String, reason: String)
        async throws
    {
        try await withServer { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "counter"))
            _ = try await client.next()
            _ = try await client.next()
            client.send(Wire.request("2", "view/event", params))
            let error = try await client.expectError(-32602, id: "2")
            #expect(error.contains(#""data":{"path":"\#(path)","reason":""#), "\(error)")
            #expect(error.contains(reason), "\(error)")
            client.send(Wire.notification("view/event", params))
            #expect(
                try await client.next().hasPrefix(#"{"jsonrpc":"2.0","method":"window/logMessage","params":{"type":1,"#)
            )
            try await client.expectNothing()
        }
    }

    private final class Turner: ViewModel {
        enum Side: String, Codable, Sendable { case left, right }
        enum Speed: Int, Codable, Sendable { case slow = 1, fast = 2 }
        struct Turn: Codable, Sendable {
            var side: Side?
            var speeds: [String: [Speed]] = [:]
        }
        enum ViewEvent: Codable { case turn(Turn), look(Side) }
        enum ViewModelEvent: Codable { case turned }

        let output = Output<ViewModelEvent>()
        func handle(event: ViewEvent) {}
    }

    @Test(arguments: [
        (#"{"kind":"look","value":"up"}"#, "/event/value", #"'up' is none of \"left\", \"right\""#),
        (#"{"kind":"turn","value":{"side":"","speeds":{}}}"#, "/event/value/side", #"'' is none of \"left\", "#),
        (#"{"kind":"turn","value":{"speeds":{"a/b":[1,3]}}}"#, "/event/value/speeds/a~1b/1", "'3' is none of 1, 2"),
    ])
    func `a value that an enum doesn't have is refused with those that it has`(
        event: String, path: String, reason: String
    ) async throws {
        try await withServer(register: { $0.add("turner") { Turner() } }) { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "turner"))
            _ = try await client.next()
            // Twice, since the contract is kept.
            for id in ["2", "3"] {
                client.send(Wire.viewEvent(id, 1, event))
                let error = try await client.expectError(-32602, id: id)
                #expect(error.contains(#""data":{"path":"\#(path)","reason":"\#(reason)"#), "\(error)")
            }
        }
    }

    @Test func `extra members are ignored and members come in any order`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "counter"))
            _ = try await client.next()
            _ = try await client.next()
            client.send(
                Wire.request(
                    "2", "view/event", #"[{"x":[{}],"event":{"z":null,"by":-3,"kind":"increment"},"session":1}]"#))
            try await client.expect(Wire.event(1, 2, #"{"kind":"count","value":-3}"#), Wire.result("2", #"{"seq":2}"#))
        }
    }

    @Test func `a handler that throws fails its event alone`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "probe"), Wire.viewEvent("2", 1, #"{"kind":"fail","message":"no \"paper\""}"#))
            try await client.expect(
                Wire.opened("1", 1, "key-1", "probe"),
                #"{"jsonrpc":"2.0","id":2,"error":{"code":-32014,"message":"no \"paper\""}}"#)
            client.send(Wire.notification("view/event", #"{"session":1,"event":{"kind":"fail","message":"again"}}"#))
            try await client.expect(Wire.logMessage(1, "again"))
            client.send(Wire.viewEvent("3", 1, #"{"kind":"emit","count":1}"#))
            try await client.expect(Wire.one(1, 1, 0), Wire.result("3", #"{"seq":1}"#))
        }
    }

    @Test func `an event that JSON can't express is reported and takes no number`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "probe"), Wire.viewEvent("2", 1, #"{"kind":"emitNotANumber"}"#))
            try await client.expect(Wire.opened("1", 1, "key-1", "probe"))
            let report = try await client.next()
            #expect(report.contains("window/logMessage") && report.contains("probe sent an event"), "\(report)")
            try await client.expect(Wire.result("2", #"{"seq":0}"#))
            client.send(Wire.viewEvent("3", 1, #"{"kind":"emit","count":1}"#))
            try await client.expect(Wire.one(1, 1, 0), Wire.result("3", #"{"seq":1}"#))
        }
    }

    @Test func `more marks the events of one turn but its last`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "probe"), Wire.viewEvent("2", 1, #"{"kind":"emit","count":3}"#))
            try await client.expect(
                Wire.opened("1", 1, "key-1", "probe"), Wire.one(1, 1, 0, more: true), Wire.one(1, 2, 1, more: true),
                Wire.one(1, 3, 2), Wire.result("2", #"{"seq":3}"#))
            client.send(Wire.viewEvent("3", 1, #"{"kind":"emitTwice","value":7}"#))
            try await client.expect(Wire.one(1, 4, 7), Wire.one(1, 5, 8), Wire.result("3", #"{"seq":5}"#))
        }
    }

    @Test func `events of one session are handled one at a time in the order of reading`() async throws {
        try await withServer { server in
            let client = try await server.connected(.headers)
            let count = 3_000
            client.send(Wire.open("0", "counter"))
            for id in 1...count { client.send(Wire.viewEvent("\(id)", 1, #"{"kind":"increment","by":1}"#)) }
            try await client.expect(
                Wire.opened("0", 1, "key-1", "counter"), Wire.event(1, 1, #"{"kind":"count","value":0}"#))
            for id in 1...count {
                try await client.expect(
                    Wire.event(1, id + 1, #"{"kind":"count","value":\#(id)}"#),
                    Wire.result("\(id)", #"{"seq":\#(id + 1)}"#))
            }
        }
    }

    @Test func `a shutdown doesn't overtake the event before it, also while another client is served`() async throws {
        try await withServer { server in
            let clients = [try await server.connected(), try await server.connected(), try await server.connected()]
            for client in clients {
                client.send(Wire.open("1", "counter"))
                _ = try await client.next()
                _ = try await client.next()
            }
            let gate = Gate()
            server.loops[0].execute { gate.block() }
            for client in clients {
                client.send(Wire.viewEvent("2", 1, #"{"kind":"reset"}"#), Wire.request("3", "shutdown"))
            }
            gate.open()
            for client in clients {
                try await client.expect(
                    Wire.event(1, 2, #"{"kind":"count","value":0}"#), Wire.result("2", #"{"seq":2}"#), Wire.result("3"))
            }
        }
    }

    @Test func `sessions don't wait for each other`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(
                Wire.open("1", "probe", #"{"hold":"others"}"#), Wire.open("2", "counter"),
                Wire.viewEvent("3", 1, #"{"kind":"wait"}"#), Wire.viewEvent("4", 1, #"{"kind":"emit","count":1}"#),
                Wire.viewEvent("5", 2, #"{"kind":"reset"}"#))
            try await client.expect(
                Wire.opened("1", 1, "key-1", "probe"), Wire.opened("2", 2, "key-2", "counter"),
                Wire.event(2, 1, #"{"kind":"count","value":0}"#), Wire.one(1, 1, -1),
                Wire.event(2, 2, #"{"kind":"count","value":0}"#), Wire.result("5", #"{"seq":2}"#))
            client.send(Wire.request("6", "session/attach", #"{"key":"key-1","since":1}"#))
            try await client.expect(Wire.result("6", #"{"session":3,"viewModel":"probe","seq":1,"epoch":"1"}"#))
            client.send(Wire.request("7", "session/detach", #"{"session":3}"#))
            try await client.expect(Wire.result("7"))
            Hold.named("others").gate.open()
            try await client.expect(Wire.result("3", #"{"seq":1}"#), Wire.one(1, 2, 0), Wire.result("4", #"{"seq":2}"#))
        }
    }

    /// Guarantees 1 to 4 of a session, for every view, while views on two threads send at once.
    @Test(arguments: TestFraming.allCases)
    func `every view sees every number once and in order, and answers come after their events`(framing: TestFraming)
        async throws
    {
        try await withServer(loops: 2) { server in
            let (viewCount, eventCount, perEvent) = (8, 40, 5)
            let opener = try await server.connected()
            opener.send(Wire.open("1", "probe"))
            try await opener.expect(Wire.opened("1", 1, "key-1", "probe"))
            var clients: [TestClient] = []
            for index in 0..<viewCount { clients.append(try await server.connected(framing, loop: index % 2)) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for client in clients {
                    group.addTask {
                        client.send(Wire.request("0", "session/attach", #"{"key":"key-1","since":0}"#))
                        for id in 1...eventCount {
                            let kind = id % 3 == 0 ? "emitElsewhere" : "emit"
                            client.send(Wire.viewEvent("\(id)", 1, #"{"kind":"\#(kind)","count":\#(perEvent)}"#))
                        }
                        var reader = StreamReader(total: viewCount * eventCount * perEvent)
                        #expect(try await client.next().hasPrefix(#"{"jsonrpc":"2.0","id":0,"result":{"session":1"#))
                        while !reader.isComplete(answers: eventCount) { reader.read(try await client.next()) }
                        #expect(reader.problems.isEmpty, "\(reader.problems.prefix(3))")
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// The connection's end cancels what nobody waits for any more, and a client that numbers its events still does.
    @Test func `a numbered event that was taken is applied, however long its client is gone`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            let arguments = #"{"viewModel":"probe","arguments":{"hold":"gone for long"},"client":"c"}"#
            client.send(
                Wire.request("1", "session/open", arguments),
                Wire.viewEvent("2", 1, #"{"kind":"wait"}"#, #","number":1"#),
                Wire.viewEvent("3", 1, #"{"kind":"emit","count":1}"#, #","number":2"#),
                Wire.viewEvent("4", 1, #"{"kind":"emit","count":1}"#))
            try await client.expect(Wire.opened("1", 1, "key-1", "probe"), Wire.one(1, 1, -1))
            client.cut()
            await server.clock.sleepers(1)
            server.clock.advance(by: .seconds(5))
            await client.expectEnd()
            Hold.named("gone for long").gate.open()
            let back = try await server.connected()
            back.send(Wire.request("1", "session/attach", #"{"key":"key-1","since":1,"client":"c"}"#))
            #expect(try await back.next().hasSuffix(#","handled":2}}"#))
            // The one that nobody would ask for again was cancelled.
            try await back.expect(Wire.one(1, 2, 0))
            back.send(Wire.viewEvent("2", 1, #"{"kind":"emit","count":1}"#, #","number":2"#))
            try await back.expect(Wire.result("2", #"{"seq":2}"#))
            try await back.expectNothing()
        }
    }

    @Test func `a number that was taken is answered without being applied`() async throws {
        try await withServer { server in
            let one = try await server.connected()
            one.send(Wire.request("1", "session/open", #"{"viewModel":"counter","client":"phone"}"#))
            for number in 1...2 {
                one.send(Wire.viewEvent("\(number)", 1, #"{"kind":"increment","by":10}"#, #","number":\#(number)"#))
            }
            for _ in 0..<6 { _ = try await one.next() }
            one.cut()
            let other = try await server.connected()
            other.send(Wire.request("1", "session/attach", #"{"key":"key-1","since":3,"client":"phone"}"#))
            try await other.expect(Wire.attached("1", 1, "counter", seq: 3, snapshot: nil, handled: 2))
            other.send(
                Wire.viewEvent("2", 1, #"{"kind":"increment","by":10}"#, #","number":2"#),
                Wire.viewEvent("4", 1, #"{"kind":"increment","by":10}"#, #","number":4"#),
                Wire.viewEvent("3", 1, #"{"kind":"increment","by":"x"}"#, #","number":3"#),
                Wire.viewEvent("5", 1, #"{"kind":"increment","by":10}"#, #","number":4"#))
            try await other.expect(Wire.result("2", #"{"seq":3}"#))
            #expect(try await other.expectError(-32602, id: "4").contains("4 came where 3 is next"))
            try await other.expectError(-32602, id: "3")
            try await other.expect(Wire.event(1, 4, #"{"kind":"count","value":30}"#), Wire.result("5", #"{"seq":4}"#))
            let third = try await server.connected()
            third.send(Wire.request("1", "session/attach", #"{"key":"key-1","since":4,"client":"desk"}"#))
            try await third.expect(Wire.attached("1", 1, "counter", seq: 4, snapshot: nil, handled: 0))
            third.send(Wire.viewEvent("2", 1, #"{"kind":"reset"}"#, #","number":0"#))
            try await third.expectError(-32602, id: "2")
        }
    }

    @Test func `more view events than may wait are refused, and other messages get through`() async throws {
        var limits = Limits()
        limits.pendingEvents = 2
        try await withServer(limits: limits) { server in
            let client = try await server.connected()
            client.send(Wire.open("0", "probe", #"{"hold":"pending"}"#), Wire.open("9", "counter"))
            _ = try await client.next()
            _ = try await client.next()
            _ = try await client.next()
            client.send(
                Wire.viewEvent("1", 1, #"{"kind":"wait"}"#), Wire.viewEvent("2", 1, #"{"kind":"emit","count":1}"#),
                Wire.viewEvent("3", 1, #"{"kind":"emit","count":1}"#),
                Wire.viewEvent("4", 1, #"{"kind":"emit","count":1}"#),
                Wire.notification("view/event", #"{"session":1,"event":{"kind":"emit","count":1}}"#),
                Wire.viewEvent("5", 2, #"{"kind":"reset"}"#), Wire.notification("$/cancelRequest", #"{"id":2}"#))
            try await client.expect(Wire.one(1, 1, -1))
            let error = try await client.expectError(-32015, id: "4")
            #expect(error.contains(#""data":{"limit":"pendingEvents","retryAfterMs":"#), "\(error)")
            #expect(try await client.next().contains("window/logMessage"))
            try await client.expect(Wire.event(2, 2, #"{"kind":"count","value":0}"#), Wire.result("5", #"{"seq":2}"#))
            try await client.expectError(-32800, id: "2")
            Hold.named("pending").gate.open()
            try await client.expect(Wire.result("1", #"{"seq":1}"#), Wire.one(1, 2, 0), Wire.result("3", #"{"seq":2}"#))
        }
    }
}

/// Checks one view's stream: numbers that rise by one, and no answer before the events that it speaks of.
private struct StreamReader {
    let total: Int
    private var newest = 0
    private var answers = 0
    private(set) var problems: [String] = []

    init(total: Int) {
        self.total = total
    }

    func isComplete(answers: Int) -> Bool {
        self.answers == answers && newest == total || problems.count > 10
    }

    mutating func read(_ message: String) {
        guard let seq = number(after: #""seq":"#, in: message) else {
            problems.append(message)
            return
        }
        if message.contains("viewModel/event") {
            if seq != newest + 1 { problems.append("\(seq) after \(newest)") }
            newest = seq
        } else {
            answers += 1
            if seq > newest { problems.append("the answer speaks of \(seq) before it came, after \(newest)") }
        }
    }

    private func number(after label: String, in message: String) -> Int? {
        message.firstRange(of: label).flatMap { range in
            Int(message[range.upperBound...].prefix { $0.isNumber })
        }
    }
}
