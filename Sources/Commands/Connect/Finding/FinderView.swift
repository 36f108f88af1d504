import JSON
import JSONRPC
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
        // At once, since tasks that start later may start in another order.
        Task.immediate { [self] in
            var problem: String?
            do {
                try await send(event)
            } catch {
                problem = Self.words(error)
            }
            inputs.post(.resume { [problem] in done(problem) })
        }
    }

    /// Returns when it was handled.
    func send(_ event: some Encodable & Sendable) async throws {
        let bytes = try EventEncoder().encode(event)
        try await view.send(JSONText { $0.raw(bytes) })
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
            for await _ in list.changes { inputs.post(.resume { didChange() }) }
        }
    }
}
