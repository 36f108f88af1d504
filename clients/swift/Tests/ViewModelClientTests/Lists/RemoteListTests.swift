import JSON
import Synchronization
import TestSupport
import Testing
import Transport
import ViewModelClient

/// Lists over a connection, whose server says what each test wants.
@Suite(.inTurn, .timeLimit(.minutes(1))) struct RemoteListTests {
    private struct Row: Codable, Identifiable, Sendable, Equatable {
        let id: Int
    }

    /// A server of one session with one list, and the relays to it.
    private final class ListServer: Sendable {
        private struct State {
            var connections = 0
            var cuts: [@Sendable () -> Void] = []
        }

        typealias Talk = @Sendable (_ line: String, _ id: String, _ connection: Int) -> [String]

        private let state = Mutex(State())
        private let talk: Talk
        let received = Recorder<String>()

        init(_ talk: @escaping Talk) {
            self.talk = talk
        }

        static let key = String(repeating: "k", count: 22)

        var target: ClientTarget {
            .streams("script") { [self] loop in
                let connection = state.withLock { state in
                    state.connections += 1
                    return state.connections
                }
                let script = ScriptedServer { [self] line in answer(line, connection) }
                let relay = CutRelay(on: loop, budget: .init())
                script.serve(relay.serverSide)
                let bound = LoopBound(relay, loop: loop)
                state.withLock { $0.cuts.append { loop.execute { bound.value.cut() } } }
                return relay.clientSide
            }
        }

        func cut() {
            let cuts = state.withLock { state in
                defer { state.cuts = [] }
                return state.cuts
            }
            for cut in cuts { cut() }
        }

        private func answer(_ line: String, _ connection: Int) -> [String] {
            received.record(line)
            let id = JSONText(line).withValue { $0.member("id")?.integer(as: Int.self) }.map { "\($0)" } ?? ""
            if line.contains(#""initialize""#) { return [ScriptedServer.welcome] }
            if line.contains("session/open") {
                let opened = #"{"session":1,"key":"\#(Self.key)","viewModel":"a"}"#
                return [result(id, opened)] + talk(line, id, connection)
            }
            if line.contains("session/close") || line.contains("shutdown") { return [result(id, "null")] }
            return talk(line, id, connection)
        }
    }

    private static func result(_ id: String, _ result: String) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#
    }

    private static func event(_ seq: Int, _ event: String) -> String {
        #"{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":\#(seq),"event":\#(event)}}"#
    }

    /// The answer to a request for rows whose ids are their places plus `base`.
    private static func rows(
        _ line: String, _ id: String, seq: Int, of count: Int, base: Int = 0, bound: Int = .max
    ) -> String {
        let (first, asked) = JSONText(line).withValue { value in
            let params = value.member("params")
            let (first, count) = (params?.member("first"), params?.member("count"))
            return (first?.integer(as: Int.self) ?? 0, count?.integer(as: Int.self) ?? 0)
        }
        let rows = (min(first, count)..<min(count, first + asked)).prefix(bound).map { #"{"id":\#($0 + base)}"# }
        let (start, text) = (min(first, count), rows.joined(separator: ","))
        return result(id, #"{"seq":\#(seq),"count":\#(count),"first":\#(start),"rows":[\#(text)]}"#)
    }

    private func eager(_ news: Recorder<ClientNews> = Recorder()) -> ClientOptions {
        var options = ClientOptions()
        options.backoff = Backoff(first: .zero, longest: .zero)
        options.receive = { news.record($0) }
        return options
    }

    private func ids(_ rows: RemoteRows<Row>, _ range: Range<Int>) -> [Int?] { range.map { rows[$0]?.id } }

    /// The first change after which it is so.
    private func change(
        of list: RemoteList<Row>, until isSo: (RemoteListChange<Row>) -> Bool
    ) async throws -> RemoteListChange<Row> {
        for await change in list.changes where isSo(change) { return change }
        throw RemoteError.closed
    }

    @Test func `what is shown comes, and events change it`() async throws {
        try await withLoop { loop in
            let server = ListServer { line, id, _ in
                if line.contains("session/open") { return [Self.event(1, #"{"kind":"rows","count":50}"#)] }
                if line.contains("session/rows") { return [Self.rows(line, id, seq: 1, of: 50)] }
                guard line.contains("view/event") else { return [] }
                return [
                    Self.event(2, #"{"kind":"count","value":1}"#),
                    Self.event(
                        3,
                        #"{"kind":"rows","count":51,"changes":[{"at":0,"removed":0,"inserted":1}],"first":0,"#
                            + #""rows":[{"id":99}]}"#),
                    Self.result(id, #"{"seq":3}"#),
                ]
            }
            let news = Recorder<ViewNews>()
            let client = try await Client.connect(to: server.target, on: loop)
            let view = try await client.open("a") { news.record($0) }
            let list = view.list("rows", of: Row.self)
            #expect(list.failure == nil && list.name == "rows")
            list.show(0..<3)
            let first = try await change(of: list) { ids($0.rows, 0..<6) == [0, 1, 2, 3, 4, 5] }
            #expect(first.rows.count == 50)

            try await view.send(JSONText(#"{"kind":"go"}"#))
            #expect(list.rows.count == 51 && ids(list.rows, 0..<3) == [99, 0, 1])
            let last = ViewNews.event(JSONText(#"{"kind":"count","value":1}"#), seq: 2)
            #expect(news.elements.last == last, "the list has its own")
            #expect(ids(first.rows, 0..<3) == [0, 1, 2], "a value stays as it is")
            await client.close()
            // The changes end with the session.
            for await _ in list.changes {}
        }
    }

    @Test func `after a cut changes follow, or the list begins anew, and what is shown is asked for again`()
        async throws
    {
        let snapshot =
            #""snapshot":[{"kind":"rows","count":7,"first":0,"rows":[{"id":70}]},{"kind":"count","value":3}]"#
        try await withLoop { loop in
            let server = ListServer { line, id, connection in
                if line.contains("session/attach") {
                    guard connection == 2 else {
                        return [Self.result(id, #"{"session":1,"viewModel":"a","seq":9,\#(snapshot)}"#)]
                    }
                    let edit = #"{"kind":"rows","count":5,"changes":[{"at":1,"removed":1,"inserted":1}]}"#
                    return [Self.result(id, #"{"session":1,"viewModel":"a","seq":2}"#), Self.event(2, edit)]
                }
                if line.contains("session/open") { return [Self.event(1, #"{"kind":"rows","count":5}"#)] }
                guard line.contains("session/rows") else { return [] }
                let (seq, count) = [(1, 5), (2, 5), (9, 7)][connection - 1]
                return [Self.rows(line, id, seq: seq, of: count, base: (connection - 1) * 10, bound: 2)]
            }
            let news = Recorder<ViewNews>()
            let client = try await Client.connect(to: server.target, eager(), on: loop)
            let view = try await client.open("a") { news.record($0) }
            let list = view.list("rows", of: Row.self)
            list.show(0..<2)
            _ = try await change(of: list) { ids($0.rows, 0..<4) == [0, 1, 2, 3] }
            server.cut()
            let followed = try await change(of: list) { $0.rows[1].map { $0.id > 9 } ?? false }
            #expect(ids(followed.rows, 0..<4) == [0, 11, 2, 3], "the rows that stayed are here, and others asked for")
            server.cut()
            let anew = try await change(of: list) { $0.rows.count == 7 && $0.rows[1] != nil }
            #expect(ids(anew.rows, 0..<2) == [70, 21])
            let others = [JSONText(#"{"kind":"count","value":3}"#)]
            #expect(news.elements.last == .snapshot(others, seq: 9, shown: .shown(stack: [], presented: nil)))
            await client.close()
        }
    }

    @Test func `a list that there isn't says so, and rows of another form are left out`() async throws {
        try await withLoop { loop in
            let server = ListServer { line, id, _ in
                if line.contains("session/open") { return [Self.event(1, #"{"kind":"count","value":1}"#)] }
                guard line.contains("session/rows") else { return [] }
                if line.contains("nothing") {
                    let error = #"{"code":-32602,"message":"there is no list 'nothing'"}"#
                    return [#"{"jsonrpc":"2.0","id":\#(id),"error":\#(error)}"#]
                }
                return [Self.result(id, #"{"seq":1,"count":2,"first":0,"rows":[{"id":"x"},{"id":7}]}"#)]
            }
            let (news, clientNews) = (Recorder<ViewNews>(), Recorder<ClientNews>())
            let client = try await Client.connect(to: server.target, eager(clientNews), on: loop)
            let view = try await client.open("a") { news.record($0) }
            // From here on nobody knows how many rows there are.
            _ = await news.elements(count: 1)
            let (nothing, list) = (view.list("nothing", of: Row.self), view.list("rows", of: Row.self))
            let failed = try await change(of: nothing) { $0.failure != nil }
            #expect(failed.failure.map { "\($0)" } == "there is no list 'nothing'")
            _ = try await change(of: list) { $0.rows.count == 2 }
            #expect(ids(list.rows, 0..<2) == [nil, 7])
            let isReported = clientNews.elements.contains {
                if case .ignored(let words) = $0 { words.hasPrefix("rows: a row was left out") } else { false }
            }
            #expect(isReported)
            await client.close()
        }
    }

    @Test func `rows that are given up are cancelled, on their way and while there is no connection`() async throws {
        try await withLoop { loop in
            let server = ListServer { line, id, connection in
                guard line.contains("$/cancelRequest") || line.contains("session/rows") else { return [] }
                guard line.contains("$/cancelRequest"), let asked = line.firstRange(of: #""params":{"id":"#) else {
                    return []
                }
                let number = line[asked.upperBound...].prefix { $0.isNumber }
                return [#"{"jsonrpc":"2.0","id":\#(number),"error":{"code":-32800,"message":"cancelled"}}"#]
            }
            let client = try await Client.connect(to: server.target, eager(), on: loop)
            let view = try await client.open("a") { _ in }
            let reading = Task { try await view.rows(of: "rows", in: 0..<9, as: Row.self) }
            // initialize, initialized, open
            _ = await server.received.elements(count: 4)
            reading.cancel()
            await #expect(throws: CancellationError.self) { _ = try await reading.value }

            let lost = Task { try await view.rows(of: "rows", in: 0..<9, as: Row.self) }
            _ = await server.received.elements(count: 6)
            // The next connection answers nothing to `session/attach`.
            server.cut()
            _ = await server.received.elements(count: 9)
            lost.cancel()
            await #expect(throws: CancellationError.self) { _ = try await lost.value }
            withExtendedLifetime(view) {}
        }
    }

    @Test func `who waits for changes is given up with its task, and a list that is released hears nothing`()
        async throws
    {
        try await withLoop { loop in
            let server = ListServer { line, id, _ in
                guard line.contains("view/event") else { return [] }
                return [Self.event(1, #"{"kind":"rows","count":5}"#), Self.result(id, #"{"seq":1}"#)]
            }
            let news = Recorder<ViewNews>()
            let client = try await Client.connect(to: server.target, on: loop)
            let view = try await client.open("a") { news.record($0) }
            var list: RemoteList<Row>? = view.list("rows", of: Row.self)
            let waiting = Task { [list] in
                guard let list else { return }
                for await _ in list.changes {}
            }
            waiting.cancel()
            await waiting.value
            list = nil
            try await view.send(JSONText(#"{"kind":"go"}"#))
            #expect(news.elements == [.event(JSONText(#"{"kind":"rows","count":5}"#), seq: 1)])
            await client.close()
        }
    }
}
