import JSON
import JSONRPC
import ViewModelProtocol
import ViewModels

/// A list of a view, whatever its rows are. Confined to the client's loop.
protocol AnyListRecord: AnyObject {
    var name: String { get }

    func start()
    func show(_ range: Range<Int>)
    func take(_ event: JSONValue, seq: Int)
    /// - Parameter event: of a snapshot, which is nil where that has none of this list.
    func begin(_ event: JSONText?, seq: Int)
    func didLoseConnection()
    func didAttach()
    /// Asks again for what was refused, since the server's store couldn't be used.
    func tryAgain()
    /// The caller with this ticket, where it is this list's, has given up. Nothing of it is on its way.
    func cancel(_ ticket: Int)
    func end(_ error: any Error)
}

/// A list of a view: it does what the rules of `ListLife` say. Confined to the client's loop.
final class ListRecord<Row: Decodable & Sendable>: AnyListRecord {
    let name: String
    private var life: ListLife<Row>
    private let tell: (RemoteListChange<Row>) -> Void
    private let didEnd: (any Error) -> Void
    private unowned let view: ViewRecord
    private unowned let core: ClientCore
    /// The ticket of the caller who waits; nil where nobody does.
    private let callersTicket: Int?
    /// The ticket of the request on its way, by which it is cancelled.
    private var ticket = 0
    private var waitsForStore = false

    /// A window on a list.
    init(_ name: String, of view: ViewRecord, _ core: ClientCore, _ board: ListBoard<Row>) {
        self.name = name
        self.view = view
        self.core = core
        callersTicket = nil
        life = ListLife(isKnown: view.seq == 0, isAttached: view.number != nil)
        tell = { board.tell($0) }
        didEnd = { _ in board.end() }
    }

    /// The rows of a range, for a caller.
    ///
    /// - Parameters:
    ///   - tell: called with each change, until the record is taken off.
    ///   - didEnd: called when the view has ended, or the caller has given up.
    init(
        _ name: String, _ range: Range<Int>, of view: ViewRecord, _ core: ClientCore, ticket: Int,
        tell: @escaping (RemoteListChange<Row>) -> Void, didEnd: @escaping (any Error) -> Void
    ) {
        self.name = name
        self.view = view
        self.core = core
        callersTicket = ticket
        life = ListLife(only: range, isAttached: view.number != nil)
        self.tell = tell
        self.didEnd = didEnd
    }

    func start() { perform(life.start()) }

    func show(_ range: Range<Int>) { perform(life.show(range)) }

    func take(_ event: JSONValue, seq: Int) {
        guard let event = self.event(event) else { return }
        perform(life.take(event, seq: seq))
    }

    func begin(_ event: JSONText?, seq: Int) {
        perform(life.begin(event.flatMap { $0.withValue { self.event($0) } }, seq: seq))
    }

    func didLoseConnection() { life.didLoseConnection() }

    func didAttach() { perform(life.didAttach()) }

    func tryAgain() {
        guard waitsForStore else { return }
        waitsForStore = false
        life.didLoseConnection()
        if view.number != nil { perform(life.didAttach()) }
    }

    func cancel(_ ticket: Int) {
        if ticket == callersTicket { didEnd(CancellationError()) }
    }

    func end(_ error: any Error) { didEnd(error) }
}

extension ListRecord {
    private func perform(_ actions: [ListLife<Row>.Action]) {
        for action in actions {
            switch action {
            case .ask(let range, let number): ask(range, number)
            case .giveUp: core.cancel(ticket)
            case .tell(let change): tell(change)
            }
        }
    }

    private func ask(_ range: Range<Int>, _ number: Int) {
        guard let session = view.number else { return }
        let params = SessionRows.Params(
            session: ViewNumber(session), list: name, first: Count(range.lowerBound), count: Count(range.count))
        ticket = callersTicket ?? core.views.nextListTicket()
        core.ask(
            ClientRequest(SessionRows.self, params, ticket: ticket, loss: .isForgotten) { [weak self] in
                self?.didAnswer(number, $0)
            })
    }

    private func didAnswer(_ number: Int, _ result: Result<SessionRows.Result, any Error>) {
        switch result {
        case .success(let result):
            let rows = result.rows.map { $0.json.withValue { row($0) } }
            let answer = ListLife<Row>.Answer(
                seq: result.seq.rawValue, count: result.count.rawValue, first: result.first.rawValue, rows: rows)
            perform(life.didAnswer(number, answer, newest: view.seq))
        case .failure(let error as RemoteError):
            if error.isRefusal(.storeUnavailable) {
                waitsForStore = true
                return core.didRefuse(error)
            }
            // The view ends, or is attached again.
            if error.isRefusal(.unknownSession) { return }
            perform(life.didFail(number, error))
        case .failure(let error):
            // It was given up, and the connection lost before the server said so.
            if callersTicket != nil { didEnd(error) }
        }
    }

    /// Nil for an event that isn't a list's.
    private func event(_ value: JSONValue) -> ListLife<Row>.Event? {
        guard let count = value.member("count")?.integer(as: Int.self), count >= 0 else { return nil }
        var event = ListLife<Row>.Event(count: count)
        event.edits = value.member("changes").flatMap(edits)
        if let first = value.member("first")?.integer(as: Int.self), let rows = value.member("rows") {
            event.first = first
            rows.forEachElement { event.rows.append(row($0)) }
        }
        return event
    }

    /// Nil where they aren't what they should be, which says as much as none.
    private func edits(_ changes: JSONValue) -> [RowsEdit]? {
        guard changes.kind == .array else { return nil }
        var (edits, areWhole) = ([RowsEdit](), true)
        changes.forEachElement { change in
            if change.kind == .object, let at = change.member("at")?.integer(as: Int.self),
                let removed = change.member("removed")?.integer(as: Int.self),
                let inserted = change.member("inserted")?.integer(as: Int.self)
            {
                edits.append(RowsEdit(at: at, removed: removed, inserted: inserted))
            } else {
                areWhole = false
            }
        }
        return areWhole ? edits : nil
    }

    /// Nil, and reported, where it isn't a `Row`.
    private func row(_ value: JSONValue) -> Row? {
        do throws(JSONCodingError) {
            return try ValueDecoder().decode(Row.self, from: value)
        } catch {
            core.options.receive(.ignored("\(name): a row was left out: \(error)"))
            return nil
        }
    }
}
