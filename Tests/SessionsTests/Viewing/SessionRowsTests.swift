import JSON
import Sessions
import Synchronization
import TestSupport
import Testing
import ViewModels

/// A list of rows, and an event that isn't about it.
private final class ListModel: ViewModel {
    typealias ViewEvent = Never

    struct Row: Codable, Sendable, Equatable, Identifiable {
        var id: Int
        var version = 0
    }

    enum ViewModelEvent: Codable, Equatable { case note(Int) }

    let output = Output<ViewModelEvent>()
    let items = Rows<Row>()
    let ratios = Rows<Double>()
    let squares = Rows<Int>(count: 100) { range in
        guard range.lowerBound < 50 else { throw TestFailure() }
        return range.map { $0 * $0 }
    }

    func handle(event: Never) {}
    func snapshot() -> [ViewModelEvent] { [] }

    /// Returns once all that was sent has reached the session. Another thread may be at it, after a list's own edits.
    func settle() async {
        await withCheckedContinuation { continuation in output.afterPending { continuation.resume() } }
    }
}

@Suite(.inTurn) struct SessionRowsTests {
    private func opened(_ model: ListModel, limits: Limits = Limits()) async throws -> Session {
        let session = try Session.of(limits: limits) { model }
        _ = try session.attach(TestViewer(), number: 1, client: nil)
        _ = await session.opened()
        return session
    }

    private func read(_ session: Session, _ list: String, _ range: Range<Int>) async -> String {
        let results = Recorder<Result<RowsRequest.Part, any Error>>()
        let request = RowsRequest(list: list, first: range.lowerBound, count: range.count)
        RowsReader(session).read(request, by: RowsReading()) { results.record($0) }
        switch await results.elements(count: 1)[0] {
        case .success(let part):
            return "\(part.seq) \(part.count) \(part.first) \(String(decoding: part.rows, as: UTF8.self))"
        case .failure(let error): return "\(error)"
        }
    }

    @Test func `rows are read as they are at the session's newest number`() async throws {
        let model = ListModel()
        let session = try await opened(model)
        // That of the list that has rows at first.
        #expect(await read(session, "squares", 3..<5) == "1 100 3 [9,16]")
        model.items.append(contentsOf: [.init(id: 1), .init(id: 2)])
        #expect(await read(session, "items", 1..<9) == #"2 2 1 [{"id":2,"version":0}]"#)
        #expect(await read(session, "items", 7..<9) == "2 2 2 []")
        #expect(await read(session, "squares", 98..<200) == "TestFailure()")
    }

    @Test func `a list that there isn't is refused with the names of those that there are`() async throws {
        let session = try await opened(ListModel())
        let answer = await read(session, "other", 0..<1)
        #expect(answer.contains("there are items, ratios, squares"), "\(answer)")
    }

    @Test func `rows beyond a bound of bytes are left out, but for one`() async throws {
        let model = ListModel()
        let session = try await opened(model, limits: .with { $0.rowBytes = 50 })
        model.items.append(contentsOf: (0..<9).map { .init(id: $0) })
        #expect(await read(session, "items", 0..<9) == #"2 9 0 [{"id":0,"version":0},{"id":1,"version":0}]"#)
        let small = try await opened(model, limits: .with { $0.rowBytes = 1 })
        #expect(await read(small, "items", 4..<9).hasSuffix(#" 9 4 [{"id":4,"version":0}]"#))
    }

    @Test func `a view that comes late gets the first rows of each list`() async throws {
        let model = ListModel()
        let session = try await opened(model)
        model.items.append(contentsOf: (0..<1_000).map { .init(id: $0) })
        model.output.send(.note(1))
        let attachment = try await session.attached(TestViewer(), number: 2)
        let texts = try #require(attachment.snapshot.map { String(decoding: $0.bytes, as: UTF8.self) })
        #expect(texts.hasPrefix(#"[{"kind":"items","count":1000,"first":0,"rows":[{"id":0,"version":0},"#))
        #expect(texts.hasSuffix(#"{"id":99,"version":0}]},{"kind":"squares","count":100}]"#))
        #expect(attachment.newest == 3)
    }

