import ClientRules
import JSON
import TestSupport
import Testing
import ViewModelClient
import ViewModels

/// A client with the list of the client in Swift, in virtual time: what is on its way comes in order, one thing after the other.
private struct WalkingClient {
    enum Defect: CaseIterable {
        case passesOverEdits, keepsRowsOfASnapshot, neverAsks, asksForever, losesItsPlace, asksForNothing,
            wrongSelection
    }

    private struct Row: Identifiable {
        let id: Int
    }

    private let defect: Defect?
    private var play: any Play
    private var life = ListLife<Row>(isKnown: true, isAttached: true)
    private var window = 0..<0
    private var seq = 0
    private var asked: [Int: (range: Range<Int>, connection: Int)] = [:]
    private var lastRequest = 100
    private var connection = 1
    private var isAttached = false
    private var selection = RemoteSelection<Row>()
    private var outcome: PlayOutcome?
    private var waiting: [PlayAction] = []

    init(seed: Int, defect: Defect? = nil) {
        play = Rule.walk(seed: seed).play
        self.defect = defect
    }

    mutating func walk() -> PlayOutcome? {
        waiting = play.begin()
        var (pauses, progress) = (0, 0)
        while outcome == nil, !waiting.isEmpty {
            let action = waiting.removeFirst()
            if play.progress != progress { (pauses, progress) = (0, play.progress) }
            if case .pause = action { pauses += 1 }
            if pauses > 10 { return play.giveUp("nothing comes").lazy.compactMap(Self.outcome).first }
            perform(action)
        }
        return outcome
    }

    private static func outcome(of action: PlayAction) -> PlayOutcome? {
        if case .end(let outcome) = action { outcome } else { nil }
    }

