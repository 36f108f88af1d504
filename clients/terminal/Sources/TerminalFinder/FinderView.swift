import JSON
import JSONRPC
import TerminalClient
import ViewModelClient
import ViewModelProtocol

/// A view of a finder, or of its preview: sends events, and decodes those that come.
@MainActor struct FinderView {
    let view: ClientView
    let inputs: ConsoleInputs

    /// Sends an event behind those that were sent before. Doesn't wait.
    ///
    /// - Parameter done: called with the error for a person; with nil where there is none, or where a newer event took
    ///   this one's place.
    func send(_ event: some Encodable & Sendable, done: @escaping @MainActor @Sendable (String?) -> Void) {
        let take = { @Sendable [inputs] (result: Result<Int, any Error>) in
            inputs.post { if case .failure(let error) = result { done(Self.words(error)) } else { done(nil) } }
        }
        do {
            view.send(try Self.text(of: event), reply: take)
        } catch {
            take(.failure(error))
        }
    }

    /// Returns when it was handled.
    func send(_ event: some Encodable & Sendable) async throws {
        try await view.send(Self.text(of: event))
    }

    private static func text(of event: some Encodable) throws -> JSONText {
        let bytes = try EventEncoder().encode(event)
        return JSONText { $0.raw(bytes) }
    }

    private static func words(_ error: any Error) -> String? {
        switch error {
        case is CancellationError: nil
        case RemoteError.refused(let refusal) where refusal.code == ErrorCode.requestCancelled.rawValue: nil
        // The session says so itself.
        case RemoteError.sessionEnded, RemoteError.closed: nil
        default: ConsoleText.words(error)
        }
    }

    /// Nil for an event that this client doesn't know.
    static func event<Event: Decodable>(_ type: Event.Type, in text: JSONText) -> Event? {
        text.withValue { try? EventDecoder().decode(type, from: $0) }
    }

    /// Calls `didChange` on the main actor when rows of a list have changed, until the task is cancelled.
    func follow<Row>(
        _ list: RemoteList<Row>, didChange: @escaping @MainActor @Sendable () -> Void
    ) -> Task<Void, Never> {
        Task { [inputs] in
            for await _ in list.changes { inputs.post { didChange() } }
        }
    }
}
