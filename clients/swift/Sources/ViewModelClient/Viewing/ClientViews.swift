import JSON
import JSONRPC
import ViewModelProtocol

/// The views of a client: how they are opened, attached again after a lost connection, and ended. Confined to the client's
/// loop.
// Over 400 lines because what views are told and what they send, in ClientViews+Events, is of the same records.
final class ClientViews {
    /// A view as its caller knows it.
    typealias Opened = (id: Int, key: String, viewModel: String, looksOnly: Bool)

    unowned let core: ClientCore
    private var lastID = 0
    private var lastListTicket = 0
    /// The beginning of the names that this client gives to all views that it attaches.
    private let name = ClientViews.randomText()
    /// The names of views, and names under which events may still be in flight.
    private var names: Set<String> = []
    var records: [Int: ViewRecord] = [:]
    /// The attached views, by the numbers of their sessions on this connection.
    var attached: [Int: ViewRecord] = [:]
    /// The progress of events, by the tickets of the events, until it ends.
    var progress: [Int: ReportedProgress] = [:]

    init(of core: ClientCore) {
        self.core = core
    }

    /// Opens a session with a view.
    func open(
        _ viewModel: String, arguments: JSONText?, ticket: Int, receive: @escaping @Sendable (ViewNews) -> Void,
        reply: @escaping (Result<Opened, any Error>) -> Void
    ) {
        let client = takeName()
        // If it isn't known whether the session was made, the same request is sent again.
        let params = SessionOpen.Params(
            viewModel: viewModel, arguments: arguments, client: client, once: OnceText(rawValue: Self.randomText()),
            views: asks)
        let request = ClientRequest(SessionOpen.self, params, ticket: ticket, loss: .isSentAgain) { [self] result in
            switch result {
            case .failure(let error):
                names.remove(client)
                reply(.failure(error))
            case .success(let answer):
                let key = answer.key.rawValue
                let record = add(key, client: client, answer.session, seq: 0, receive)
                record.epoch = answer.epoch?.rawValue
                begin(record, key, answer.viewModel, Beginning(answer), reply)
            }
        }
        core.ask(request)
    }

    /// Attaches a view to a session.
    ///
    /// - Parameter since: the number of the last known event; nil to get a snapshot.
    func attach(
        key: String, since: Int?, ticket: Int, receive: @escaping @Sendable (ViewNews) -> Void,
        reply: @escaping (Result<Opened, any Error>) -> Void
    ) {
        let client = takeName()
        let params = SessionAttach.Params(
            key: key, since: since.map { SequenceNumber($0) }, client: client, views: asks)
        let request = ClientRequest(SessionAttach.self, params, ticket: ticket, loss: .isSentAgain) { [self] result in
            switch result {
            case .failure(let error):
                names.remove(client)
                reply(.failure(error))
            case .success(let answer):
                let record = add(key, client: client, answer.session, seq: since ?? answer.seq.rawValue, receive)
                record.epoch = answer.epoch?.rawValue
                begin(record, key, answer.viewModel, Beginning(answer), reply)
            }
        }
        core.ask(request)
    }

    /// The member `views` of a request for a view.
    private var asks: Bool? { core.options.asksWhoIsHere ? true : nil }

    private func begin(
        _ record: ViewRecord, _ key: String, _ viewModel: String, _ beginning: Beginning,
        _ reply: (Result<Opened, any Error>) -> Void
    ) {
        record.events.renumber(after: beginning.handled)
        reply(.success((record.id, key, viewModel, beginning.looksOnly)))
        deliver(beginning, to: record)
    }

    private func add(
        _ key: String, client: String, _ number: ViewNumber, seq: Int, _ receive: @escaping @Sendable (ViewNews) -> Void
    ) -> ViewRecord {
        lastID += 1
        let record = ViewRecord(
            id: lastID, key: key, client: client, number: number.rawValue, seq: seq, receive: receive)
        records[record.id] = record
        attached[number.rawValue] = record
        return record
    }

    private func deliver(_ beginning: Beginning, to record: ViewRecord) {
        guard let snapshot = beginning.snapshot else { return }
        record.seq = beginning.seq
        let shown = RemoteNavigation(shown: beginning.navigation)
        let events = record.lists.begin(snapshot.map(\.json), seq: record.seq)
        record.receive(.snapshot(events, seq: record.seq, shown: shown))
    }