    private mutating func perform(_ action: PlayAction) {
        switch action {
        case .end(let end): outcome = end
        case .pause: waiting += play.lookAgain()
        case .tell(let command): answer(command)
        case .send(let message, connection): take(message)
        case .send, .sendHalf, .door: break
        case .cut:
            life.didLoseConnection()
            (asked, connection) = ([:], connection + 1)
            say(#"{"id":2,"method":"session/attach","params":{"key":"key-a","since":\#(seq)}}"#)
        }
    }

    private mutating func say(_ text: String) {
        waiting += play.receive(Self.json(text), on: connection)
    }

    private mutating func answer(_ command: JSONText) {
        let (what, first, count) = command.withValue {
            (
                $0.member("do")?.string(), $0.member("first")?.integer(as: Int.self),
                $0.member("count")?.integer(as: Int.self)
            )
        }
        var answer = "{}"
        switch what {
        case "open": say(#"{"id":1,"method":"session/open","params":{"viewModel":"listed"}}"#)
        case "show":
            window = (first ?? 0)..<(first ?? 0) + (count ?? 0)
            follow(life.show(window))
        case "select":
            let index = command.withValue { $0.member("index")?.integer(as: Int.self) }
            selection.select(index.flatMap { life.rows[$0]?.id }, in: life.rows)
        default: answer = look()
        }
        waiting += play.receiveAnswer(Self.json(answer))
    }

    private func look() -> String {
        let rows = window.map { index in
            let row = index < life.rows.count ? life.rows[index] : nil
            return row.map { #"{"id":\#($0.id)}"# } ?? "null"
        }
        let selected = selection.index.map { "\($0)" } ?? "null"
        return """
            {"views":{"a":{"state":"shown","lists":{"rows":{"count":\(life.rows.count),"rows":[\(rows.joined(separator: ","))],\
            "selected":\(selected)}}}}}
            """
    }

    private mutating func take(_ message: JSONText) {
        message.withValue { message in
            let params = message.member("params")
            if let event = params?.member("event"), let number = params?.member("seq")?.integer(as: Int.self) {
                seq = number
                take(event: event)
            } else if let id = message.member("id")?.integer(as: Int.self) {
                take(answerTo: id, message)
            }
        }
    }

    private mutating func take(event: JSONValue) {
        guard var event = Self.event(of: event) else { return }
        if defect == .passesOverEdits, event.edits != nil { event.edits = [] }
        follow(life.take(event, seq: seq))
    }

    private mutating func take(answerTo id: Int, _ message: JSONValue) {
        guard let result = message.member("result") else {
            guard asked.removeValue(forKey: id) != nil else { return }
            return follow(life.didFail(id - 100, .connectionLost("no rows")))
        }
        if id == 2 {
            if let snapshot = result.member("snapshot"), let number = result.member("seq")?.integer(as: Int.self) {
                seq = defect == .losesItsPlace ? 0 : number
                let event = Self.elements(snapshot).first.flatMap { $0.withValue { Self.event(of: $0) } }
                if defect != .keepsRowsOfASnapshot { follow(life.begin(event, seq: number)) }
            }
            follow(life.didAttach())
        } else if asked.removeValue(forKey: id) != nil, let answer = Self.answer(of: result) {
            follow(life.didAnswer(id - 100, answer, newest: seq))
        }
    }

    private mutating func follow(_ actions: [ListLife<Row>.Action]) {
        for action in actions {
            if case .tell(let change) = action, defect != .wrongSelection { selection.follow(change) }
            if case .giveUp(let number) = action {
                asked[number + 100] = nil
                say(#"{"method":"$/cancelRequest","params":{"id":\#(number + 100)}}"#)
            }
            guard case .ask(let range, let number) = action, defect != .neverAsks else { continue }
            asked[number + 100] = (range, connection)
            let count = defect == .asksForNothing ? 0 : range.count
            say(
                #"{"id":\#(number + 100),"method":"session/rows","params":{"session":1,"list":"rows","first":\#(range.lowerBound),"count":\#(count)}}"#
            )
            if defect == .asksForever {
                for _ in 0..<300 where outcome == nil {
                    say(#"{"id":"x","method":"session/rows","params":{"first":0,"count":1}}"#)
                }
            }
        }
    }

    private static func json(_ text: String) -> JSONText {
        JSONText { $0.raw(Array(text.utf8)) }
    }

    private static func elements(_ value: JSONValue?) -> [JSONText] {
        var elements: [JSONText] = []
        value?.forEachElement { elements.append(JSONText($0)) }
        return elements
    }

    private static func rows(_ value: JSONValue?) -> [Row?] {
        elements(value).map { row in row.withValue { $0.member("id")?.integer(as: Int.self) }.map { Row(id: $0) } }
    }

    private static func event(of value: JSONValue) -> ListLife<Row>.Event? {
        guard value.member("kind")?.string() == "rows", let count = value.member("count")?.integer(as: Int.self) else {
            return nil
        }
        let edits = value.member("changes").map { changes in
            elements(changes).map { change in
                change.withValue { change in
                    func number(_ name: StaticString) -> Int { change.member(name)?.integer(as: Int.self) ?? 0 }
                    return RowsEdit(at: number("at"), removed: number("removed"), inserted: number("inserted"))
                }
            }
        }
        return ListLife<Row>.Event(
            count: count, edits: edits, first: value.member("first")?.integer(as: Int.self) ?? 0,
            rows: rows(value.member("rows")))
    }

    private static func answer(of value: JSONValue) -> ListLife<Row>.Answer? {
        guard let seq = value.member("seq")?.integer(as: Int.self),
            let count = value.member("count")?.integer(as: Int.self),
            let first = value.member("first")?.integer(as: Int.self)
        else { return nil }
        return ListLife<Row>.Answer(seq: seq, count: count, first: first, rows: rows(value.member("rows")))
    }
}

/// `WALK_SEEDS=1000` runs so many walks.
@Suite(.inTurn) struct ListWalkTests {
    @Test func `the list of the client in Swift keeps the rule, whatever happens`() {
        for seed in Seeds(named: "WALK_SEEDS", usual: 40).range {
            var client = WalkingClient(seed: seed)
            let outcome = client.walk()
            guard case .kept? = outcome else {
                Issue.record("seed \(seed): \(outcome.map { "\($0)" } ?? "it stands still")")
                return
            }
        }
    }

    @Test(arguments: WalkingClient.Defect.allCases)
    private func `a defect of a list is found by one of fifteen seeds`(_ defect: WalkingClient.Defect) {
        let isFound = (1...15).contains { seed in
            var client = WalkingClient(seed: seed, defect: defect)
            if case .broken? = client.walk() { return true }
            return false
        }
        #expect(isFound)
    }
}
