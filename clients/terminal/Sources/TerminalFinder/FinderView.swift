import JSON
import JSONRPC
import TerminalClient
import ViewModelClient
import ViewModelProtocol

/// A view of a finder or of its preview, which sends view events and decodes events.
@MainActor struct FinderView {
    let view: ClientView
    let inputs: ConsoleInputs

    /// Sends an event after those that were sent before, without waiting.
    ///
    /// - Parameter done: called with the error for a person; with nil if there is none, or if a newer event has replaced this
    ///   one.
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

    /// Sends an event, and returns when it was handled.
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
        // The end of the session is reported separately.
        case RemoteError.sessionEnded, RemoteError.closed: nil
        default: ConsoleText.words(error)
        }
    }

    /// Decodes an event; nil if this client doesn't know its kind.
    static func event<Event: Decodable>(_ type: Event.Type, in text: JSONText) -> Event? {
        text.withValue { try? EventDecoder().decode(type, from: $0) }
    }

    /// Calls `didChange` on the main actor whenever rows of a list have changed, until the task is cancelled.
    func follow<Row>(
        _ list: RemoteList<Row>, didChange: @escaping @MainActor @Sendable () -> Void
    ) -> Task<Void, Never> {
        Task { [inputs] in
            for await _ in list.changes { inputs.post { didChange() } }
        }
    }
}
