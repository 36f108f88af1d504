import JSON

/// What servers have told all clients, with which each further message has to agree, and so has the store.
final class ToldEvents {
    /// By the session's key: the bytes of each number, and the view events that they tell of.
    private var events: [String: [Int: [UInt8]]] = [:]
    private var applied: [String: [String: Int]] = [:]

    /// Returns what is wrong with it, if anything.
    func tell(_ key: String, _ number: Int, _ bytes: [UInt8], store: SharedStore) -> String? {
        guard store.told(key, number) == bytes else {
            let stored = store.told(key, number).map { String(decoding: $0, as: UTF8.self) }
            let told = String(decoding: bytes, as: UTF8.self)
            return "D1: \(key) tells \(number), \(told), and \(stored ?? "nothing") is stored"
        }
        if let before = events[key]?[number] {
            guard before != bytes else { return nil }
            return "D4: \(key) tells another \(number) than before: \(String(decoding: before, as: UTF8.self))"
        }
        events[key, default: [:]][number] = bytes
        return note(bytes, key, number)
    }

    private func note(_ bytes: [UInt8], _ key: String, _ number: Int) -> String? {
        let event = bytes.withUnsafeBytes { bytes -> String? in
            guard let event = try? JSONValue(validating: bytes), let client = event.member("by")?.string(),
                let place = event.member("number")?.integer(as: Int.self)
            else { return nil }
            return "\(client)'s event \(place)"
        }
        guard let event else { return nil }
        let before = applied[key]?[event]
        applied[key, default: [:]][event] = number
        return before.map { "D2: \(key) tells of \(event) in \($0) and in \(number)" }
    }

    /// What is stored of a session has all that was told.
    func check(_ key: String, store: SharedStore) -> String? {
        for (number, bytes) in events[key] ?? [:] where store.told(key, number) != bytes {
            return "D1: \(key) has told \(number), and it isn't stored any more"
        }
        return nil
    }
}

/// A connection of a client, as whoever sees its messages leave the server knows it.
///
/// Confined to the loop.
final class SharedConversation {
    enum Asked {
        case initialize
        case open
        case attach(key: String, since: Int)
        case event(key: String, number: Int)
    }

    private struct View {
        let key: String
        var seq: Int
    }

    private let client: String
    private let world: SharedWorld
    /// By the ids of the requests.
    private var asked: [Int: Asked] = [:]
    private var views: [Int: View] = [:]
    private var bytes: [UInt8] = []

    init(_ client: String, _ world: SharedWorld) {
        (self.client, self.world) = (client, world)
    }

    func ask(_ id: Int, _ request: Asked) {
        asked[id] = request
    }

    /// Bytes leave the server.
    func tap(_ more: [UInt8]) {
        bytes += more
        while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
            let line = Array(bytes[..<end])
            bytes.removeFirst(end + 1)
            world.mix(line)
            line.withUnsafeBytes { line in
                guard let message = try? JSONValue(validating: line) else {
                    return violate("what leaves the server isn't JSON")
                }
                look(at: message)
            }
        }
    }

    private func violate(_ what: String) {
        world.truth.violate("to \(client): \(what)")
    }

    private func look(at message: JSONValue) {
        if let method = message.member("method")?.string() {
            guard let params = message.member("params") else { return }
            return lookAtNotification(method, params)
        }
        guard let id = message.member("id")?.integer(as: Int.self), let request = asked.removeValue(forKey: id) else {
            return violate("an answer to no request")
        }
        guard let result = message.member("result") else { return }
        switch request {
        case .initialize: break
        case .open:
            guard let key = result.member("key")?.string() else { return violate("an opening has no key") }
            begin(result, key, since: 0)
            if world.store.session(key) == nil { violate("D1: \(key) is opened, and not stored") }
        case .attach(let key, let since):
            begin(result, key, since: since)
            let newest = result.member("seq")?.integer(as: Int.self) ?? -1
            if newest > world.newest(key) { violate("D1: \(key) is attached at \(newest), and less is stored") }
        case .event(let key, let number): didAnswer(result, key, number)
        }
    }

    private func begin(_ result: JSONValue, _ key: String, since: Int) {
        guard let view = result.member("session")?.integer(as: Int.self) else { return violate("a view has no number") }
        if views[view] != nil { violate("a view's number is used again") }
        views[view] = View(key: key, seq: since)
    }

    private func didAnswer(_ result: JSONValue, _ key: String, _ number: Int) {
        let stored = world.store.number(key, of: client)
        if stored < number { violate("D1: \(key)'s event \(number) is answered, and \(stored) stored") }
        let newest = result.member("seq")?.integer(as: Int.self) ?? -1
        if newest > world.newest(key) { violate("D1: \(key) says it is at \(newest), and less is stored") }
        if let seq = views.values.first(where: { $0.key == key })?.seq, seq < newest {
            violate("\(key)'s event \(number) is answered before what its handler sent: \(seq) of \(newest)")
        }
    }

    private func lookAtNotification(_ method: String, _ params: JSONValue) {
        guard let view = params.member("session")?.integer(as: Int.self) else { return }
        guard let key = views[view]?.key else { return violate("\(method) for a view that isn't there") }
        // By what the client sent on an earlier connection, which came late.
        if params.member("reason")?.isString("replaced") == true {
            views[view] = nil
            return
        }
        guard let number = params.member("seq")?.integer(as: Int.self) else {
            return violate("\(method) for \(key)")
        }
        let last = views[view]?.seq ?? 0
        if number != last + 1 { violate("D4: \(key) tells \(number) after \(last)") }
        views[view]?.seq = number
        let bytes =
            if let event = params.member("event") {
                Array(event.text)
            } else {
                Array("\(method) \(params.member("key")?.string() ?? "")".utf8)
            }
        if let wrong = world.told.tell(key, number, bytes, store: world.store) { violate(wrong) }
        world.count { $0.events += 1 }
    }
}
