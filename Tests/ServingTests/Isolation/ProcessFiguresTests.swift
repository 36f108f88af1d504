import JSON
import Sessions
import TestSupport
import Testing
import Transport
import ViewModelProtocol
import ViewModels

@testable import Serving

/// What the processes of clients report is summed up; a counter never goes back, whatever ends.
@Suite(.inTurn, .timeLimit(.minutes(4))) struct ProcessFiguresTests {
    private func counts(
        _ models: [String: ServerCounts.Model] = [:], exceeded: [String: Int] = [:], errors: [String: Int] = [:],
        abandonedEnded: Int = 0, holds: Int = 0, keptBytes: Int = 0, held: [String] = []
    ) -> ProcessCounts {
        ProcessCounts(
            models: models, exceeded: exceeded, errors: errors, abandonedEnded: abandonedEnded, holds: holds,
            keptBytes: keptBytes,
            heldWork: held.map { .init(name: $0, milliseconds: 20) })
    }

    private func model(_ sessions: Int, _ views: Int, _ events: Int) -> ServerCounts.Model {
        .init(sessions: sessions, views: views, events: events)
    }

    @Test func `the last report of each process counts, and of those that ended what only rises`() {
        var figures = ProcessFigures()
        #expect(figures.sum == ProcessCounts())
        figures.take(counts(["orders": model(1, 2, 3)], exceeded: ["rows": 1], keptBytes: 5), of: 1)
        figures.take(counts(["orders": model(1, 1, 7)], exceeded: ["rows": 1], keptBytes: 6), of: 1)
        figures.take(
            counts(
                ["orders": model(1, 1, 10), "todos": model(1, 0, 1)], exceeded: ["idBytes": 2],
                errors: ["ParseError": 1], holds: 3, keptBytes: 20, held: ["todos.add"]), of: 2)
        #expect(
            figures.sum
                == counts(
                    ["orders": model(2, 2, 17), "todos": model(1, 0, 1)], exceeded: ["rows": 1, "idBytes": 2],
                    errors: ["ParseError": 1], holds: 3, keptBytes: 26, held: ["todos.add"]))
        #expect(figures.heldWork.map(\.process) == [2])
        figures.didEnd(2)
        #expect(
            figures.sum
                == counts(
                    ["orders": model(1, 1, 17), "todos": model(0, 0, 1)], exceeded: ["rows": 1, "idBytes": 2],
                    errors: ["ParseError": 1], holds: 3, keptBytes: 6))
        #expect(figures.heldWork.isEmpty)
        // One that never reported.
        figures.didEnd(3)
        // The system gives numbers again.
        figures.take(counts(["orders": model(1, 0, 1)]), of: 2)
        #expect(figures.sum.models["orders"] == model(2, 1, 18))
    }

    @Test func `a counter that a process has lower than before stays where it was`() {
        var figures = ProcessFigures()
        figures.take(
            counts(
                ["orders": model(2, 2, 9)], exceeded: ["rows": 4], errors: ["ParseError": 2], abandonedEnded: 6,
                holds: 5), of: 1)
        figures.take(counts(["todos": model(1, 1, 1)], exceeded: ["rows": 3]), of: 1)
        #expect(
            figures.sum
                == counts(
                    ["orders": model(0, 0, 9), "todos": model(1, 1, 1)], exceeded: ["rows": 4],
                    errors: ["ParseError": 2], abandonedEnded: 6, holds: 5))
    }

    @Test func `what holds threads is told in the order of the processes' numbers`() {
        var figures = ProcessFigures()
        let processes: [Int32] = [7, 2, 30, 5, 1, 12, 9, 4]
        for process in processes { figures.take(counts(held: ["a", "b"]), of: process) }
        #expect(figures.heldWork.map(\.process) == processes.sorted().flatMap { [$0, $0] })
        #expect(figures.heldWork.map(\.work.name) == processes.flatMap { _ in ["a", "b"] })
    }

    @Test func `figures that are too much together are the most that there is`() {
        var figures = ProcessFigures()
        for process in 1...2 as ClosedRange<Int32> {
            figures.take(counts(["orders": model(.max, .max, .max)], holds: .max, keptBytes: .max), of: process)
        }
        let expected = counts(["orders": model(.max, .max, .max)], holds: .max, keptBytes: .max)
        #expect(figures.sum == expected)
        var server = ServerCounts(connections: 1, allConnections: 1)
        server.keptBytes = 7
        figures.sum.add(to: &server)
        #expect(server.keptBytes == .max && server.models["orders"] == model(.max, .max, .max))
    }

    private func read(_ report: String) -> ProcessCounts? {
        var registry = Registry()
        ProbeViewModel.register(in: &registry)
        return Array(report.utf8).withUnsafeBytes { ProcessCounts($0, registry) }
    }

    private func report(_ models: String, _ exceeded: String = "{}", rest: String = #""holds":-7"#) -> String {
        let errors = #"{"Ok":1,"ParseError":2,"InvalidRequest":-4}"#
        return #"{"models":\#(models),"exceeded":\#(exceeded),"errors":\#(errors),"abandonedEnded":-1,"#
            + #""keptBytes":-5,"abandonedBytes":-6,"heldWork":[{"name":"a\nb","milliseconds":-3}],\#(rest)}"#
    }

    @Test func `of a report only names that there are count, and no number below 0`() throws {
        let probe = #"{"probe":{"sessions":-1,"views":2,"events":3},"other":{"sessions":1,"views":1,"events":1}}"#
        let counts = try #require(read(report(probe, #"{"rows":1,"nonsense":1,"idBytes":-2}"#)))
        #expect(counts.models == ["probe": model(0, 2, 3)])
        #expect(counts.exceeded == ["rows": 1, "idBytes": 0])
        #expect(counts.errors == ["ParseError": 2, "InvalidRequest": 0])
        #expect((counts.abandonedEnded, counts.holds) == (0, 0))
        #expect((counts.keptBytes, counts.abandonedBytes) == (0, 0))
        let work = try #require(counts.heldWork.first)
        #expect(!work.name.contains("\n") && work.milliseconds == 0)
    }

    @Test func `what a process tells of held threads is bounded`() throws {
        let name = String(repeating: "x", count: 10_000)
        var held = ProcessCounts()
        held.heldWork = (1...50).map { .init(name: name, milliseconds: $0) }
        let text = try JSONText(encoding: held).description
        let counts = try #require(read(text))
        #expect(counts.heldWork.map(\.milliseconds) == Array(1...16))
        for work in counts.heldWork { #expect(work.name.utf8.count < 200) }
    }

    @Test func `a process reports all that its server counts`() async throws {
        var limits = Limits()
        limits.hostedSessions = 2
        let end = Semaphore()
        try await withServer(
            limits: limits, hasPool: true, register: { registry in registry.add("holding") { HoldingViewModel(end) } }
        ) { server in
            let leaving = try await server.connected()
            leaving.send(Wire.open("1", "probe"))
            try await leaving.expect(Wire.opened("1", 1, "key-1", "probe"))
            leaving.cut()
            await until { server.session(withKey: "key-1")?.isAbandoned == true }
            let client = try await server.connected()
            // The one that was left gives way, and no other would.
            client.send(Wire.open("1", "probe"), Wire.open("2", "holding"), Wire.open("3", "probe"))
            try await client.expect(Wire.opened("1", 1, "key-2", "probe"), Wire.opened("2", 2, "key-3", "holding"))
            try await client.expectError(-32015, id: "3")
            client.send(Wire.viewEvent("4", 1, #"{"kind":"emitBytes","value":30000}"#))
            while try await !client.next().contains(#""id":4"#) {}
            // Of this session nobody has a view any more.
            client.send(
                Wire.request("5", "session/detach", #"{"session":1}"#),
                Wire.request("6", "session/detach", #"{"session":1}"#))
            try await client.expect(Wire.result("5"))
            try await client.expectError(-32012, id: "6")
            client.send(Wire.viewEvent("7", 2, #"{"kind":"hold"}"#))
            // On a busy machine others may have held their threads before.
            await until {
                let holds = server.core.watch?.holdCount ?? 0
                return holds > 0 && ProcessCounts(of: server.core).heldWork.map(\.name) == ["holding.hold"]
            }
            let holds = server.core.watch?.holdCount
            let counts = ProcessCounts(of: server.core)
            #expect(counts.models["holding"] == model(1, 1, 0) && counts.models["probe"] == model(1, 0, 1))
            #expect(counts.exceeded == ["hostedSessions": 1])
            #expect(counts.errors == ["LimitExceeded": 1, "UnknownSession": 1])
            #expect((counts.abandonedEnded, counts.holds) == (1, holds))
            #expect(counts.abandonedBytes > 20_000 && counts.keptBytes >= counts.abandonedBytes)
            #expect(counts.heldWork.map(\.name) == ["holding.hold"])
            await until { ProcessCounts(of: server.core).heldWork.first.map { $0.milliseconds > 0 } == true }
            end.post()
            try await client.expect(Wire.seq("7", 0))
        }
    }

    @Test(arguments: ["", "{", "null", "[]", "{}", #"{"models":7}"#])
    func `what is no report is nil`(_ text: String) { #expect(read(text) == nil) }

    @Test func `a number that is none is no report`() {
        #expect(read(report("{}")) != nil)
        for number in ["1e400", "99999999999999999999", "0.5", #""1""#, "null"] {
            #expect(read(report("{}", rest: #""holds":\#(number)"#)) == nil, "\(number)")
        }
    }
}

/// Holds its thread while it handles an event.
private final class HoldingViewModel: ViewModel {
    enum ViewEvent: Codable { case hold }
    enum ViewModelEvent: Codable { case held }

    let output = Output<ViewModelEvent>()
    private let end: Semaphore

    init(_ end: Semaphore) { self.end = end }

    func handle(event: ViewEvent) { end.wait() }
}
