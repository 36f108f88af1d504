package import JSON
import JSONRPC
import ViewModelProtocol

/// A view on a session of a server, for any thread. It retains its client.
///
/// When the last reference is released, the view is detached: only `close()` ends a session.
package final class ClientView: Sendable {
    package let viewModel: String
    /// The session's key, with which any client may attach to the session.
    package let key: String
    /// Whether the key only lets the client look.
    package let looksOnly: Bool
    package let client: Client
    private let id: Int

    init(_ opened: ClientViews.Opened, of client: Client) {
        (id, key, viewModel, looksOnly) = opened
        self.client = client
    }

    deinit {
        client.leave(id)
    }

    /// Sends a View's event. Returns when the event was handled and everything that its handler sent was received. The view
    /// model handles the event once, however often the connection is lost. If the connection was lost while the handler ran, an
    /// error of the handler isn't known.
    ///
    /// - Parameters:
    ///   - progress: called on the client's loop with the values of `$/progress` that the handler reports, even after the
    ///   return, if work of the handler goes on. Each `begin` is followed by an `end`.
    ///   - note: called on the client's loop with each stage that the event reaches.
    /// - Returns: the number of the session's newest event at that time.
    @discardableResult
    package func send(
        _ event: JSONText, progress: (@Sendable (JSONText) -> Void)? = nil,
        note: @escaping @Sendable (ViewEventStage) -> Void = { _ in }
    ) async throws -> Int {
        try await client.perform { [id] core, ticket, reply in
            core.views.send(PendingEvent(event, ticket: ticket, progress: progress, note: note, reply: reply), of: id)
        }
    }

    /// Sends a View's event after those of earlier calls, without waiting for an answer.
    ///
    /// - Parameters:
    ///   - note: called on the client's loop with each stage that the event reaches.
    ///   - reply: called once, on the client's loop, with the number of the session's newest event, or the error.
    package func send(
        _ event: JSONText, note: @escaping @Sendable (ViewEventStage) -> Void = { _ in },
        reply: @escaping @Sendable (Result<Int, any Error>) -> Void
    ) {
        client.perform(
            { [id] core, ticket, reply in
                core.views.send(PendingEvent(event, ticket: ticket, progress: nil, note: note, reply: reply), of: id)
            }, reply: reply)
    }

    /// Tells the view model that the user has left this View. Throws if the view model refuses.
    package func back() async throws {
        try await client.perform { [id] core, ticket, reply in core.views.goBack(id, ticket: ticket, reply: reply) }
    }

    /// Returns the key with which others can look at the session, and do nothing else.
    package func readKey() async throws -> String {
        try await client.perform { [id] core, ticket, reply in core.views.readKey(of: id, ticket: ticket, reply: reply)
        }
    }

    /// Ends the session for every client; nothing more is received. If the session has already ended, returns at once.
    package func close() async throws {
        try await leave(endsSession: true)
    }

    /// Leaves the session to other clients; nothing more is received. If the session has already ended, returns at once.
    package func detach() async throws {
        try await leave(endsSession: false)
    }

    /// Returns rows of a list as JSON texts, with the list's length and the index of the first row.
    ///
    /// - Returns: fewer rows than asked for if the list ends there or the server's limit is reached.
    package func rows(
        of list: String, first: Int, count: Int
    ) async throws -> (count: Int, first: Int, rows: [String]) {
        let result: SessionRows.Result = try await client.perform { [id] core, ticket, reply in
            core.views.rows(of: list, first: first, count: count, for: id, ticket: ticket, reply: reply)
        }
        return (result.count.rawValue, result.first.rawValue, result.rows.map { $0.json.description })
    }

    /// Returns a list of the view model, with a window of its own.
    ///
    /// - Parameters:
    ///   - name: the name of the view model's property. If there is no such list, the result's `failure` says so.
    ///   - row: the type of a row. A row of another form is nil, and reported.
    package func list<Row: Decodable & Sendable>(_ name: String, of row: Row.Type) -> RemoteList<Row> {
        RemoteList(name, of: self)
    }

    /// Returns those rows of a range that the list has, all of one moment. A row of another form is nil.
    package func rows<Row: Decodable & Sendable>(
        of list: String, in range: Range<Int>, as row: Row.Type
    ) async throws -> [Row?] {
        let range = range.clamped(to: 0..<Int.max)
        guard !range.isEmpty else { return [] }
        return try await client.perform { [id] core, ticket, reply in
            guard let view = core.views.records[id], view.leaving == nil else {
                return reply(.failure(core.end ?? .closed))
            }
            view.lists.read(list, range, of: view, core, ticket: ticket, reply: reply)
        }
    }

    func withRecord(_ body: @escaping @Sendable (ViewRecord?, ClientCore) -> Void) {
        client.withRecord(id, body)
    }

    private func leave(endsSession: Bool) async throws {
        try await client.perform { [id] core, _, reply in
            core.views.leave(id, endsSession: endsSession, reply: reply)
        }
    }
}