    @Test func `a row that JSON can't express loses no change, and is named to whoever asks for it`() async throws {
        let model = ListModel()
        let session = try await opened(model)
        let view = try session.attach(TestViewer(), number: 2, client: nil).view
        for ratios in [[0.5], [.nan], []] {
            model.ratios.insert(contentsOf: ratios, at: 0)
            if ratios.isEmpty { model.ratios.remove(at: 0) }
            model.output.send(.note(0))
        }
        await model.settle()
        let lists = session.taken(view).filter { $0.contains("ratios") }.map { $0.split(separator: " ")[1] }
        #expect(
            lists == [
                #"{"kind":"ratios","count":1,"changes":[{"at":0,"removed":0,"inserted":1}],"first":0,"rows":[0.5]}"#,
                #"{"kind":"ratios","count":2,"changes":[{"at":0,"removed":0,"inserted":1}]}"#,
                #"{"kind":"ratios","count":1,"changes":[{"at":0,"removed":1,"inserted":0}],"first":0,"rows":[0.5]}"#,
            ])
        model.ratios.append(.infinity)
        #expect(await read(session, "ratios", 0..<1).hasSuffix(" 2 0 [0.5]"))
        #expect(await read(session, "ratios", 0..<2).hasPrefix("a row of 'ratios' can't be expressed in JSON"))
        let late = try await session.attached(TestViewer(), number: 3)
        let snapshot = late.snapshot.map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
        #expect(snapshot.contains(#"{"kind":"ratios","count":2}"#))
    }

    @Test func `a view that was left out isn't told what changed since it was`() async throws {
        let model = ListModel()
        let session = try await opened(model)
        let slow = try session.attach(TestViewer(), number: 2, client: nil).view
        _ = session.taken(slow)
        for number in 0..<200 {
            model.items.append(.init(id: number))
            model.output.send(.note(number))
        }
        await model.settle()
        let lists = session.taken(slow).filter { $0.contains(#""kind":"items""#) }
        #expect(lists.count == 1)
        #expect(lists[0].hasSuffix(#"{"kind":"items","count":200}"#))
        model.items.remove(at: 3)
        model.output.send(.note(0))
        await model.settle()
        #expect(session.taken(slow)[0].contains(#""count":199,"changes":[{"at":3,"removed":1,"inserted":0}]"#))
    }
}

/// What a client shows is what the view model had at that number.
/// `LIST_SEEDS=10000` runs so many, and `LIST_SEEDS=1000..<2000` those.
@Suite(.inTurn) struct ListLawsTests {
    private static let groupCount = 10

    @Test(arguments: 0..<groupCount)
    func `whatever is edited, read, lost and come back to`(group: Int) async throws {
        for seed in Seeds(named: "LIST_SEEDS", usual: 2_000).range where seed % Self.groupCount == group {
            var history = try await ListHistory(seed: seed)
            for _ in 0..<12 {
                await history.step()
                if let fault = history.fault {
                    Issue.record("seed \(seed): \(fault)")
                    return
                }
            }
            await history.finish()
            if let fault = history.fault {
                Issue.record("seed \(seed): \(fault)")
                return
            }
        }
    }
}

/// One view model with some clients, in a random history.
private struct ListHistory {
    private let model = ListModel()
    private let session: Session
    private var clients: [ListClient] = []
    private var random: SeededGenerator
    private var nextID = 0
    private var rows: [ListModel.Row] = []
    private(set) var fault: String?

    init(seed: Int) async throws {
        random = SeededGenerator(seed: seed)
        let model = model
        // So few that views fall behind.
        session = try Session.of(limits: .with { $0.replayEvents = 8 }) { model }
        clients = [ListClient(session, 1), ListClient(session, 2)]
        try await clients[0].attach(since: 0)
        _ = await session.opened()
        try await clients[1].attach(since: 0)
    }

    mutating func step() async {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: edit()
        case 4: model.output.send(.note(0))
        case 5 where random.chance(10):
            // So many that views fall behind.
            for _ in 0..<80 {
                edit()
                model.output.deliverPending()
            }
        case 6...7: await take(atMost: Int.random(in: 1..<400, using: &random))
        case 8: await read()
        default: await leaveAndReturn()
        }
    }

    private mutating func edit() {
        let at = Int.random(in: 0...rows.count, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<3:
            let new = (0..<Int.random(in: 1...3, using: &random)).map { ListModel.Row(id: nextID + $0) }
            nextID += new.count
            rows.insert(contentsOf: new, at: at)
            model.items.insert(contentsOf: new, at: at)
        case 3 where at < rows.count:
            rows.remove(at: at)
            model.items.remove(at: at)
        case 4 where at < rows.count:
            rows[at].version += 1
            model.items.update(rows[at], at: at)
        case 5 where at < rows.count:
            let target = Int.random(in: 0..<rows.count, using: &random)
            rows.insert(rows.remove(at: at), at: target)
            model.items.move(from: at, to: target)
        case 6:
            rows.shuffle(using: &random)
            if rows.count > 3 { rows.removeLast() }
            model.items.replace(with: rows)
        default: break
        }
    }

    private mutating func take(atMost bytes: Int) async {
        let index = Int.random(in: clients.indices, using: &random)
        await clients[index].take(maximumBytes: bytes)
        fault = fault ?? clients[index].fault
    }

    private mutating func read() async {
        let index = Int.random(in: clients.indices, using: &random)
        let first = Int.random(in: 0...rows.count, using: &random)
        await clients[index].read(first, Int.random(in: 0...20, using: &random), model: rows)
        fault = fault ?? clients[index].fault
    }

    private mutating func leaveAndReturn() async {
        let index = Int.random(in: clients.indices, using: &random)
        do {
            try await clients[index].leaveAndReturn(remembers: random.chance(50))
        } catch {
            fault = "\(error)"
        }
    }

    /// Everybody has seen everything, and asks for all rows that it doesn't have.
    mutating func finish() async {
        model.output.deliverPending()
        for index in clients.indices {
            await clients[index].take(maximumBytes: .max)
            await clients[index].read(0, 1_000, model: rows)
            let shown = (0..<rows.count).map { clients[index].cache[$0] }
            if clients[index].count != rows.count || shown != rows {
                fault = fault ?? "\(clients[index]) isn't \(rows)"
            }
            fault = fault ?? clients[index].fault
        }
    }
}

