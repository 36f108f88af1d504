import Sessions
import Synchronization
import TestSupport
import Testing
import ViewModels

import Serving

/// Lists whose rows are made as the test says.
private final class ShelfViewModel: ViewModel, DurableViewModel {
    enum ViewEvent: Codable {
        case add(Int)
        case wait
    }

    enum ViewModelEvent: Codable { case added(Int) }

    struct Hold: Sendable {
        let asked = Recorder<Range<Int>>()
        let gate = Gate()
        let cancelled = Recorder<Range<Int>>()
        /// Snapshots wait for it.
        let snapshots = Gate()
    }

    let output = Output<ViewModelEvent>()
    let books = Rows<Int>()
    let papers: Rows<String>
    private let hold: Hold

    init(_ hold: Hold) {
        self.hold = hold
        papers = Rows(count: 100) { range in
            hold.asked.record(range)
            await withTaskCancellationHandler {
                await hold.gate.wait()
            } onCancel: {
                hold.cancelled.record(range)
            }
            try Task.checkCancellation()
            return range.map { "paper \($0)" }
        }
    }

    func snapshot() async -> [ViewModelEvent] {
        await hold.snapshots.wait()
        return []
    }

    func handle(event: ViewEvent) async {
        switch event {
        case .add(let book):
            books.append(book)
            output.send(.added(book))
            books.append(-book)
        case .wait: await hold.gate.wait()
        }
    }
}

@Suite(.inTurn, .timeLimit(.minutes(4)))
struct ReadingRowsTests {
    private let hold = ShelfViewModel.Hold()

