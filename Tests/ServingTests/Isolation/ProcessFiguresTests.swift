import Sessions
import Testing

@testable import Serving

/// What the processes of clients report is summed up; a counter never goes back, whatever ends.
struct ProcessFiguresTests {
    private func counts(
        _ models: [String: ServerCounts.Model] = [:], exceeded: [String: Int] = [:], errors: [String: Int] = [:],
        holds: Int = 0, keptBytes: Int = 0, held: [String] = []
    ) -> ProcessCounts {
        ProcessCounts(
            models: models, exceeded: exceeded, errors: errors, holds: holds, keptBytes: keptBytes,
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
            counts(["orders": model(2, 2, 9)], exceeded: ["rows": 4], errors: ["ParseError": 2], holds: 5), of: 1)
        figures.take(counts(["todos": model(1, 1, 1)], exceeded: ["rows": 3]), of: 1)
        #expect(
            figures.sum
                == counts(
                    ["orders": model(0, 0, 9), "todos": model(1, 1, 1)], exceeded: ["rows": 4],
                    errors: ["ParseError": 2], holds: 5))
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

    private func report(_ models: String, _ exceeded: String = "{}", rest: String = #""holds":0"#) -> String {
        #"{"models":\#(models),"exceeded":\#(exceeded),"errors":{"Ok":1,"ParseError":2},"abandonedEnded":-1,"#
            + #""keptBytes":-5,"abandonedBytes":0,"heldWork":[{"name":"a\nb","milliseconds":-3}],\#(rest)}"#
    }

    @Test func `of a report only names that there are count, and no number below 0`() throws {
        let probe = #"{"probe":{"sessions":-1,"views":2,"events":3},"other":{"sessions":1,"views":1,"events":1}}"#
        let counts = try #require(read(report(probe, #"{"rows":1,"nonsense":1}"#)))
        #expect(counts.models == ["probe": model(0, 2, 3)])
        #expect(counts.exceeded == ["rows": 1] && counts.errors == ["ParseError": 2])
        #expect((counts.abandonedEnded, counts.keptBytes) == (0, 0))
        let work = try #require(counts.heldWork.first)
        #expect(!work.name.contains("\n") && work.milliseconds == 0)
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
