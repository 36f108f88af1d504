import TestSupport
import Testing
import ViewModelClient
import ViewModels

/// What a list asks for, and what it makes of answers.
@Suite(.inTurn) struct ListLifeTests {
    private typealias Life = ListLife<Int>

    /// Of a list of so many rows, of which none is here.
    private func life(_ count: Int) -> Life {
        var life = Life(isKnown: true, isAttached: true)
        _ = life.take(Life.Event(count: count), seq: 1)
        return life
    }

    private func words(_ actions: [Life.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .ask(let range, let number): "ask \(range) \(number)"
            case .giveUp(let number): "give up \(number)"
            case .tell(let change):
                "tell \(change.rows.count) \(change.edits.map { "\($0.count)" } ?? "anew")"
                    + (change.failure.map { " \($0)" } ?? "")
            }
        }
    }

    private func answer(_ range: Range<Int>, seq: Int = 1, of count: Int) -> Life.Answer {
        Life.Answer(seq: seq, count: count, first: range.lowerBound, rows: Array(range))
    }

    @Test func `what is shown is asked for first, with as much behind it, and then as much before it`() {
        var life = life(1_000)
        #expect(words(life.show(500..<510)) == ["ask 500..<520 1"])
        let actions = life.didAnswer(1, answer(500..<520, of: 1_000), newest: 1)
        #expect(words(actions) == ["tell 1000 0", "ask 490..<500 2"])
        #expect(words(life.didAnswer(2, answer(490..<500, of: 1_000), newest: 1)) == ["tell 1000 0"])
        #expect(words(life.show(503..<513)) == [], "it isn't asked for each row that is scrolled by")
        #expect(words(life.show(506..<516)) == ["ask 520..<526 3"])
        #expect(life.rows[519] == 519 && life.rows[489] == nil)
    }

    @Test func `an answer that is cut short is asked for again from where it ends, and an empty one is a failure`() {
        var life = life(100)
        #expect(words(life.show(0..<10)) == ["ask 0..<20 1"])
        #expect(words(life.didAnswer(1, answer(0..<5, of: 100), newest: 1)) == ["tell 100 0", "ask 5..<20 2"])
        let told = words(life.didAnswer(2, answer(5..<5, of: 100), newest: 1))
        #expect(told.count == 1 && told[0].contains("no row from 5 on"))
        #expect(words(life.show(0..<10)) == ["ask 5..<20 3"], "it is tried again")
        #expect(words(life.didFail(3, .invalidMessage("the disk is gone"))).count == 1)
        #expect(life.failure == .invalidMessage("the disk is gone"))
        #expect(words(life.take(Life.Event(count: 100), seq: 2)) == ["tell 100 anew", "ask 0..<20 4"])
        #expect(life.failure == nil)
    }

    @Test func `a window that moves on gives up what nobody sees any more`() {
        var life = life(1_000)
        #expect(words(life.show(0..<10)) == ["ask 0..<20 1"])
        #expect(words(life.show(5..<15)) == [], "that comes")
        #expect(words(life.show(500..<510)) == ["give up 1", "ask 500..<520 2"])
        #expect(words(life.didAnswer(1, answer(0..<20, of: 1_000), newest: 1)) == [])
        #expect(words(life.show(0..<0)) == ["give up 2"])
        #expect(words(life.show(Int.max - 1..<Int.max)) == [])
        #expect(words(life.show(-5..<2)) == ["ask 0..<4 3"])
    }

    @Test func `an older answer is asked for again, and a newer one is in the list before its event`() {
        var life = life(10)
        #expect(words(life.show(0..<2)) == ["ask 0..<4 1"])
        #expect(words(life.take(Life.Event(count: 10), seq: 3)) == ["tell 10 anew"])
        #expect(words(life.didAnswer(1, answer(0..<4, seq: 2, of: 10), newest: 3)) == ["ask 0..<4 2"])
        #expect(words(life.didAnswer(2, answer(0..<4, seq: 5, of: 11), newest: 3)) == ["tell 11 anew"])
        let event = Life.Event(count: 11, edits: [RowsEdit(at: 0, removed: 0, inserted: 1)])
        #expect(words(life.take(event, seq: 5)) == [])
        #expect(life.rows[0] == 0 && life.rows.count == 11)
    }

    @Test func `who wants rows alone is given no others, and all of one moment`() {
        var life = Life(only: 5..<3_000, isAttached: true)
        #expect(words(life.start()) == ["ask 5..<3000 1"])
        #expect(words(life.didAnswer(1, answer(5..<1_005, seq: 3, of: 2_000), newest: 3)).last == "ask 1005..<2000 2")
        let edit = Life.Event(count: 1_999, edits: [RowsEdit(at: 0, removed: 1, inserted: 0)])
        #expect(words(life.take(edit, seq: 4)) == ["tell 1999 1"])
        #expect(words(life.didAnswer(2, answer(1_004..<1_999, seq: 4, of: 1_999), newest: 4)) == ["tell 1999 0"])
        #expect(life.rows[4] == 5 && life.rows.gap(in: 5..<3_000) == nil)
        #expect(words(life.take(Life.Event(count: 7), seq: 5)) == ["tell 7 anew", "ask 5..<7 3"])
    }

    @Test func `edits that don't make the event's count say as much as none`() {
        var life = life(3)
        let edits = [RowsEdit(at: 3, removed: 0, inserted: 1)]
        #expect(words(life.take(Life.Event(count: 4, edits: edits, rows: [7]), seq: 2)) == ["tell 4 1"])
        #expect(words(life.take(Life.Event(count: 4, edits: edits), seq: 3)) == ["tell 4 anew"])
        #expect(life.rows[0] == nil)
    }

    @Test func `a list of which nothing is known asks, and a lost connection has it asked again`() {
        var life = Life(isKnown: false, isAttached: true)
        #expect(words(life.start()) == ["ask 0..<100 1"])
        life.didLoseConnection()
        #expect(words(life.show(50..<60)) == [])
        #expect(words(life.didAttach()) == ["ask 50..<60 2"])
        let actions = life.didAnswer(2, answer(50..<60, seq: 7, of: 90), newest: 7)
        #expect(words(actions) == ["tell 90 anew", "ask 60..<70 3"])
        life.didLoseConnection()
        #expect(words(life.begin(nil, seq: 9)) == ["tell 0 anew"], "a snapshot that says nothing of it")
        #expect(words(life.didAttach()) == [])
        #expect(words(life.begin(nil, seq: 10)) == [])
        #expect(words(life.begin(Life.Event(count: 2, rows: [1, 2]), seq: 11)) == ["tell 2 anew"])
    }
}