    private func withShelf(
        limits: Limits = Limits(), _ body: (TestClient, TestServer) async throws -> Void
    ) async throws {
        try await withServer(
            limits: limits, register: { [hold] in $0.add("shelf") { ShelfViewModel(hold) } }
        ) { server in
            let client = try await server.connected()
            client.send(Wire.open("1", "shelf"))
            try await client.expect(
                Wire.opened("1", 1, "key-1", "shelf"), Wire.event(1, 1, #"{"kind":"papers","count":100}"#))
            try await body(client, server)
        }
    }

    private func rows(_ id: String, _ list: String, _ first: Int, _ count: Int, session: Int = 1) -> String {
        Wire.request(
            id, "session/rows", #"{"session":\#(session),"list":"\#(list)","first":\#(first),"count":\#(count)}"#)
    }

    @Test func `changes and events of one handler come in their order, and before its answer`() async throws {
        try await withShelf { client, _ in
            client.send(Wire.viewEvent("2", 1, #"{"kind":"add","value":7}"#))
            try await client.expect(
                Wire.event(
                    1, 2,
                    #"{"kind":"books","count":1,"changes":[{"at":0,"removed":0,"inserted":1}],"first":0,"rows":[7]}"#,
                    more: true),
                Wire.event(1, 3, #"{"kind":"added","value":7}"#, more: true),
                Wire.event(
                    1, 4,
                    #"{"kind":"books","count":2,"changes":[{"at":1,"removed":0,"inserted":1}],"first":0,"rows":[7,-7]}"#
                ),
                Wire.result("2", #"{"seq":4}"#))
        }
    }

    @Test func `rows far beyond the end are none`() async throws {
        try await withShelf { client, _ in
            client.send(rows("2", "books", .max, 1), rows("3", "papers", .max, .max))
            try await client.expect(
                Wire.result("2", #"{"seq":1,"count":0,"first":0,"rows":[]}"#),
                Wire.result("3", #"{"seq":1,"count":100,"first":100,"rows":[]}"#))
        }
    }

    @Test func `rows don't wait for a handler`() async throws {
        try await withShelf { client, _ in
            client.send(Wire.viewEvent("2", 1, #"{"kind":"wait"}"#), rows("3", "books", 0, 9))
            try await client.expect(Wire.result("3", #"{"seq":1,"count":0,"first":0,"rows":[]}"#))
            hold.gate.open()
            try await client.expect(Wire.result("2", #"{"seq":1}"#))
        }
    }

    @Test func `rows that are made on demand don't hold up other messages, and can be cancelled`() async throws {
        try await withShelf { client, _ in
            client.send(rows("2", "papers", 0, 2), rows("3", "papers", 50, 1), Wire.request("4", "ping"))
            try await client.expect(Wire.result("4"))
            _ = await hold.asked.elements(count: 2)
            client.send(Wire.notification("$/cancelRequest", #"{"id":2}"#), Wire.request("5", "ping"))
            try await client.expect(Wire.result("5"))
            hold.gate.open()
            var answers: Set<String> = []
            for _ in 0..<2 { answers.insert(try await client.next()) }
            #expect(answers.contains(Wire.result("3", #"{"seq":1,"count":100,"first":50,"rows":["paper 50"]}"#)))
            #expect(answers.contains { $0.contains(#""id":2,"error":{"code":-32800"#) })
            #expect(hold.cancelled.elements == [0..<2])
        }
    }

    @Test func `rows that nobody waits for any more aren't made to the end`() async throws {
        try await withShelf { client, server in
            client.send(rows("2", "papers", 0, 2))
            _ = await hold.asked.elements(count: 1)
            client.cut()
            // What runs has as long as any handler.
            await until {
                server.pass(.seconds(6))
                return !hold.cancelled.elements.isEmpty
            }
            #expect(hold.cancelled.elements == [0..<2])
            hold.gate.open()
        }
    }

    @Test func `more requests than a client may have are refused until some are answered`() async throws {
        try await withShelf(limits: .rowRequests(1)) { client, _ in
            client.send(rows("2", "papers", 0, 1), rows("3", "papers", 1, 1))
            let refusal = try await client.expectError(-32015, id: "3")
            #expect(refusal.contains(#""limit":"rowRequests""#))
            hold.gate.open()
            try await client.expect(Wire.result("2", #"{"seq":1,"count":100,"first":0,"rows":["paper 0"]}"#))
            client.send(rows("4", "papers", 1, 1))
            try await client.expect(Wire.result("4", #"{"seq":1,"count":100,"first":1,"rows":["paper 1"]}"#))
        }
    }

    @Test func `rows that are asked for behind an attachment are no older than its snapshot`() async throws {
        try await withShelf { client, server in
            let other = try await server.connected()
            other.send(
                Wire.request("2", "session/attach", #"{"key":"key-1"}"#), rows("3", "books", 0, 9),
                Wire.request("4", "ping"))
            try await other.expect(Wire.result("4"))
            client.send(Wire.viewEvent("2", 1, #"{"kind":"add","value":7}"#))
            while try await client.next() != Wire.result("2", #"{"seq":4}"#) {}
            hold.snapshots.open()
            let lists = #"{"kind":"books","count":2,"first":0,"rows":[7,-7]},{"kind":"papers","count":100}"#
            try await other.expect(
                Wire.result("2", #"{"session":1,"viewModel":"shelf","seq":4,"epoch":"1","snapshot":[\#(lists)]}"#),
                Wire.result("3", #"{"seq":4,"count":2,"first":0,"rows":[7,-7]}"#))
        }
    }

    @Test func `rows of a view that was detached meanwhile are an error`() async throws {
        try await withShelf { client, _ in
            client.send(rows("2", "papers", 0, 1))
            _ = await hold.asked.elements(count: 1)
            client.send(Wire.request("3", "session/detach", #"{"session":1}"#))
            try await client.expect(Wire.result("3"))
            hold.gate.open()
            try await client.expectError(-32012, id: "2")
        }
    }

    @Test func `a list that is kept comes back in the session's next life`() async throws {
        let lives = Lives(register: { registry, _ in registry.add("shelf") { ShelfViewModel(.init()) } })
        try await lives.begin()
        let client = try await lives.connect()
        client.send(Wire.open("1", "shelf"), Wire.viewEvent("2", 1, #"{"kind":"add","value":7}"#))
        while try await client.next() != Wire.result("2", #"{"seq":4}"#) {}
        await lives.drain()
        let next = try await lives.connect()
        next.send(
            Wire.request("1", "session/attach", #"{"key":"life-1-1","since":4}"#), rows("2", "books", 0, 9))
        try await next.expect(
            Wire.result("1", #"{"session":1,"viewModel":"shelf","seq":4,"epoch":"epoch-1"}"#),
            Wire.result("2", #"{"seq":4,"count":2,"first":0,"rows":[7,-7]}"#))
        await lives.end()
    }
}

extension Limits {
    fileprivate static func rowRequests(_ count: Int) -> Limits {
        var limits = Limits()
        limits.rowRequests = count
        return limits
    }
}
