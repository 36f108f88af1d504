package import JSON
import JSONRPC
import Transcripts
import ViewModelProtocol

/// A random walk through what can happen to a view with a list: rows change, are asked for and come late, fail or come in
/// parts, windows move, the connection is cut. The client must always show the list as it was at some moment, and in the end
/// the current list with all rows of the window.
///
/// The seed decides what happens; what the client asks for in between depends on its speed, too.
// Over 400 lines because what happens, what the client may do then and what must be so are one state.
package struct ListWalk: Play {
    enum State {
        /// The driver has a command with no other effect on the state.
        case telling
        case looking
        case pausing
        /// The view is being opened.
        case opening
        /// The connection was cut, and the view isn't attached again yet.
        case comingBack
        case ended
    }

    private struct Request {
        let id: JSONText
        let connection: Int
        let first: Int
        let count: Int
    }

    private static let steps = 160
    /// The number of steps after which the list must come to rest.
    private static let settlingEvery = 40
    /// The maximum number of rows in an answer, as in the server's `limits`.
    private static let mostRows = 30
    /// The number of requests for one window at which the client counts as asking without end.
    private static let mostRequests = 200
    /// The same limit while all requests for rows are refused.
    private static let mostRefused = 10

    /// The name on the command line.
    package let name: String
    private let seed: Int
    var random: SplitMix
    var list = WalkedList()
    private let housekeeping: Housekeeping
    var state = State.telling
    var step = 0
    /// The window that was shown last.
    var window = 0..<0
    private var connection = 1
    private var session = 1
    /// The `seq` of the newest event that the client was sent.
    var told = 0
    /// The `seq` at which the client last came to rest.
    var rested = 0
    private var requests: [Request] = []
    private var requestsSinceStep = 0
    var isSettling = false
    private var isOpen = false
    /// Whether a request for rows was refused, so that clients don't ask again before the list changes.
    private var hasRefused = false
    /// The number of looks while all requests for rows are refused; nil while they are answered.
    var refusing: Int?
    /// The id of the selected row, while events tell where it is; nil if no row is selected.
    var selected: Int?
    /// The id of the row that was selected before any row may have become another one. The client must find it again when
    /// everything comes to rest with that row in the window.
    var sought: Int?
    var canSelect = true
    private var log: [String] = []
    var lastLook: JSONText?

    package init(seed: Int) {
        self.seed = seed
        name = "list-walk-\(seed)"
        random = SplitMix(seed: seed)
        housekeeping = Housekeeping(hello: Story.hello(hosts: ["listed"], isDurable: false, rows: Self.mostRows))
    }

    package var progress: Int { step * 2 + (isSettling ? 1 : 0) + requestsSinceStep }

    package mutating func begin() -> [PlayAction] {
        tell(#"{"do":"open","view":"a","viewModel":"listed"}"#)
    }

    // What happens

    mutating func proceed() -> [PlayAction] {
        step += 1
        requestsSinceStep = 0
        guard step <= Self.steps else { return end(.kept) }
        if step % Self.settlingEvery == 0 {
            return comeToRest()
        }
        switch random.number(below: 40) {
        case 0: return cut()
        case 1..<13:
            list.change(&random)
            note("the list changes: \(list.newest) has \(list.rows.count) rows")
            return look()
        case 13..<24: return tellNext() + look()
        case 24..<34: return answerNext() + look()
        default: return show()
        }
    }

    mutating func comeToRest() -> [PlayAction] {
        if !isSettling, random.chance(3) {
            note("all rows are refused")
            refusing = 0
        } else if hasRefused {
            list.reset(&random)
            hasRefused = false
        }
        isSettling = true
        note("all comes to rest")
        return tellAll() + answerAll() + look()
    }

    mutating func tell(_ command: String) -> [PlayAction] {
        note(command)
        state = .telling
        return [.tell(JSONText { $0.raw(Array(command.utf8)) })]
    }

    private mutating func look() -> [PlayAction] {
        state = .looking
        return [.tell(DriverAnswer.look)]
    }

    mutating func show() -> [PlayAction] {
        let count = step == 0 ? 10 : random.number(below: 26)
        let first = random.number(below: max(1, list.rows.count + 3 - count))
        window = first..<first + count
        return tell(#"{"do":"show","view":"a","list":"rows","first":\#(first),"count":\#(count)}"#)
    }

    private mutating func tellNext() -> [PlayAction] {
        guard told < list.newest else { return [] }
        // A view that is too slow gets one event in place of several.
        if random.chance(10), told + 1 < list.newest {
            let before = told
            told = list.newest
            seekSelection()
            note("the client is told \(told) in place of those after \(before)")
            return [event(list.withoutChanges(told), after: before)]
        }
        told += 1
        note("the client is told \(told)")
        forgetSelection(through: told...told)
        return [event(list.events[told])]
    }

    private mutating func tellAll() -> [PlayAction] {
        let first = told + 1
        told = list.newest
        guard first <= told else { return [] }
        note("the client is told all up to \(told)")
        forgetSelection(through: first...told)
        return (first...told).map { event(list.events[$0], number: $0) }
    }

    private mutating func seekSelection() {
        // A row that was sought before and not found yet need not be found any more.
        sought = selected
        selected = nil
    }

    /// Lets the client seek the selected row, if after these events any row may be another one.
    private mutating func forgetSelection(through numbers: ClosedRange<Int>) {
        if numbers.contains(where: list.isReset) { seekSelection() }
    }

    private func event(_ event: JSONText, number: Int? = nil, after: Int? = nil) -> PlayAction {
        let message = JSONText { writer in
            MessageEncoder.notification(ViewModelEvent.name, into: &writer) { writer in
                writer.key("session")
                writer.integer(session)
                writer.key("seq")
                writer.integer(number ?? told)
                if let after {
                    writer.key("after")
                    writer.integer(after)
                }
                writer.key("event")
                writer.raw(event.bytes)
            }
        }
        return .send(message, connection: connection)
    }

    private mutating func answerNext() -> [PlayAction] {
        guard !requests.isEmpty else { return [] }
        let request = requests.removeFirst()
        if refusing != nil || (!isSettling && random.chance(12)) {
            note("rows from \(request.first) on fail")
            hasRefused = true
            return [fail(request, RPCError(.viewModelFailed, "no rows"))]
        }
        let isCutShort = !isSettling && random.chance(4)
        let count = min(isCutShort ? 1 + random.number(below: request.count) : request.count, Self.mostRows)
        note("\(count) rows from \(request.first) on come, of \(told)")
        return [answer(request, list.page(at: told, first: request.first, count: count))]
    }

    private mutating func answerAll() -> [PlayAction] {
        var actions: [PlayAction] = []
        while !requests.isEmpty { actions += answerNext() }
        return actions
    }

    private mutating func cut() -> [PlayAction] {
        note("the connection is cut")
        requests = []
        if random.chance(2) { list.change(&random) }
        if random.chance(2) { list.empty() }
        state = .comingBack
        return [.cut(connection: connection)]
    }

    // What the client does

    package mutating func receive(_ message: JSONText, on connection: Int) -> [PlayAction] {
        guard case .ended = state else { return take(message, on: connection) }
        return []
    }

    private mutating func take(_ message: JSONText, on connection: Int) -> [PlayAction] {
        let id = message.withValue { $0.member("id").map { JSONText($0) } }
        if let id, message.isOf(SessionOpen.name) {
            (self.connection, isOpen) = (connection, true)
            let opened = [answer(id, connection, Self.opened)]
            if case .opening = state { return opened + look() }
            return opened
        }
        if let id, message.isOf(SessionAttach.name) { return attach(message, id, on: connection) }
        if let id, message.isOf(SessionRows.name) { return take(rows: message, id, on: connection) }
        if message.isOf(CancelRequest.name) { return giveUp(message, on: connection) }
        guard let answer = housekeeping.answer(to: message) else {
            return broken("the client sent something else", actual: message)
        }
        return answer.map { [.send($0, connection: connection)] } ?? []
    }

    private mutating func giveUp(_ message: JSONText, on connection: Int) -> [PlayAction] {
        let cancelled = message.withValue { $0.member("params")?.member("id").map { JSONText($0) } }
        guard let place = requests.firstIndex(where: { $0.id == cancelled && $0.connection == connection }) else {
            return []
        }
        note("rows from \(requests[place].first) on are given up")
        return [fail(requests.remove(at: place), RPCError(.requestCancelled, "cancelled"))]
    }

    private static let opened = JSONText {
        $0.literal(#"{"session":1,"key":"key-a","viewModel":"listed","epoch":"1"}"#)
    }

    private mutating func attach(_ message: JSONText, _ id: JSONText, on connection: Int) -> [PlayAction] {
        let since = message.withValue { $0.member("params")?.member("since")?.integer(as: Int.self) }
        guard case .comingBack = state else {
            return broken("the client attaches again, and no event is missing", actual: message)
        }
        if let since, since > told { return broken("nobody has told the client number \(since)", actual: message) }
        (self.connection, session) = (connection, session + 1)
        let isSnapshot = since == nil || random.chance(2)
        let result = JSONText { writer in
            writer.literal(#"{"session":"#)
            writer.integer(session)
            writer.literal(#","viewModel":"listed","seq":"#)
            writer.integer(list.newest)
            writer.literal(#","epoch":"1","handled":0"#)
            if isSnapshot {
                writer.key("snapshot")
                writer.raw(list.snapshot().bytes)
            }
            writer.endObject()
        }
        var actions = [answer(id, connection, result)]
        if isSnapshot {
            told = list.newest
            seekSelection()
            note("the view comes back with a snapshot of \(told)")
        } else if let since {
            note("the view comes back, and is told what came after \(since)")
            told = since
            actions += tellAll()
        }
        return actions + (random.chance(2) ? comeToRest() : look())
    }

    private mutating func take(rows message: JSONText, _ id: JSONText, on connection: Int) -> [PlayAction] {
        let (first, count) = message.withValue { message in
            let params = message.member("params")
            return (params?.member("first")?.integer(as: Int.self), params?.member("count")?.integer(as: Int.self))
        }
        guard connection == self.connection else { return [] }
        guard let first, let count, first >= 0, count >= 1 else {
            return broken("rows are asked for by \"first\", from 0 on, and \"count\", from 1 on", actual: message)
        }
        guard requests.isEmpty else {
            return broken(
                "a window asks for rows by one request at a time, or gives up the one before", actual: message)
        }
        note("the client asks for \(count) rows from \(first) on")
        requests.append(Request(id: id, connection: connection, first: first, count: count))
        requestsSinceStep += 1
        guard requestsSinceStep < (refusing == nil ? Self.mostRequests : Self.mostRefused) else {
            return broken("the client asks again and again")
        }
        return isSettling ? answerAll() : []
    }

    package mutating func receiveEnd(of connection: Int) -> [PlayAction] {
        guard connection == self.connection else { return [] }
        if case .comingBack = state { return [] }
        if case .ended = state { return [] }
        return broken("the client ended its connection")
    }

    package mutating func turnAway(after time: Duration) -> [PlayAction] { [] }

    package mutating func receiveGarbage(_ text: String, on connection: Int) -> [PlayAction] {
        broken("what the client sent isn't JSON in a frame", actual: JSONText { $0.string(text) })
    }

    package mutating func receiveAnswer(_ answer: JSONText) -> [PlayAction] {
        switch (DriverAnswer(answer), state) {
        case (.lacking("select"), .telling):
            (canSelect, selected, sought) = (false, nil, nil)
            return look()
        case (.lacking(let thing), _): return end(.lacking(thing))
        case (.failed(let reason), _): return broken("the driver couldn't do that: \(reason)")
        case (.views(let views), .looking): return judge(views)
        case (_, .looking): return broken("the driver's answer to \"look\" has no \"views\"", actual: answer)
        case (_, .telling) where !isOpen:
            state = .opening
            return []
        case (_, .telling): return look()
        default: return []
        }
    }

    package mutating func lookAgain() -> [PlayAction] {
        guard case .pausing = state else { return [] }
        return look()
    }

    package mutating func giveUp(_ reason: String) -> [PlayAction] {
        switch state {
        case .ended: return []
        case .opening: return broken("the client doesn't open; \(reason)")
        case .comingBack: return broken("the client doesn't come back; \(reason)")
        case .looking, .telling: return broken("the driver didn't answer; \(reason)")
        case .pausing:
            let selection = sought.map { ", with the selected row \($0) where that is in the window" } ?? ""
            return broken(
                "what is shown isn't the list in the end\(selection); \(reason)", actual: lastLook)
        }
    }

    // Words

    private mutating func note(_ text: String) {
        log.append(text)
    }

    private func answer(_ request: Request, _ result: JSONText) -> PlayAction {
        answer(request.id, request.connection, result)
    }

    private func answer(_ id: JSONText, _ connection: Int, _ result: JSONText) -> PlayAction {
        .send(id.withValue { Housekeeping.response($0, result) }, connection: connection)
    }

    private func fail(_ request: Request, _ error: RPCError) -> PlayAction {
        let id = request.id.withValue { RequestID($0) }
        return .send(JSONText { MessageEncoder.response(id, into: &$0, error: error) }, connection: request.connection)
    }

    private mutating func end(_ outcome: PlayOutcome) -> [PlayAction] {
        state = .ended
        return [.end(outcome)]
    }

    mutating func broken(_ reason: String, actual: JSONText? = nil) -> [PlayAction] {
        let first = max(0, log.count - 12)
        let around = log[first...].enumerated().map { PlayerFailure.Line(number: first + $0 + 1, text: $1) }
        return end(
            .broken(
                PlayerFailure(
                    path: name, line: log.count, reason: reason, actual: actual?.description, around: around)))
    }
}
