package import JSON
import JSONRPC
import ViewModelProtocol

/// A view on a session of a server, for any thread. It keeps its client.
///
/// When the last reference is released, the view is detached: only `close()` ends a session.
package final class ClientView: Sendable {
    package let viewModel: String
    /// With it, any client may attach to the session.
    package let key: String
    package let client: Client
    private let id: Int

    init(_ opened: ClientViews.Opened, of client: Client) {
        (id, key, viewModel) = opened
        self.client = client
    }

    deinit {
        client.leave(id)
    }

    /// Sends a View's event. Returns when it was handled, and all that its handler sent has been received. The view
    /// model takes it once, however often the connection is lost. Where that was lost while the handler ran, an error
    /// of the handler isn't known.
    ///
    /// - Parameters:
    ///   - progress: called on the client's loop with the values of `$/progress`, where the handler reports any: also after
    ///     the return, where work of the handler goes on. An end follows each beginning.
    ///   - note: called on the client's loop with each stage that the event comes to.
    /// - Returns: the number of the session's newest event then.
    @discardableResult
    package func send(
        _ event: JSONText, progress: (@Sendable (JSONText) -> Void)? = nil,
        note: @escaping @Sendable (ViewEventStage) -> Void = { _ in }
    ) async throws -> Int {
        try await client.perform { [id] core, ticket, reply in
            core.views.send(PendingEvent(event, ticket: ticket, progress: progress, note: note, reply: reply), of: id)
        }
    }

    /// Sends a View's event behind those of earlier calls. Doesn't wait.
    ///
    /// - Parameters:
    ///   - note: as in the other function.
    ///   - reply: called once, on the client's loop, with what the other function returns or throws.
    package func send(
        _ event: JSONText, note: @escaping @Sendable (ViewEventStage) -> Void = { _ in },
        reply: @escaping @Sendable (Result<Int, any Error>) -> Void
    ) {
        client.perform(
            { [id] core, ticket, reply in
                core.views.send(PendingEvent(event, ticket: ticket, progress: nil, note: note, reply: reply), of: id)
            }, reply: reply)
    }

    /// Tells the view model that the user has left this View. It may refuse.
    package func back() async throws {
        try await client.perform { [id] core, ticket, reply in core.views.goBack(id, ticket: ticket, reply: reply) }
    }

    /// Ends the session for every client; nothing more is received. Returns at once when it has ended.
    package func close() async throws {
        try await leave(endsSession: true)
    }

    /// Leaves the session to others; nothing more is received. Returns at once when it has ended.
    package func detach() async throws {
        try await leave(endsSession: false)
    }

    /// Rows of a list as JSON texts, with the list's length and the index of the first.
    ///
    /// - Returns: fewer than asked for where the list ends or the server's limit is reached.
    package func rows(
        of list: String, first: Int, count: Int
    ) async throws -> (count: Int, first: Int, rows: [String]) {
        let result: SessionRows.Result = try await client.perform { [id] core, ticket, reply in
            core.views.rows(of: list, first: first, count: count, for: id, ticket: ticket, reply: reply)
        }
        return (result.count.rawValue, result.first.rawValue, result.rows.map { $0.json.description })
    }

    /// A list of the view model, with its own window on it.
    ///
    /// - Parameters:
    ///   - name: of the view model's property. Where there is no such list, its `failure` says so.
    ///   - row: the type of a row. A row of another form is left out and reported.
    package func list<Row: Decodable & Sendable>(_ name: String, of row: Row.Type) -> RemoteList<Row> {
        RemoteList(name, of: self)
    }

    /// The rows of a list in a range, as far as it has any, all as they are when this returns.
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
