import JSON
import Sessions
import TestSupport
import Testing
import ViewModelClient

/// A search as the finder's: each query shows what it finds at once, and all after 30 ms, unless another supersedes it.
private actor SearchViewModel: ViewModel {
    enum ViewEvent: Codable, Equatable, ScheduledEvent {
        case query(text: String)

        var schedule: EventSchedule { .superseding(waits: false) }
    }

    enum ViewModelEvent: Codable, ReplaceableEvent {
        case query(text: String)

        var coalescingKey: String? { "query" }
    }

    struct Found: Codable, Identifiable, Equatable {
        let id: Int
        let query: String
    }

    /// How many rows a query has at first and in the end. No other one has as many.
    static func counts(of text: String) -> (first: Int, all: Int) { (700 - 10 * text.count, 900 - 10 * text.count) }

    let output = Output<ViewModelEvent>()
    let results = Rows<Found>()
    private let clock: any Clock<Duration>

    init(clock: any Clock<Duration>) {
        self.clock = clock
    }

    func handle(event: ViewEvent) async throws {
        guard case .query(let text) = event else { return }
        output.send(.query(text: text))
        show(Self.counts(of: text).first, of: text)
        try await clock.sleep(for: .milliseconds(30))
        show(Self.counts(of: text).all, of: text)
    }

    private func show(_ count: Int, of text: String) {
        results.replace(with: (0..<count).map { Found(id: $0, query: text) })
    }
}

/// Typing faster than a link is.
@Suite(.inTurn, .timeLimit(.minutes(1))) struct FastKeysTests {
    private typealias Search = RemoteViewModel<SearchViewModel.ViewModelEvent, SearchViewModel.ViewEvent>
    private typealias Found = SearchViewModel.Found

    /// What a client has shown at a time.
    private struct Shown: Equatable {
        let milliseconds: Int
        let count: Int
    }

    private static let texts = (0...10).map { String("abcdefghij".prefix($0)) }

    /// How many rows are shown when, where each key takes one trip: 100 ms to the server, and 100 ms back.
    private static let oneTripEach =
        [Shown(milliseconds: 0, count: SearchViewModel.counts(of: "").all)]
        + (1...10).map { Shown(milliseconds: 20 * ($0 - 1) + 200, count: SearchViewModel.counts(of: texts[$0]).first) }
        + [Shown(milliseconds: 180 + 200 + 30, count: SearchViewModel.counts(of: texts[10]).all)]

    /// A change brings the first rows, or those that were asked for last. Where the first are shown, that's all.
    /// Others were asked for before the keys: at last those before the window, for who scrolls back. So the window's, and
    /// those behind it, are asked for when the first change has come. The server answers after the last key, and no row
    /// is missing any more.
    @Test(arguments: [(0..<20, []), (500..<520, [500..<540])])
    func `ten fast keys over a far link lead to the rows of the last, with one trip each`(
        window: Range<Int>, asked: [Range<Int>]
    ) async throws {
        let register = { @Sendable (registry: inout Registry) in
            registry.add("search") { SearchViewModel(clock: try $0.resolve()) }
        }
        try await withMemoryServer(register: register) { server in
            var options = ClientOptions()
            options.clock = server.clock
            let link = FarLink(to: server)
            let remote = try await RemoteServer.reach(link.target, options, on: server.loop)
            let search: Search = remote.viewModel("search")
            try await search.start()
            let list = try search.list("results", of: Found.self)
            list.show(window)
            let first = Task { try await search.handle(event: .query(text: "")) }
            await until { search.pending.unanswered.contains(.query(text: "")) }
            await link.pass(until: server.clock.now.advanced(by: .milliseconds(30))) {}
            try await first.value
            await until { list.rows.gap(in: max(0, window.lowerBound - 20)..<window.upperBound + 20) == nil }
            link.delay(.milliseconds(100))

            let start = server.clock.now
            var shown = [Shown(milliseconds: 0, count: list.rows.count)]
            let look = {
                let rows = list.rows
                #expect(whatIsWrong(in: rows) == nil)
                if asked.isEmpty { #expect(rows.gap(in: window) == nil, "they come with the change") }
                let now = start.duration(to: server.clock.now) / .milliseconds(1)
                if rows.count != shown.last?.count { shown.append(Shown(milliseconds: Int(now), count: rows.count)) }
            }
            var keys: [Task<Void, any Error>] = []
            for text in Self.texts.dropFirst() {
                await link.pass(until: start.advanced(by: .milliseconds(20 * keys.count)), look)
                keys.append(Task { try await search.handle(event: .query(text: text)) })
                await until { search.pending.unanswered.contains(.query(text: text)) }
            }
            await link.pass(until: start.advanced(by: .seconds(10)), look)

            #expect(shown == Self.oneTripEach)
            #expect(list.rows.gap(in: window) == nil && list.rows[window.lowerBound]?.query == Self.texts[10])
            let requests = link.received.map(Request.init)
            #expect(requests.filter { $0 == .key }.count == 10)
            #expect(requests.filter { $0 != .key } == asked.map { .rows($0) })
            try await keys.removeLast().value
            let superseded = RemoteError.refused(
                .init(
                    code: -32_800, message: "a newer event of its kind took its place", data: #"{"superseded":true}"#))
            for key in keys { await #expect(throws: superseded) { try await key.value } }
            link.delay(nil)
            await remote.close()
        }
    }

    /// What crossed the link.
    private enum Request: Equatable {
        case key
        case rows(Range<Int>)
        case other(String)

        init(_ line: String) {
            self = JSONText(line).withValue { message in
                let (method, params) = (message.member("method")?.string(), message.member("params"))
                let (first, count) = (params?.member("first"), params?.member("count"))
                switch (method, first?.integer(as: Int.self), count?.integer(as: Int.self)) {
                case ("view/event", nil, nil): return .key
                case ("session/rows", let first?, let count?): return .rows(first..<first + count)
                default: return .other(line)
                }
            }
        }
    }

    /// Words for the first row that isn't of the query that has so many rows, or isn't in its place.
    private func whatIsWrong(in rows: RemoteRows<Found>) -> String? {
        let query = Self.texts.first { text in
            let counts = SearchViewModel.counts(of: text)
            return rows.count == counts.first || rows.count == counts.all
        }
        for (index, row) in rows.enumerated() {
            if let row, row != Found(id: index, query: query ?? "") { return "row \(index) of \(rows.count) is \(row)" }
        }
        return nil
    }
}
