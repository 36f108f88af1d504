import JSON

/// The lists of a view that somebody looks at, by the numbers that `Client` gives out. Confined to the client's loop.
final class ViewLists {
    private var lists: [Int: any AnyListRecord] = [:]

    func add(_ list: any AnyListRecord, as id: Int) {
        lists[id] = list
        list.start()
    }

    /// Adds one that is there until the rows of a range are.
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

    /// Returns false for an event that is of none of them.
    func take(_ event: JSONValue, seq: Int) -> Bool {
        guard !lists.isEmpty, event.kind == .object, let kind = event.member("kind")?.string() else { return false }
        var isTaken = false
        for list in lists.values where list.name == kind {
            list.take(event, seq: seq)
            isTaken = true
        }
        return isTaken
    }

    /// Returns the events of a snapshot that are of none of them.
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
