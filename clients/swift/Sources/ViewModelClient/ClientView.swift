package import JSON
import JSONRPC

/// A view on a session of a server, for any thread. It keeps its client.
///
/// When the last reference is released, the session that it opened is closed, and one that it attached to goes on.
package final class ClientView: Sendable {
    package let viewModel: String
    /// With it, any client may attach to the session.
    package let key: String
    package let client: Client
    private let id: Int
    private let endsSession: Bool

    init(_ opened: ClientViews.Opened, of client: Client, endsSession: Bool) {
        (id, key, viewModel) = opened
        self.client = client
        self.endsSession = endsSession
    }

    deinit {
        client.leave(id, endsSession: endsSession)
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

    private func leave(endsSession: Bool) async throws {
        try await client.perform { [id] core, _, reply in
            core.views.leave(id, endsSession: endsSession, reply: reply)
        }
    }
}