    /// Returns a ticket for a request of a list. It is negative, unlike the tickets of callers.
    func nextListTicket() -> Int {
        lastListTicket &-= 1
        return lastListTicket
    }

    /// Returns a name that no view of this client has. Names of views that are gone are used again, since a session remembers
    /// each name.
    private func takeName() -> String {
        var number = 1
        while !names.insert("\(name)-\(number)").inserted { number += 1 }
        return "\(name)-\(number)"
    }

    /// Returns 128 random bits as 26 characters, so that nobody else makes the same text.
    private static func randomText() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(generator.next() as UInt64, radix: 36)
            return String(repeating: "0", count: 13 - digits.count) + digits
        }.joined()
    }
}

/// What an answer gives a view to begin with.
private struct Beginning {
    /// Events that make up the state at `seq`; nil if the events themselves follow.
    let snapshot: [EventObject]?
    let seq: Int
    /// The highest number of an event that was taken from this client.
    let handled: Int
    let navigation: SessionAttach.NavigationState?
    let looksOnly: Bool

    init(_ answer: SessionAttach.Result) {
        looksOnly = answer.access == .read
        snapshot = answer.snapshot
        seq = answer.seq.rawValue
        handled = answer.handled?.rawValue ?? 0
        navigation = answer.navigation
    }

    /// - Parameter answer: has a snapshot if the session was there before and has events.
    init(_ answer: SessionOpen.Result) {
        looksOnly = false
        snapshot = answer.snapshot
        seq = answer.seq?.rawValue ?? 0
        handled = answer.handled?.rawValue ?? 0
        navigation = answer.navigation
    }
}

// Lost and new connections.
extension ClientViews {
    func didLoseConnection() {
        attached = [:]
        for record in records.values {
            record.wasReplaced = false
            detach(record)
        }
    }

    func detach(_ record: ViewRecord) {
        endOngoingProgress(of: record)
        record.number = nil
        record.events.didLoseConnection()
        record.lists.didLoseConnection()
    }

    /// Attaches all views again, on a new connection.
    func attachAgain() {
        for record in inOrder { attachAgain(record) }
    }

    /// Tries again what was refused because the server's store couldn't be used.
    func tryAgain() {
        for record in inOrder {
            record.events.goOn()
            record.lists.tryAgain()
            if record.waitsForStore { attachAgain(record) } else { sendEvents(of: record) }
        }
    }

    private var inOrder: [ViewRecord] { records.values.sorted { $0.id < $1.id } }

    func attachAgain(_ record: ViewRecord) {
        record.waitsForStore = false
        let params = SessionAttach.Params(
            key: record.key, since: SequenceNumber(record.seq), epoch: record.epoch, client: record.client, views: asks)
        core.send(
            ClientRequest(SessionAttach.self, params, loss: .isForgotten) { [self] in didAttachAgain(record, $0) })
    }

    private func didAttachAgain(_ record: ViewRecord, _ result: Result<SessionAttach.Result, any Error>) {
        guard records[record.id] != nil else { return }
        switch result {
        case .failure(let error):
            let error = error as? RemoteError ?? .connectionLost("\(error)")
            if error.isRefusal(.storeUnavailable) {
                record.waitsForStore = true
                return core.didRefuse(error)
            }
            if error.isRefusal(.unknownSession) { return end(record, .sessionEnded(.forgotten)) }
            if error.isRefusal(.replayUnavailable) {
                return end(record, .sessionEnded(record.hasOverflowed ? .overflow : .eventsLost))
            }
            end(record, error)
        case .success(let answer):
            record.number = answer.session.rawValue
            record.epoch = answer.epoch?.rawValue
            record.hasOverflowed = false
            attached[answer.session.rawValue] = record
            if answer.handled == nil {
                // Nobody knows which of these events were handled, so none is sent again.
                for event in record.events.takeSent() { complete(event, .failure(RemoteError.unknownOutcome)) }
            }
            let beginning = Beginning(answer)
            record.events.renumber(after: beginning.handled)
            deliver(beginning, to: record)
            if let leaving = record.leaving { return leave(record, leaving) }
            sendEvents(of: record)
            record.lists.didAttach()
        }
    }
}