/// What a list shows is what the view model's list is at that number: random changes, answers, cuts and snapshots.
@Suite(.inTurn) struct ListLawTests {
    private struct Run {
        var random: SeededGenerator
        var life = ListLife<Int>(isKnown: true, isAttached: true)
        /// The view model's list at each number, and its events: nil is another's.
        var versions: [[Int]] = [[]]
        var events: [ListLife<Int>.Event?] = [nil]
        var lastRow = 0
        /// The newest that has come.
        var seq = 0
        var asked: [(range: Range<Int>, number: Int)] = []
        var selection = RemoteSelection<Numbered>()
        var told: RemoteListChange<Int>?

        init(seed: Int) { random = SeededGenerator(seed: seed) }

        struct Numbered: Identifiable, Sendable, Equatable { let id: Int }

        mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

        mutating func newRows(_ count: Int) -> [Int] {
            lastRow += count
            return Array(lastRow - count..<lastRow)
        }

        /// The view model changes its list, or sends something else.
        mutating func change() {
            var rows = versions[versions.count - 1]
            guard !random.chance(20) else {
                versions.append(rows)
                return events.append(nil)
            }
            var edits: [RowsEdit]?
            if random.chance(10) {
                rows = newRows(number(0...30))
            } else {
                edits = (0..<number(1...4)).map { _ in edit(&rows) }
            }
            let first = number(0...rows.count)
            let shown = rows[first...].prefix(random.chance(50) ? number(0...8) : 0)
            let whole = ListLife<Int>.Event(count: rows.count, edits: edits, first: first, rows: Array(shown))
            versions.append(rows)
            events.append(whole)
        }

