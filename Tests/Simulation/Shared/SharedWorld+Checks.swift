import JSON
import Sessions

// What must be true at each moment, since a server may be killed at any.
extension SharedWorld {
    /// A session may have ended: a client has asked for that, or what it was shown on has taken it off, or is gone itself.
    func mayBeGone(_ key: String) -> Bool {
        if closing.contains(key) { return true }
        guard let host = hosts[key] else { return false }
        if mayBeGone(host) { return true }
        guard let entries = store.session(host)?.turn.entries else { return false }
        return entries.contains { entry in
            guard case .navigation(let change) = entry.content, change.child.key == key else { return false }
            return change.kind == .pop || change.kind == .dismiss
        }
    }

    /// What is stored agrees with itself, and has all that was told.
    func check() {
        for root in roots {
            if let scene = store.scene(root) {
                check(scene)
            } else if !mayBeGone(root), !hasLost {
                truth.violate("D5: \(root) isn't stored any more, and nobody has closed it")
            }
        }
        if hasLost { return }
        SharedHalls(self).check()
        for (history, told) in ledger.events.sorted(by: { $0.key.key < $1.key.key }) where !mayBeGone(history.key) {
            let wrong = told.filter { number, bytes in store.told(history.key, number) != bytes }.keys.sorted()
            if wrong.isEmpty { continue }
            truth.violate("D1: \(history.key) has told \(wrong), and that isn't stored any more")
        }
    }

    private func check(_ scene: StoredScene) {
        var done: [String: StoredTurn] = [:]
        for session in scene.sessions {
            guard let name = session.name else { continue }
            if done.updateValue(session.turn, forKey: name) != nil { truth.violate("D2: \(name) is stored twice") }
            if session.turn.entries.map(\.number) != Array(1..<(session.turn.newest + 1)) {
                truth.violate("D1: \(session.header.key) has not each number up to \(session.turn.newest)")
            }
        }
        for name in done.keys.sorted() {
            guard let (screen, client, number) = TallyNames.origin(of: name), let host = done[screen] else { continue }
            if host.number(of: client) < number {
                truth.violate(
                    "D2: \(name) is stored, and of \(client)'s events for its screen \(host.number(of: client))")
            }
        }
        for (mark, number) in scene.marks.sorted(by: { $0.key < $1.key }) {
            let words = mark.split(separator: " ").map(String.init)
            guard words.count == 2, let turn = done[words[0]], turn.number(of: words[1]) < number else { continue }
            truth.violate(
                "D2: the stored board has \(mark)'s event \(number), and \(turn.number(of: words[1])) are done")
        }
    }

    func checkAtEnd() {
        check()
        SharedHalls(self).checkAtEnd()
        for root in roots {
            for session in store.scene(root)?.sessions ?? [] {
                let sum = session.turn.clients.reduce(0) { $0 + $1.number }
                let total =
                    session.turn.saved.first { $0.name == "total" }
                    .map { Int(String(decoding: $0.text, as: UTF8.self)) ?? -1 } ?? 0
                if sum != total {
                    truth.violate("D2: \(session.header.key) has counted \(total), and \(sum) events are done")
                }
            }
        }
    }
}

extension StoredTurn {
    fileprivate func number(of client: String) -> Int { clients.first { $0.client == client }?.number ?? 0 }
}

extension StoredSession {
    /// That of its screen, from its arguments.
    var name: String? {
        header.arguments?.withUnsafeBytes { bytes in (try? JSONValue(validating: bytes))?.member("name")?.string() }
    }
}

extension StoredScene {
    /// What the board has, as it is stored.
    var marks: [String: Int] {
        guard let text = shared.first(where: { $0.name.hasSuffix("/marks") })?.text else { return [:] }
        return text.withUnsafeBytes { bytes in
            var marks: [String: Int] = [:]
            (try? JSONValue(validating: bytes))?.forEachMember { name, value in
                marks[name.string()] = value.integer(as: Int.self)
            }
            return marks
        }
    }
}