// Views that leave.
extension ClientViews {
    /// Takes a view off, now or once it is attached again. The view receives nothing more.
    func leave(_ id: Int, endsSession: Bool, reply: @escaping (Result<Void, any Error>) -> Void) {
        guard let record = records[id], record.leaving == nil, core.end == nil else { return reply(.success(())) }
        let leaving = ViewRecord.Leaving(endsSession: endsSession, reply: reply)
        record.leaving = leaving
        if record.number != nil { leave(record, leaving) }
    }

    private func leave(_ record: ViewRecord, _ leaving: ViewRecord.Leaving) {
        guard let number = record.number else { return }
        let didLeave = { [self] (_: Result<Null, any Error>) in
            // A view that was detached meanwhile is taken off once it is attached again.
            if records[record.id] != nil, record.number == number { end(record, .closed) }
        }
        let session = ViewNumber(number)
        core.send(
            leaving.endsSession
                ? ClientRequest(SessionClose.self, .init(session: session), loss: .isForgotten, reply: didLeave)
                : ClientRequest(SessionDetach.self, .init(session: session), loss: .isForgotten, reply: didLeave))
    }

    private static let unconnected = RemoteError.connectionLost(
        "there is no connection now; try again once there is one")

    /// Tells the server that the user has left the view. Fails if it isn't known whether that was done.
    func goBack(_ id: Int, ticket: Int, reply: @escaping (Result<Void, any Error>) -> Void) {
        guard let record = records[id], record.leaving == nil else { return reply(.failure(core.end ?? .closed)) }
        guard let number = record.number else { return reply(.failure(Self.unconnected)) }
        let params = NavigationBack.Params(session: ViewNumber(number))
        core.ask(
            ClientRequest(NavigationBack.self, params, ticket: ticket, loss: .fails) {
                (result: Result<Null, any Error>) in
                reply(result.map { _ in })
            })
    }

    /// Asks for the key with which others can look at a view's session.
    func readKey(of id: Int, ticket: Int, reply: @escaping (Result<String, any Error>) -> Void) {
        guard let record = records[id], record.leaving == nil else { return reply(.failure(core.end ?? .closed)) }
        guard let number = record.number else { return reply(.failure(Self.unconnected)) }
        let params = SessionKeyMethod.Params(session: ViewNumber(number), access: .read)
        core.ask(
            ClientRequest(SessionKeyMethod.self, params, ticket: ticket, loss: .fails) {
                (result: Result<SessionKeyMethod.Result, any Error>) in reply(result.map(\.key.rawValue))
            })
    }

    /// Asks for rows of a list, once: the request fails if the connection is lost.
    func rows(
        of list: String, first: Int, count: Int, for id: Int, ticket: Int,
        reply: @escaping (Result<SessionRows.Result, any Error>) -> Void
    ) {
        guard let record = records[id], record.leaving == nil else { return reply(.failure(core.end ?? .closed)) }
        guard let number = record.number else { return reply(.failure(Self.unconnected)) }
        let params = SessionRows.Params(
            session: ViewNumber(number), list: list, first: Count(first), count: Count(count))
        core.ask(ClientRequest(SessionRows.self, params, ticket: ticket, loss: .fails, reply: reply))
    }

    /// Ends all views with an error.
    func end(_ error: RemoteError) {
        for record in inOrder { end(record, error) }
        progress = [:]
    }

    func end(_ record: ViewRecord, _ error: RemoteError) {
        guard records.removeValue(forKey: record.id) != nil else { return }
        if let number = record.number { attached[number] = nil }
        endOngoingProgress(of: record)
        // Lists and the receiver end before the senders of events get the error, so that the receiver can tell which events are
        // left.
        record.lists.end(error)
        if record.leaving == nil { record.receive(.ended(error)) }
        let events = record.events.takeAll()
        // If events are left, the session may still take their numbers. Under the same name, it wouldn't handle another view's
        // events with these numbers.
        if events.isEmpty { names.remove(record.client) }
        for event in events { complete(event, .failure(error)) }
        record.leaving?.reply(.success(()))
    }
}
