import Sessions
import TestSupport
import Testing

import Serving

@Suite(.inTurn, .timeLimit(.minutes(4)))
struct SessionAttachSnapshotTests {
    private static let attach = Wire.request("2", "session/attach", #"{"key":"key-1"}"#)

    private static func total(_ session: Int, _ seq: Int, _ total: Int) -> String {
        Wire.event(session, seq, #"{"kind":"total","value":\#(total)}"#)
    }

    private static func add(_ id: String, _ session: Int, _ number: Int, _ more: String = "") -> String {
        Wire.viewEvent(id, session, #"{"kind":"add","value":\#(number)}"#, more)
    }

    private static func attached(_ session: Int, seq: Int, total: Int) -> String {
        Wire.result(
            "2",
            #"{"session":\#(session),"viewModel":"ledger","seq":\#(seq),"epoch":"1","snapshot":[{"kind":"total","value":\#(total)}]}"#
        )
    }

    /// A server with a session of one client, in which 10 and 5 were added.
    private func withLedger(
        _ arguments: String = "{}", limits: Limits = Limits(),
        _ body: (TestServer, TestClient) async throws -> Void
    ) async throws {
        try await withServer(loops: 2, limits: limits, register: { LedgerViewModel.register(in: &$0) }) { server in
            let owner = try await server.connected()
            owner.send(Wire.open("1", "ledger", arguments), Self.add("2", 1, 10), Self.add("3", 1, 5))
            try await owner.expect(
                Wire.opened("1", 1, "key-1", "ledger"), Self.total(1, 1, 10), Wire.result("2", #"{"seq":1}"#),
                Self.total(1, 2, 15), Wire.result("3", #"{"seq":2}"#))
            try await body(server, owner)
        }
    }

    /// The same, with a second client whose `session/attach` waits for its snapshot.
    private func withArrival(
        _ name: String, limits: Limits = Limits(),
        _ body: (TestServer, _ owner: TestClient, _ late: TestClient, Hold) async throws -> Void
    ) async throws {
        try await withLedger(#"{"snapshot":"\#(name)"}"#, limits: limits) { server, owner in
            let late = try await server.connected(loop: 1)
            late.send(Self.attach)
            let hold = Hold.named(name)
            _ = await hold.began.elements(count: 1)
            try await body(server, owner, late, hold)
        }
    }

    @Test(arguments: ["", #","since":0"#])
    func `a late view gets the view model's snapshot, and then the next number`(since: String) async throws {
        var limits = Limits()
        limits.replayEvents = 1
        try await withLedger(limits: limits) { server, owner in
            let late = try await server.connected(loop: 1)
            late.send(Wire.request("2", "session/attach", #"{"key":"key-1"\#(since)}"#))
            try await late.expect(Self.attached(1, seq: 2, total: 15))
            late.send(Self.add("3", 1, 1))
            try await late.expect(Self.total(1, 3, 16), Wire.result("3", #"{"seq":3}"#))
            try await owner.expect(Self.total(1, 3, 16))
        }
    }

    @Test func `a snapshot doesn't wait for a handler that does`() async throws {
        try await withLedger(#"{"hold":"snapshot meanwhile"}"#) { server, owner in
            owner.send(Wire.viewEvent("4", 1, #"{"kind":"wait"}"#))
            _ = await Hold.named("snapshot meanwhile").began.elements(count: 1)
            let late = try await server.connected(loop: 1)
            late.send(Self.attach)
            try await late.expect(Self.attached(1, seq: 2, total: 15))
            Hold.named("snapshot meanwhile").gate.open()
            try await owner.expect(Wire.result("4", #"{"seq":2}"#))
        }
    }

    @Test func `events are in the snapshot or after it, never both and never in neither`() async throws {
        try await withArrival("snapshot outdated") { _, owner, late, hold in
            owner.send(Self.add("4", 1, 100))
            try await owner.expect(Self.total(1, 3, 115), Wire.result("4", #"{"seq":3}"#))
            hold.gate.open()
            try await late.expect(Self.attached(1, seq: 3, total: 115))
            owner.send(Self.add("5", 1, 1))
            try await late.expect(Self.total(1, 4, 116))
            #expect(hold.began.elements.count == 2)
        }
    }

    @Test func `events of a view that hasn't arrived are handled in their turn, and answered after the attaching`()
        async throws
    {
        try await withArrival("snapshot pipelined") { _, owner, late, hold in
            late.send(Self.add("3", 1, 100), Self.add("4", 1, 1), Wire.request("5", "ping"))
            try await owner.expect(Self.total(1, 3, 115), Self.total(1, 4, 116))
            // The events are done, and the answer to what came behind them is all that is sent.
            try await late.expect(Wire.result("5"))
            hold.gate.open()
            try await late.expect(
                Self.attached(1, seq: 4, total: 116), Wire.result("3", #"{"seq":3}"#), Wire.result("4", #"{"seq":4}"#))
        }
    }

    @Test func `a script that attaches and sends at once needs to wait for nothing`() async throws {
        try await withLedger { server, _ in
            let late = try await server.connected()
            late.send(Self.attach, Self.add("3", 1, 1), Wire.request("4", "session/close", #"{"session":1}"#))
            try await late.expect(
                Self.attached(1, seq: 2, total: 15), Self.total(1, 3, 16), Wire.result("3", #"{"seq":3}"#),
                Wire.result("4"))
        }
    }

    @Test func `in a batch the answers come together`() async throws {
        try await withArrival("snapshot batch") { _, owner, late, hold in
            late.send("[\(Wire.request("6", "session/attach", #"{"key":"key-1"}"#)),\(Self.add("3", 2, 1))]")
            try await owner.expect(Self.total(1, 3, 16))
            hold.gate.open()
            try await late.expect(Self.attached(1, seq: 3, total: 16))
            let attached = Self.attached(2, seq: 3, total: 16).replacing(#""id":2"#, with: #""id":6"#)
            try await late.expect("[\(attached),\(Wire.result("3", #"{"seq":3}"#))]")
            late.send(Self.add("7", 2, 1))
            var rest: Set<String> = []
            for _ in 0..<3 { rest.insert(try await late.next()) }
            #expect(rest == [Self.total(1, 4, 17), Self.total(2, 4, 17), Wire.result("7", #"{"seq":4}"#)])
        }
    }

    @Test func `a view that is detached before it has arrived is answered so, and sees nothing`() async throws {
        try await withArrival("snapshot detached") { _, owner, late, hold in
            late.send(Self.add("3", 1, 1), Wire.request("4", "session/detach", #"{"session":1}"#))
            try await owner.expect(Self.total(1, 3, 16))
            try await late.expectError(-32800, id: "2")
            // Its event was taken before, so it may be done and answered before or after that.
            var rest: Set<String> = []
            for _ in 0..<2 { rest.insert(try await late.next()) }
            #expect(rest == [Wire.result("3", #"{"seq":3}"#), Wire.result("4")])
            hold.gate.open()
            late.send(Wire.request("2", "session/attach", #"{"key":"key-1"}"#))
            try await late.expect(Self.attached(2, seq: 3, total: 16))
            try await late.expectNothing()
        }
    }

    @Test(arguments: [true, false])
    func `a session that is closed before a view has arrived is unknown to it`(byItself: Bool) async throws {
        try await withArrival("snapshot closed \(byItself)") { _, owner, late, hold in
            (byItself ? late : owner).send(Wire.request("9", "session/close", #"{"session":1}"#))
            try await late.expectError(-32012, id: "2")
            if byItself { try await late.expect(Wire.result("9")) }
            try await late.expectNothing()
            hold.gate.open()
        }
    }

    @Test func `attaching can be cancelled`() async throws {
        try await withArrival("snapshot cancelled") { _, owner, late, hold in
            late.send(Wire.notification("$/cancelRequest", #"{"id":2}"#))
            try await late.expectError(-32800, id: "2")
            hold.gate.open()
            owner.send(Self.add("4", 1, 1))
            try await owner.expect(Self.total(1, 3, 16), Wire.result("4", #"{"seq":3}"#))
            try await late.expectNothing()
        }
    }

    @Test func `shutdown answers what waits to arrive`() async throws {
        try await withArrival("snapshot shutdown") { _, _, late, hold in
            late.send(Wire.request("3", "shutdown"))
            try await late.expectError(-32800, id: "2")
            try await late.expect(Wire.result("3"))
            hold.gate.open()
            late.send(Wire.notification("exit"))
            await late.expectEnd(status: 0)
        }
    }

    @Test func `the end of the input waits for the snapshot`() async throws {
        try await withArrival("snapshot end of input") { _, owner, late, hold in
            late.send(Self.add("3", 1, 1))
            late.endInput()
            try await owner.expect(Self.total(1, 3, 16))
            hold.gate.open()
            try await late.expect(Self.attached(1, seq: 3, total: 16), Wire.result("3", #"{"seq":3}"#))
            await late.expectEnd(status: 1)
        }
    }

    @Test func `exit waits for nothing`() async throws {
        try await withArrival("snapshot exit") { server, _, late, hold in
            late.send(Wire.notification("exit"))
            await late.expectEnd(status: 1)
            hold.gate.open()
            #expect(server.session(withKey: "key-1")?.summary.views == 1)
        }
    }

    @Test(arguments: [true, false])
    func `a connection that is lost before its view has arrived leaves no view behind`(arrives: Bool) async throws {
        try await withArrival("snapshot cut \(arrives)") { server, owner, late, hold in
            late.send(Self.add("3", 1, 1))
            try await owner.expect(Self.total(1, 3, 16))
            late.cut()
            if arrives {
                hold.gate.open()
            } else {
                // A lost client looks like one that sends no more: it has the grace period.
                await server.clock.sleepers(2)
                server.clock.advance(by: .seconds(5))
            }
            await late.expectEnd()
            #expect(server.session(withKey: "key-1")?.summary.views == 1)
            owner.send(Self.add("4", 1, 1))
            try await owner.expect(Self.total(1, 4, 17), Wire.result("4", #"{"seq":4}"#))
            hold.gate.open()
        }
    }

    @Test func `the server's end waits for the snapshot`() async throws {
        try await withArrival("snapshot drain") { server, owner, late, hold in
            async let drained: Void = server.core.drain()
            // The bounds on the end, and on the snapshot.
            await server.clock.sleepers(2)
            hold.gate.open()
            try await late.expect(Self.attached(1, seq: 2, total: 15), Wire.closed(1, "serverShutdown"))
            try await owner.expect(Wire.closed(1, "serverShutdown"))
            await late.expectEnd()
            await owner.expectEnd()
            await drained
        }
    }

    @Test func `the server's end waits no longer for a snapshot than for a handler`() async throws {
        try await withArrival("snapshot drain grace") { server, owner, late, hold in
            async let drained: Void = server.core.drain()
            await server.clock.sleepers(2)
            server.clock.advance(by: .seconds(5))
            try await late.expectError(-32012, id: "2")
            try await owner.expect(Wire.closed(1, "serverShutdown"))
            await late.expectEnd()
            await owner.expectEnd()
            await drained
            hold.gate.open()
        }
    }

    @Test func `so many events may be done before a view has arrived`() async throws {
        var limits = Limits()
        limits.pendingEvents = 2
        try await withArrival("snapshot limit", limits: limits) { _, owner, late, hold in
            for (id, total) in [("3", 16), ("4", 17)] {
                late.send(Self.add(id, 1, 1))
                try await owner.expect(Self.total(1, total - 13, total))
                late.send(Wire.request("0", "ping"))
                try await late.expect(Wire.result("0"))
            }
            late.send(Self.add("5", 1, 1))
            #expect(try await late.expectError(-32015, id: "5").contains(#""limit":"pendingEvents""#))
            hold.gate.open()
            try await late.expect(
                Self.attached(1, seq: 4, total: 17), Wire.result("3", #"{"seq":3}"#), Wire.result("4", #"{"seq":4}"#))
        }
    }
}
