import Sessions

/// The view events in whose handlers processes have ended. An event that has ended two is answered with that, and isn't handled a
/// third time: else a session whose view model traps at an event that its client sends again could never go on. A pure rule.
struct FatalEvents {
    private static let attempts = 2
    /// The newest are known.
    private static let maximumCount = 256
    /// As many as a session keeps.
    private static let maximumNotes = 64

    private var crashes: [(event: CrashedEvent, count: Int, cause: String)] = []

    mutating func note(_ event: CrashedEvent, _ cause: String) {
        let count = crashes.first { $0.event == event }?.count ?? 0
        crashes.removeAll { $0.event == event }
        crashes.append((event, count + 1, "\(VisibleText(cause, maximumBytes: 200))"))
        crashes.removeFirst(max(0, crashes.count - Self.maximumCount))
    }

    /// Notes in a scene that was read that such events weren't handled.
    ///
    /// - Returns: the changes, which are to be stored before the scene goes on.
    func settle(_ scene: inout StoredScene) -> [StoredChange] {
        var changes: [StoredChange] = []
        for index in scene.sessions.indices {
            // In the order of their numbers: one may be the next only when another is settled.
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
        // Those before it that aren't done were at work beside it. Each process ends before they are done, so they are given up,
        // too: else the number would say that they are.
        guard event.number > done, event.number - done <= maximumNotes else { return nil }
        let number = ClientNumber(client: event.client, number: event.number)
        var notes = session.turn.notes ?? SessionNotes()
        for other in done + 1..<event.number {
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
