import JSON
import JSONRPC
import ViewModelProtocol
import ViewModels

/// A list of a view, with rows of any type. Confined to the client's loop.
protocol AnyListRecord: AnyObject {
    var name: String { get }

    func start()
    func show(_ range: Range<Int>)
    func take(_ event: JSONValue, seq: Int)
    /// Takes the list's part of a snapshot.
    ///
    /// - Parameter event: the list's event in the snapshot; nil if there is none.
    func begin(_ event: JSONText?, seq: Int)
    func didLoseConnection()
    func didAttach()
    /// Asks again for what was refused, since the server's store couldn't be used.
    func tryAgain()
    /// Ends the wait of the caller with this ticket, if that is this list's, since the caller has given up. Nothing of it is in
    /// flight.
    func cancel(_ ticket: Int)
    func end(_ error: any Error)
}

/// A list of a view with one type of row, which follows the rules of `ListLife`. Confined to the client's loop.
final class ListRecord<Row: Decodable & Sendable>: AnyListRecord {
    let name: String
    private var life: ListLife<Row>
    private let tell: (RemoteListChange<Row>) -> Void
    private let didEnd: (any Error) -> Void
    private unowned let view: ViewRecord
    private unowned let core: ClientCore
    /// The ticket of the caller that waits; nil if none does.
    private let callersTicket: Int?
    /// The ticket of the request in flight, by which it is cancelled.
    private var ticket = 0
    private var waitsForStore = false

    /// Makes the record of a window on a list.
    init(_ name: String, of view: ViewRecord, _ core: ClientCore, _ board: ListBoard<Row>) {
        self.name = name
        self.view = view
        self.core = core
        callersTicket = nil
        life = ListLife(isKnown: view.seq == 0, isAttached: view.number != nil)
        tell = { board.tell($0) }
        didEnd = { _ in board.end() }
    }

    /// Makes the record of a caller that reads a range of rows.
    ///
    /// - Parameters:
    ///   - tell: called with each change, until the record is removed.
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
            // A view whose session is unknown ends, or is attached again, which takes care of its lists.
            if error.isRefusal(.unknownSession) { return }
            perform(life.didFail(number, error))
        case .failure(let error):
            // The caller has given up, and the connection was lost before the server answered.
            if callersTicket != nil { didEnd(error) }
        }
    }

    /// Returns the list's event; nil for a value that isn't one.
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

    /// Returns the edits; nil for invalid ones, which means the same as none: any row may be another one.
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

    /// Returns a row; nil if its JSON isn't a `Row`, which is reported.
    private func row(_ value: JSONValue) -> Row? {
        do throws(JSONCodingError) {
            return try ValueDecoder().decode(Row.self, from: value)
        } catch {
            core.options.receive(.ignored("\(name): a row was left out: \(error)"))
            return nil
        }
    }
}
