package import JSON
import JSONRPC

/// A view on a session of a server, from any thread. It keeps its client.
///
/// When it is let go, the session that it opened is closed, and one that it attached to goes on for others.
package final class ClientView: Sendable {
    package let viewModel: String
    /// Whoever has it may attach.
    package let key: String
    package let client: Client
    private let id: Int
    private let endsSession: Bool

    init(_ opened: ClientCore.Opened, of client: Client, endsSession: Bool) {
        (id, key, viewModel) = opened
        self.client = client
        self.endsSession = endsSession
    }

    deinit {
        client.leave(id, endsSession: endsSession)
    }

    /// Sends a View's event; returns when it was handled, and all that its handler sent has been told. The view model takes
    /// it once, however often the connection is lost. Where that was lost while the handler ran, it isn't known whether it
    /// threw.
    ///
    /// - Parameter progress: called on the client's loop with the values of `$/progress`, where the handler reports any.
    /// - Returns: the number of the session's newest event then.
    @discardableResult
    package func send(_ event: JSONText, progress: (@Sendable (JSONText) -> Void)? = nil) async throws -> Int {
        try await client.perform { [id] core, ticket, reply in
            core.progress[ticket] = progress
            core.send(PendingEvent(event, ticket: ticket, hasProgress: progress != nil, reply: reply), of: id)
        }
    }

    /// The user has left what this view shows. Its view model may refuse.
    package func back() async throws {
        let _: Bool = try await client.perform { [id] core, ticket, reply in
            core.goBack(id, ticket: ticket) { reply($0.map { true }) }
        }
    }

    /// Ends the session for everyone; the view hears nothing more. At once when it has ended.
    package func close() async throws {
        try await leave(endsSession: true)
    }

    /// Leaves the session to others; the view hears nothing more. At once when it has ended.
    package func detach() async throws {
        try await leave(endsSession: false)
    }

    private func leave(endsSession: Bool) async throws {
        let _: Bool = try await client.perform { [id] core, _, reply in
            core.leave(id, endsSession: endsSession) { reply($0.map { true }) }
        }
    }
}
