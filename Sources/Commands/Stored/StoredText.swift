import Serving
import Sessions
import Stores

/// Stored sessions as text for people.
enum StoredText {
    /// Returns the beginning of a key: enough to recognize a session, and too little to attach to it.
    static func short(_ key: String) -> String { key.count > 10 ? "\(key.prefix(8))…" : key }

    static func list(_ sessions: [StoredSummary]) -> String {
        guard !sessions.isEmpty else { return "no sessions" }
        let rows = sessions.map { session in
            [
                (session.isRoot ? "" : "  ") + short(session.key), name(of: session), "\(session.newest)",
                time(session.used), size(session.bytes), session.holder ?? "",
            ]
        }
        let server = sessions.contains { $0.holder != nil } ? "SERVER" : ""
        return table([["KEY", "VIEW MODEL", "EVENTS", "LAST USED", "SIZE", server]] + rows)
    }

    /// Returns the name of a session's view model, with a remark if a part of the session is lost.
    static func name(of session: StoredSummary) -> String {
        let name = session.viewModel.isEmpty ? "unknown" : session.viewModel
        return session.isComplete ? name : "\(name) (a part is lost)"
    }

    /// Returns all that is known about a session, as lines.
    ///
    /// - Parameter hasCode: whether this program has the view model, as a durable one.
    static func text(of session: StoredSession, in scene: StoredScene, hasCode: Bool = true) -> String {
        let (header, turn) = (session.header, session.turn)
        let name = header.viewModel.isEmpty ? "unknown" : header.viewModel
        var lines = ["\(name), key \(short(header.key)), last used \(time(scene.header.used))"]
        lines += [scene.missing, session.missing].compactMap { $0.map { "the store has lost \($0)" } }
        if !hasCode, header.isDurable, !header.viewModel.isEmpty {
            lines.append("can't go on: \(header.viewModel) isn't registered as a durable view model here")
        }
        if header.key != header.scene { lines.append("shown on \(short(header.scene))") }
        if let arguments = header.arguments {
            let version = header.argumentsVersion == 1 ? "" : ", version \(header.argumentsVersion)"
            lines.append("arguments\(version) \(text(arguments))")
        }
        if header.key == header.scene, let finder = scene.header.finder {
            lines.append("\(finder) finds it by opening \(name)")
        }
        lines.append(turn.isStarted ? "state, version \(turn.savedVersion):" : "not started")
        let saved = turn.saved.filter { !$0.text.isEmpty }
        lines += saved.map { "  \($0.name.isEmpty ? "" : "\($0.name) = ")\(text($0.text))" }
        lines += shared(scene.shared)
        for client in turn.clients { lines.append("client \(client.client): event \(client.number) is done") }
        for shared in turn.notes?.shared ?? [] { lines += text(of: shared) }
        lines.append("log, newest \(turn.newest)\(turn.lost > 0 ? ", without those up to \(turn.lost)" : ""):")
        lines += turn.entries.map { "  \($0.number) \(text($0.content))" }
        return lines.joined(separator: "\n")
    }

    /// Returns what a session has to do with a shared one, and what waits for that one.
    private static func text(of shared: SharedNotes) -> [String] {
        let key = shared.key.map { ", key \(short($0))" } ?? ""
        let view = "shows \(shared.viewModel) \(shared.arguments)\(key), up to its event \(shared.seq)"
        guard let first = shared.outbox.first else { return [view] }
        let count = shared.outbox.count == 1 ? "1 event waits" : "\(shared.outbox.count) events wait"
        return [view, "  \(count) to be handled there, first \(first.event)"]
    }

    /// Returns the values that the sessions on one screen share, as lines such as `Basket/ids = [1]`.
    private static func shared(_ values: [SavedValue]) -> [String] {
        let values = values.filter { !$0.text.isEmpty }
        return values.isEmpty ? [] : ["shared objects:"] + values.map(shared)
    }

    /// Returns a shared value as a line. An object's version is stored under the object's name and a slash.
    private static func shared(_ value: SavedValue) -> String {
        value.name.last == "/"
            ? "  \(value.name.dropLast()), version \(text(value.text)):" : "  \(value.name) = \(text(value.text))"
    }

    private static func text(_ content: SessionLog.Content) -> String {
        switch content {
        case .event(let payload): text(payload)
        case .navigation(let change): "\(change.kind) \(change.child.viewModel) \(short(change.child.key))"
        }
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Returns a point in time as text, in UTC, to the second.
    private static func time(_ seconds: Int64) -> String {
        String(TimeOfDay(milliseconds: seconds &* 1_000).description.prefix(19)).replacing("T", with: " ")
    }

    private static func size(_ bytes: Int) -> String {
        bytes < 10_000 ? "\(bytes) B" : bytes < 10_000_000 ? "\(bytes / 1_000) kB" : "\(bytes / 1_000_000) MB"
    }

    private static func table(_ rows: [[String]]) -> String {
        let widths = (0..<(rows.first?.count ?? 0)).map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            zip(row, widths).map { text, width in text + String(repeating: " ", count: width - text.count) }
                .joined(separator: "  ")
        }
        return lines.map { line in String(line.reversed().drop { $0 == " " }.reversed()) }.joined(separator: "\n")
    }
}
