import Sessions

/// The view events in whose handlers processes have crashed. After two crashes, an event is answered with that and isn't
/// handled again: otherwise a session would crash for ever at an event that its client sends again. A value without side
/// effects.
struct FatalEvents {
    private static let attempts = 2
    /// The most events that are remembered. The newest ones stay.
    private static let maximumCount = 256
    /// The most notes in a stored session, as many as a session in memory keeps.
    private static let maximumNotes = 64

    private var crashes: [(event: CrashedEvent, count: Int, cause: String)] = []

    mutating func note(_ event: CrashedEvent, _ cause: String) {
        let count = crashes.first { $0.event == event }?.count ?? 0
        crashes.removeAll { $0.event == event }
        crashes.append((event, count + 1, "\(VisibleText(cause, maximumBytes: 200))"))
        crashes.removeFirst(max(0, crashes.count - Self.maximumCount))
    }

    /// Notes in a scene that was read from the store that its fatal events weren't handled.
    ///
    /// - Returns: the changes, which must be stored before the scene goes on.
    func settle(_ scene: inout StoredScene) -> [StoredChange] {
        var changes: [StoredChange] = []
        for index in scene.sessions.indices {
            // In the order of their numbers, as one event may be the next only once another is settled.
            for (event, count, cause) in crashes.sorted(by: { $0.event.number < $1.event.number })
            where count >= Self.attempts {
                if let change = Self.settle(event, cause, in: &scene.sessions[index]) { changes.append(change) }
            }
        }
        return changes
    }

    private static func settle(
        _ event: CrashedEvent, _ cause: String, in session: inout StoredSession
    ) -> StoredChange? {
        guard session.header.key == event.session else { return nil }
        let place = session.turn.clients.firstIndex { $0.client == event.client }
        let done = place.map { session.turn.clients[$0].number } ?? 0
        // Earlier events that aren't done ran beside this one. Each process would crash before they are done, so they are
        // given up, too: otherwise the stored number would say that they are done.
        guard event.number > done, event.number - done <= maximumNotes else { return nil }
        let number = ClientNumber(client: event.client, number: event.number)
        var notes = session.turn.notes ?? SessionNotes()
        // One that was cancelled while it waited is known by its own reason.
        let known = Set(notes.unhandled.filter { $0.client == event.client }.map(\.number))
        for other in done + 1..<event.number where !known.contains(other) {
            let reason = "a process of this session ended each time beside this event: \(cause)"
            notes.unhandled.append(UnhandledEvent(ClientNumber(client: event.client, number: other), .failed(reason)))
        }
        let reason = "a process of this session ended each time that it handled this event: \(cause)"
        notes.unhandled.append(UnhandledEvent(number, .failed(reason)))
        notes.unhandled.removeFirst(max(0, notes.unhandled.count - maximumNotes))
        session.turn.notes = notes
        if let place { session.turn.clients[place] = number } else { session.turn.clients.append(number) }
        var turn = StoredTurn(
            session: event.session, newest: session.turn.newest, lost: session.turn.lost,
            hasAllEvents: session.turn.hasAllEvents, isStarted: session.turn.isStarted,
            savedVersion: session.turn.savedVersion)
        turn.clients = [number]
        turn.notes = notes
        return .turn(turn)
    }
}
