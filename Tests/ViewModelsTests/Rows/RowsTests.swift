import Synchronization
import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct RowsTests {
    private struct Row: Codable, Sendable, Equatable, Identifiable {
        var id: Int
        var text = ""
    }

    /// What a session is told, as text: "count: edits | first: rows".
    private final class Audience: Sendable {
        let output = Output<String>()
        let told = Recorder<String>()
        private let subscription: Mutex<Subscription?> = Mutex(nil)
        let line: Int

        init(_ rows: Rows<Int>) {
            let told = told
            line = rows.addLine(to: output, isResumed: false) { told.record(Self.text($0)) }
            subscription.withLock { $0 = output.subscribe { told.record($0) } }
        }

        static func text(_ report: RowsReport) -> String {
            let edits = report.edits.map { edits in
                edits.map { "\($0.at)-\($0.removed)+\($0.inserted)" }.joined(separator: " ")
            }
            let rows = (report.rows as? [Int]).map { " | \(report.first): \($0)" } ?? ""
            return "\(report.count): \(edits ?? "all")\(rows)"
        }
    }

    @Test func `what is changed before an event is told before it, and as one`() {
        let rows = Rows<Int>()
        let audience = Audience(rows)
        rows.append(1)
        rows.append(contentsOf: [2, 3])
        audience.output.send("event")
        rows.remove(at: 0)
        audience.output.deliverPending()
        #expect(audience.told.elements == ["3: 0-0+3 | 0: [1, 2, 3]", "event", "2: 0-1+0 | 0: [2, 3]"])
    }

    @Test func `a change that nobody sends an event after is told by itself`() async {
        let rows = Rows<Int>()
        let audience = Audience(rows)
        rows.append(1)
        #expect(await audience.told.elements(count: 1) == ["1: 0-0+1 | 0: [1]"])
    }

    @Test func `what a list has at first is told first`() {
        let rows = Rows([1, 2])
        let audience = Audience(rows)
        audience.output.send("event")
        #expect(audience.told.elements == ["2: all | 0: [1, 2]", "event"])
        #expect(rows.count == 2)
    }

    @Test func `all rows are those in memory, after each edit`() {
        let rows = Rows([1, 2, 3])
        rows.insert(contentsOf: Array(10..<1_000), at: 1)
        rows.remove(at: 0)
        #expect(rows.all == Array(10..<1_000) + [2, 3])
        rows.replace(with: [])
        #expect(rows.all == [])
        #expect(Rows(count: 3) { Array($0) }.all == [])
    }

    @Test func `what changes before a list is told first is told with it`() {
        let rows = Rows([1, 2])
        let audience = Audience(rows)
        rows.remove(at: 0)
        audience.output.send("event")
        #expect(audience.told.elements == ["1: all | 0: [2]", "event"])
    }

    @Test func `rows that a view has asked for are told with a change that moves them, and no others`() {
        let rows = Rows(Array(0..<1_000))
        let audience = Audience(rows)
        audience.output.deliverPending()
        #expect(rows.readKept(500..<503, of: audience.line) { audience.told.record("read \(Audience.text($0))") })
        rows.insert(-1, at: 10)
        audience.output.deliverPending()
        rows.update(-2, at: 800)
        audience.output.deliverPending()
        rows.replace(with: [7, 8])
        audience.output.deliverPending()
        let told = Array(audience.told.elements.dropFirst())
        #expect(
            told == [
                "read 1000: all | 500: [500, 501, 502]", "1001: 10-0+1 | 500: [499, 500, 501]", "1001: 800-1+1",
                "2: all | 0: [7, 8]",
            ])
    }

    @Test func `rows that are read agree with what was told before`() {
        let rows = Rows([1, 2, 3])
        let audience = Audience(rows)
        audience.output.deliverPending()
        rows.append(4)
        _ = rows.readKept(2..<9, of: audience.line) { audience.told.record("read \(Audience.text($0))") }
        #expect(
            audience.told.elements == [
                "3: all | 0: [1, 2, 3]", "4: 3-0+1 | 0: [1, 2, 3, 4]", "read 4: all | 2: [3, 4]",
            ])
    }

    @Test func `rows that are read behind a step that changes the list come behind the change`() {
        let rows = Rows([1])
        let audience = Audience(rows)
        audience.output.deliverPending()
        // Its own step comes behind the reading.
        audience.output.queueStep { rows.append(2) }
        _ = rows.readKept(0..<9, of: audience.line) { audience.told.record("read \(Audience.text($0))") }
        audience.output.deliverPending()
        #expect(
            audience.told.elements == [
                "1: all | 0: [1]", "2: 1-0+1 | 0: [1, 2]", "read 2: all | 0: [1, 2]",
            ])
    }

    @Test func `a view that has asked for no rows is still told the first ones`() {
        let rows = Rows([1])
        let audience = Audience(rows)
        audience.output.deliverPending()
        _ = rows.readKept(0..<0, of: audience.line) { audience.told.record("read \(Audience.text($0))") }
        rows.append(2)
        audience.output.deliverPending()
        #expect(audience.told.elements.last == "2: 1-0+1 | 0: [1, 2]")
    }

    @Test func `indices that are beyond the end do nothing, or mean the end`() {
        let rows = Rows([1, 2, 3])
        rows.remove(at: 3)
        rows.remove(at: -1)
        rows.remove(3..<9)
        rows.update(7, at: 3)
        rows.move(from: 9, to: 0)
        rows.move(from: 1, to: 1)
        #expect((0..<3).map { rows[$0] } == [1, 2, 3])
        rows.insert(4, at: .max)
        rows.insert(0, at: .min)
        rows.move(from: 0, to: .max)
        rows.remove(3..<4)
        #expect((0...4).map { rows[$0] } == [1, 2, 3, 0, nil])
        #expect(rows[-1] == nil)
    }

    @Test(arguments: [(0, 2, [2, 3, 1]), (2, 0, [3, 1, 2]), (1, 2, [1, 3, 2])])
    func `a row that is moved stands where it should`(from: Int, to: Int, moved: [Int]) {
        let rows = Rows([1, 2, 3])
        rows.move(from: from, to: to)
        #expect((0..<3).map { rows[$0] } == moved)
    }

    @Test func `a list of rows with an identity finds the edits itself`() {
        let rows = Rows([Row(id: 1), Row(id: 2), Row(id: 3)])
        let told = Recorder<[RowsEdit]?>()
        let output = Output<Int>()
        _ = rows.addLine(to: output, isResumed: false) { told.record($0.edits) }
        output.deliverPending()
        rows.replace(with: [Row(id: 1), Row(id: 3, text: "new"), Row(id: 4)])
        output.deliverPending()
        rows.replace(with: [Row(id: 1), Row(id: 3, text: "new"), Row(id: 4)])
        output.deliverPending()
        #expect(told.elements == [nil, [RowsEdit(at: 1, removed: 2, inserted: 2)]])
    }

    @Test func `a View in this process is told what has changed, in order`() async {
        let rows = Rows<Int>()
        let told = Recorder<Rows<Int>.Change>()
        rows.changed.subscribe(told) { $0.record($1) }
        rows.append(contentsOf: [1, 2, 3])
        rows.remove(at: 1)
        let edits = await told.elements(count: 1).flatMap { $0.edits ?? [] }
        #expect(edits.reduce(0) { $0 + $1.inserted - $1.removed } == 2)
        #expect(told.elements.last?.count == 2)
    }

    @Test func `rows that are made on demand are made for the range that there is`() async throws {
        let asked = Recorder<Range<Int>>()
        let rows = Rows<Int>(count: 10) { range in
            asked.record(range)
            return range.map { $0 * $0 }
        }
        #expect(try await rows.rows(in: 8..<20) == [64, 81])
        #expect(asked.elements == [8..<10])
        #expect(rows[3] == nil)
    }

    @Test func `rows that are made while the list changes are made again`() async throws {
        let rows = Mutex<Rows<Int>?>(nil)
        let calls = Recorder<Int>()
        let list = Rows<Int>(count: 10) { range in
            calls.record(1)
            // Only the first time.
            if calls.elements.count == 1 { rows.withLock { $0 }?.reload(count: 5) }
            return Array(range)
        }
        rows.withLock { $0 = list }
        let audience = Audience(list)
        let read = Recorder<String>()
        try await list.read(3..<9, of: audience.line) { read.record(Audience.text($0)) }
        #expect(read.elements == ["5: all | 3: [3, 4]"])
        #expect(calls.elements.count == 2)
        #expect(audience.told.elements == ["5: all"])
        rows.withLock { $0 = nil }
    }

    @Test func `a list that changes each time is an error, and not for ever`() async throws {
        let rows = Mutex<Rows<Int>?>(nil)
        let list = Rows<Int>(count: 10) { range in
            rows.withLock { $0 }?.reload(count: 5)
            return Array(range)
        }
        rows.withLock { $0 = list }
        let audience = Audience(list)
        await #expect(throws: ChangingRows.self) { try await list.read(3..<9, of: audience.line) { _ in } }
        rows.withLock { $0 = nil }
    }

    @Test func `two threads that change a list lose nothing`() async {
        let rows = Rows<Int>()
        let sum = Mutex(0)
        let output = Output<Int>()
        _ = rows.addLine(to: output, isResumed: false) { report in
            sum.withLock { $0 += (report.edits ?? []).reduce(0) { $0 + $1.inserted } }
        }
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask { for number in 0..<500 { rows.append(thread * 1_000 + number) } }
            }
        }
        output.deliverPending()
        await withCheckedContinuation { done in output.afterPending { done.resume() } }
        #expect(rows.count == 2_000)
        #expect(sum.withLock { $0 } == 2_000)
    }

    @Test func `a list that came back as it was is told nothing, and any other list is told whole`() {
        let told = Recorder<String>()
        let output = Output<Int>()
        let restored = Rows<Int>()
        restored.savedValue = .kept([1, 2])
        _ = restored.addLine(to: output, isResumed: true) { told.record("restored \(Audience.text($0))") }
        let changed = Rows<Int>()
        changed.savedValue = .kept([1, 2])
        changed.append(3)
        _ = changed.addLine(to: output, isResumed: true) { told.record("changed \(Audience.text($0))") }
        let saved: [(Int, SavedRows<Int>)] = [
            (0, .made(count: 7)), (7, .made(count: 7)), (5, .made(count: 7)), (4, .kept([])),
        ]
        let made = saved.map { first, saved in
            let made = Rows<Int>(count: first) { _ in [] }
            made.savedValue = saved
            _ = made.addLine(to: output, isResumed: true) { told.record("made with \(first) \(Audience.text($0))") }
            return made
        }
        let reloaded = Rows<Int>(count: 0) { _ in [] }
        reloaded.savedValue = .made(count: 7)
        reloaded.reload(count: 7)
        _ = reloaded.addLine(to: output, isResumed: true) { told.record("reloaded \(Audience.text($0))") }
        output.deliverPending()
        #expect(made.map(\.count) == [7, 7, 5, 4])
        #expect(
            told.elements == [
                "changed 3: all | 0: [1, 2, 3]", "made with 5 5: all", "made with 4 4: all", "reloaded 7: all",
            ])
    }

    @Test(arguments: [Int.min, -1, Int.max])
    func `a number of rows that can't be, in a store, is no trap`(count: Int) {
        let rows = Rows<Int>(count: 0) { _ in [] }
        rows.savedValue = .made(count: count)
        rows.append(1)
        #expect(rows.count >= 1)
    }

    @Test func `a window at the end of all numbers is no trap`() {
        let rows = Rows([1, 2])
        let audience = Audience(rows)
        _ = rows.readKept(Int.max - 1..<Int.max, of: audience.line) { audience.told.record(Audience.text($0)) }
        _ = rows.readKept(Int.max..<Int.max, of: audience.line) { audience.told.record(Audience.text($0)) }
        #expect(audience.told.elements.suffix(2) == ["2: all | 2: []", "2: all | 2: []"])
        let made = Rows<Int>(count: .max) { _ in [] }
        made.append(1)
        made.reload(count: .max)
        made.append(1)
        #expect(made.count > 1)
    }
}
