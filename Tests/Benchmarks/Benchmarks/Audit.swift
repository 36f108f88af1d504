import Benchmarking

/// Whether everything that was asked for came: what is fast and wrong isn't fast.
enum Audit {
    /// Each request was answered, and told the one event that it makes.
    static func check(_ connection: Connection) throws {
        try check(connection, answers: connection.sent, notifications: connection.sent)
    }

    static func check(_ connection: Connection, answers: Int, notifications: Int) throws {
        let counter = connection.counter
        guard counter.answers == answers, counter.notifications == notifications, counter.isBetweenMessages else {
            throw Dialogue.Broken(
                "\(answers) answers and \(notifications) notifications were due, and there came \(counter.answers) and "
                    + "\(counter.notifications)\(counter.isBetweenMessages ? "" : " and a part of another")")
        }
    }

    /// The session has told so many events since it was opened, the first of them on its start: asks it for one more.
    static func check(
        _ subject: Subject, _ dialogue: inout Dialogue, session: Int = 1, event: String = Counter.increment, events: Int
    ) throws {
        let (number, due) = (try dialogue.event(session: session, event), events + 2)
        guard subject.side == .limit || number == due else {
            throw Dialogue.Broken("event \(due) of a session has the number \(number.map(String.init) ?? "none")")
        }
        try dialogue.end()
    }
}
