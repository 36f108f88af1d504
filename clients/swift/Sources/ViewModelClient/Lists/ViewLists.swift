import JSON

/// The lists of a view that somebody reads, by the numbers that `Client` makes. Confined to the client's loop.
final class ViewLists {
    private var lists: [Int: any AnyListRecord] = [:]

    func add(_ list: any AnyListRecord, as id: Int) {
        lists[id] = list
        list.start()
    }

    /// Adds a list that stays until the rows of a range are fetched.
    ///
    /// - Parameter reply: called once.
    func read<Row: Decodable & Sendable>(
        _ name: String, _ range: Range<Int>, of view: ViewRecord, _ core: ClientCore, ticket: Int,
        reply: @escaping (Result<[Row?], any Error>) -> Void
    ) {
        let finish = { [unowned self] (result: Result<[Row?], any Error>) in
            lists[ticket] = nil
            reply(result)
        }
        let tell = { (change: RemoteListChange<Row>) in
            if let failure = change.failure {
                finish(.failure(failure))
            } else if change.rows.gap(in: range) == nil {
                finish(.success(Array(change.rows[range.clamped(to: 0..<change.rows.count)])))
            }
        }
        let record = ListRecord<Row>(name, range, of: view, core, ticket: ticket, tell: tell) { finish(.failure($0)) }
        add(record, as: ticket)
    }

    func remove(_ id: Int) {
        lists[id] = nil
    }

    func show(_ range: Range<Int>, of id: Int) {
        lists[id]?.show(range)
    }

    /// Passes an event to the lists of its name. Returns false if there is none.
    func take(_ event: JSONValue, seq: Int) -> Bool {
        guard !lists.isEmpty, event.kind == .object, let kind = event.member("kind")?.string() else { return false }
        var isTaken = false
        for list in lists.values where list.name == kind {
            list.take(event, seq: seq)
            isTaken = true
        }
        return isTaken
    }

    /// Passes a snapshot to all lists. Returns the events that belong to none of them.
    func begin(_ snapshot: [JSONText], seq: Int) -> [JSONText] {
        guard !lists.isEmpty else { return snapshot }
        var (events, others) = ([String: JSONText](), [JSONText]())
        let names = Set(lists.values.map(\.name))
        for event in snapshot {
            let kind = event.withValue { $0.kind == .object ? $0.member("kind")?.string() : nil }
            if let kind, names.contains(kind) { events[kind] = event } else { others.append(event) }
        }
        for list in lists.values { list.begin(events[list.name], seq: seq) }
        return others
    }

    func didLoseConnection() {
        for list in lists.values { list.didLoseConnection() }
    }

    func didAttach() {
        for list in lists.values { list.didAttach() }
    }

    func tryAgain() {
        for list in lists.values { list.tryAgain() }
    }

    func cancel(_ ticket: Int) {
        for list in lists.values { list.cancel(ticket) }
    }

    func end(_ error: any Error) {
        let ended = lists
        lists = [:]
        for list in ended.values { list.end(error) }
    }
}