        private mutating func edit(_ rows: inout [Int]) -> RowsEdit {
            let at = number(0...rows.count)
            let removed = number(0...min(5, rows.count - at))
            let came = newRows(random.chance(30) ? removed : number(0...5))
            rows.replaceSubrange(at..<at + removed, with: came)
            return RowsEdit(at: at, removed: removed, inserted: came.count)
        }

        mutating func tell(upTo last: Int) {
            while seq < last {
                seq += 1
                if let event = events[seq] { obey(life.take(event, seq: seq)) }
                check()
            }
        }

        mutating func answer(_ bound: Int) {
            guard !asked.isEmpty else { return }
            let (range, number) = asked.removeFirst()
            tell(upTo: self.number(seq...versions.count - 1))
            let rows = versions[seq]
            let first = min(range.lowerBound, rows.count)
            let part = Array(rows[first...].prefix(min(bound, range.count)))
            let answer = ListLife<Int>.Answer(seq: seq, count: rows.count, first: first, rows: part)
            obey(life.didAnswer(number, answer, newest: seq))
        }

        mutating func cut() {
            life.didLoseConnection()
            asked = []
            if random.chance(50) {
                seq = versions.count - 1
                let rows = versions[seq]
                let event = ListLife<Int>.Event(count: rows.count, rows: Array(rows.prefix(5)))
                obey(life.begin(rows.isEmpty ? nil : event, seq: seq))
            }
            obey(life.didAttach())
        }

        mutating func obey(_ actions: [ListLife<Int>.Action]) {
            for action in actions {
                switch action {
                case .ask(let range, let number): asked.append((range, number))
                case .giveUp(let number): asked.removeAll { $0.number == number }
                case .tell(let change):
                    told = told?.followed(by: change) ?? change
                    // Those who look now and then see changes joined.
                    if random.chance(60) { look() }
                }
            }
        }

        mutating func look() {
            guard let change = told else { return }
            told = nil
            var rows = RemoteRows<Numbered>(count: change.rows.count)
            rows.fill(0, change.rows.map { $0.map { Numbered(id: $0) } })
            selection.follow(RemoteListChange(rows: rows, edits: change.edits, failure: nil))
            #expect(Array(change.rows).elementsEqual(life.rows))
            if let index = selection.index { #expect(versions[seq][index] == selection.id) }
            if selection.index == nil, let id = change.rows.compactMap({ $0 }).first { selection.select(id, in: rows) }
        }

        func check() {
            let rows = versions[seq]
            let isRight = life.rows.count == rows.count && zip(life.rows, rows).allSatisfy { $0 == nil || $0 == $1 }
            #expect(isRight, "\(seq): \(Array(life.rows)) of \(rows)")
        }

        mutating func step() {
            switch number(0...20) {
            case 0...5: change()
            case 6...11: tell(upTo: min(seq + 1, versions.count - 1))
            case 12...16: answer(number(1...5))
            case 17...19:
                let first = number(0...40)
                obey(life.show(first..<first + number(0...8)))
            default: cut()
            }
            check()
        }

        /// All that is shown is here once the server has answered, and nothing changes any more.
        mutating func finish() {
            tell(upTo: versions.count - 1)
            let first = number(0...10)
            obey(life.show(first..<first + 5))
            while !asked.isEmpty { answer(50) }
            check()
            let shown = (first..<first + 5).clamped(to: 0..<life.rows.count)
            #expect(shown.allSatisfy { life.rows[$0] != nil }, "\(shown) of \(Array(life.rows))")
        }
    }

    @Test(arguments: 0..<4) func `what a list shows is the model's at that number`(part: Int) {
        for seed in part * 500..<(part + 1) * 500 {
            var run = Run(seed: seed)
            for _ in 0..<25 { run.step() }
            run.finish()
        }
    }
}