/// A client as the protocol describes it: it keeps the rows that it was told, and nothing that may be wrong.
private struct ListClient {
    private struct ListEvent: Decodable {
        struct Change: Decodable {
            var at: Int
            var removed: Int
            var inserted: Int
        }

        var kind: String
        var count: Int?
        var changes: [Change]?
        var first: Int?
        var rows: [ListModel.Row]?
    }

    private let session: Session
    private let number: Int
    private var view = 0
    private var seq = 0
    private(set) var count = 0
    private(set) var cache: [Int: ListModel.Row] = [:]
    private(set) var fault: String?

    init(_ session: Session, _ number: Int) {
        self.session = session
        self.number = number
    }

    mutating func attach(since: Int?) async throws {
        let attachment = try await session.attached(TestViewer(), number: number, since: since)
        view = attachment.view
        guard let snapshot = attachment.snapshot else { return }
        (seq, count, cache) = (attachment.newest, 0, [:])
        for event in decoded([ListEvent].self, snapshot.bytes) ?? [] { apply(event) }
    }

    mutating func leaveAndReturn(remembers: Bool) async throws {
        session.detach(view)
        do {
            try await attach(since: remembers ? seq : nil)
        } catch SessionError.replayUnavailable {
            try await attach(since: nil)
        }
    }

    mutating func take(upTo last: Int? = nil, maximumBytes: Int) async {
        let delivery = session.take(view, upTo: last, maximumBytes: maximumBytes)
        for event in delivery.events {
            guard event.after ?? event.number - 1 == seq else { return fault = "\(event.number) after \(seq)" }
            seq = event.number
            guard case .event(let payload) = event.content else { continue }
            decoded(ListEvent.self, payload).map { apply($0) }
        }
    }

    mutating func read(_ first: Int, _ rowCount: Int, model: [ListModel.Row]) async {
        let results = Recorder<Result<RowsRequest.Part, any Error>>()
        RowsReader(session).read(RowsRequest(list: "items", first: first, count: rowCount), by: RowsReading()) {
            results.record($0)
        }
        guard case .success(let part) = await results.elements(count: 1)[0] else { return fault = "nothing was read" }
        await take(upTo: part.seq, maximumBytes: .max)
        let rows = decoded([ListModel.Row].self, part.rows) ?? []
        let expected = Array(model[min(first, model.count)..<min(model.count, first + rowCount)])
        guard part.count == count, rows == expected else {
            return fault = "read \(rows) of \(part.count), not \(expected)"
        }
        for (index, row) in rows.enumerated() {
            if let cached = cache[first + index], cached != row { fault = "\(first + index) was \(cached), not \(row)" }
            cache[first + index] = row
        }
    }

    private mutating func apply(_ event: ListEvent) {
        guard event.kind == "items", let newCount = event.count else { return }
        if let changes = event.changes {
            for change in changes {
                let moved = cache.filter { $0.key < change.at || $0.key >= change.at + change.removed }
                    .map { ($0.key < change.at ? $0.key : $0.key + change.inserted - change.removed, $0.value) }
                cache = Dictionary(moved, uniquingKeysWith: { first, _ in first })
                count += change.inserted - change.removed
            }
            if count != newCount { fault = "the changes lead to \(count) rows, not \(newCount)" }
        } else {
            cache = [:]
        }
        count = newCount
        for (index, row) in (event.rows ?? []).enumerated() { cache[(event.first ?? 0) + index] = row }
    }

    private mutating func decoded<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
        do {
            return try bytes.withUnsafeBytes { bytes in
                try ValueDecoder().decode(type, from: JSONValue(validating: bytes))
            }
        } catch {
            fault = "\(error)"
            return nil
        }
    }
}
