import JSON
import Sessions
import TestSupport

/// What must be true of windows and halls, by what is stored at any moment: what a window has sent takes effect at its hall
/// once and in order, and it has seen all that its hall has told, once and in order.
struct SharedHalls {
    /// What the stored outbox of a window has of an event.
    struct Waiting {
        let number: Int
        let client: String
        let place: Int
    }

    private let world: SharedWorld

    init(_ world: SharedWorld) {
        self.world = world
    }

    func begin(_ clients: [SharedClient]) {
        // Its own, so that these worlds are otherwise as they would be.
        var generator = SeededGenerator(seed: world.outcome.seed + 2_000_000)
        // Without a store in common each server would have a plain hall of its own.
        let second = world.store.isInProcess && generator.chance(50) ? "plain hall" : "hall"
        for index in 0..<Int.random(in: 1...3, using: &generator) {
            clients.randomElement(using: &generator)?.open("window-\(index)", "window", #","second":"\#(second)""#)
        }
        for client in clients where generator.chance(40) { client.openCommon("hall", "hall") }
    }

    /// Those that are stored and that nobody has closed.
    private var windows: [StoredSession] {
        guard world.hasHalls else { return [] }
        return world.roots.filter { !world.mayBeGone($0) }.flatMap { world.store.scene($0)?.sessions ?? [] }
            .filter { $0.header.viewModel == "window" }
    }

    func check() {
        for window in windows {
            for notes in window.turn.notes?.shared ?? [] { check(window, notes) }
        }
    }

    private func check(_ window: StoredSession, _ notes: SharedNotes) {
        let waiting = notes.outbox.map(\.number)
        let gone = notes.last - waiting.count
        if waiting != Array(gone + 1..<notes.last + 1) {
            violate(window, "has sent \(notes.last) to \(notes.viewModel), and in its outbox are \(waiting)")
        }
        let sent = window.list("sent")?[notes.hall] ?? 0
        if sent != notes.last { violate(window, "has sent \(sent), and \(notes.last) have a number") }
        guard let hall = world.hall(notes), let name = window.name else { return }
        let done = hall.place(of: name)
        if done > sent { violate(window, "has sent \(sent), and \(done) have had an effect") }
        if done < gone { violate(window, "waits for \(waiting), and \(done) have had an effect") }
        let (seen, told) = (window.list("seen")?[notes.hall] ?? -1, hall.serial)
        if seen > told { violate(window, "has seen \(seen), and its hall has told \(told)") }
    }

    private func violate(_ window: StoredSession, _ what: String) {
        world.truth.violate("D6: the stored \(window.name ?? "window") \(what)")
    }

    /// What windows still wait for.
    var unrest: [String] {
        windows.flatMap { window in
            (window.turn.notes?.shared ?? []).compactMap { notes -> String? in
                let seen = window.list("seen")?[notes.hall]
                let told = world.hall(notes)?.serial ?? seen
                if notes.outbox.isEmpty, seen == told { return nil }
                let numbers = notes.outbox.map(\.number)
                return "\(window.name ?? "") waits for \(numbers) of \(notes.viewModel), and has seen "
                    + "\(seen ?? -1)/\(told ?? -1)"
            }
        }
    }

    func checkAtEnd() {
        if world.hasLost { return }
        var keys: [String: String] = [:]
        for window in windows {
            let shared = window.turn.notes?.shared ?? []
            // A child begins with its first view.
            if shared.count != 2, window.turn.isStarted { violate(window, "has Views of \(shared.count) halls") }
            for notes in shared {
                guard let hall = world.hall(notes), let key = notes.key else { continue }
                let sent = window.list("sent")?[notes.hall] ?? 0
                let done = hall.place(of: window.name ?? "")
                if done != sent { violate(window, "has sent \(sent) in all, and \(done) have had an effect") }
                if let other = keys.updateValue(key, forKey: "\(notes.hall)"), other != key {
                    violate(window, "has a View of \(key), and others of \(other)")
                }
            }
            checkNews(of: window)
        }
    }

    /// All that a window has told of its halls is there once, in order.
    private func checkNews(of window: StoredSession) {
        var last: [Int: Int] = [:]
        for entry in window.turn.entries {
            entry.content.told.withUnsafeBytes { bytes in
                guard let event = try? JSONValue(validating: bytes), let kind = event.member("kind")?.string(),
                    let hall = event.member("hall")?.integer(as: Int.self),
                    let serial = event.member("serial")?.integer(as: Int.self)
                else { return }
                if kind == "seen", serial != last[hall].map({ $0 + 1 }) {
                    let before = last[hall] ?? -1
                    violate(window, "tells news \(serial) of hall \(hall) in \(entry.number), after \(before)")
                }
                last[hall] = serial
            }
        }
    }

    static func outbox(of window: StoredSession) -> [Waiting] {
        (window.turn.notes?.shared ?? []).flatMap(\.outbox).map { sent in
            sent.event.withValue { event in
                Waiting(
                    number: sent.number, client: event.member("client")?.string() ?? "",
                    place: event.member("place")?.integer(as: Int.self) ?? 0)
            }
        }
    }
}

extension SharedWorld {
    static let seedOfHalls = 3

    /// There are screens with Views of shared sessions.
    var hasHalls: Bool { outcome.seed % 7 == Self.seedOfHalls }

    /// The stored hall; nil where it isn't stored.
    fileprivate func hall(_ notes: SharedNotes) -> StoredSession? {
        notes.viewModel == "hall" ? notes.key.flatMap { store.session($0) } : nil
    }
}

extension SharedNotes {
    /// As the window counts its halls.
    fileprivate var hall: Int { arguments.withValue { $0.member("name")?.string() } == "other" ? 1 : 0 }
}

extension StoredSession {
    private func value<Value: Decodable>(_ name: String, as type: Value.Type) -> Value? {
        turn.saved.first { $0.name == name }.flatMap { saved in
            saved.text.withUnsafeBytes { text in
                (try? JSONValue(validating: text)).flatMap { try? ValueDecoder().decode(type, from: $0) }
            }
        }
    }

    fileprivate func list(_ name: String) -> [Int?]? { value(name, as: [Int?].self) }

    /// Of a hall.
    fileprivate var serial: Int { value("serial", as: Int.self) ?? 0 }

    /// How much a hall has had from a window.
    fileprivate func place(of window: String) -> Int {
        value("places", as: [String: HallPlace].self)?[window]?.number ?? 0
    }
}
