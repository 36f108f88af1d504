import JSON

/// What servers have told all clients, with which each further message has to agree, and so has the store.
final class SharedLedger {
    /// The numbers of a session, as long as its history isn't cut back.
    struct History: Hashable {
        let key: String
        /// As the answers to `session/open` and `session/attach` say it; empty where they don't.
        let epoch: String
    }

    /// The bytes of each number, and the view events that they tell of.
    private(set) var events: [History: [Int: [UInt8]]] = [:]
    private var applied: [History: [String: Int]] = [:]

    var keys: Set<String> { Set(events.keys.map(\.key)) }

    /// Returns what is wrong with it, if anything.
    func tell(_ history: History, _ number: Int, _ bytes: [UInt8]) -> String? {
        if let before = events[history]?[number] {
            guard before != bytes else { return nil }
            let (told, was) = (String(decoding: bytes, as: UTF8.self), String(decoding: before, as: UTF8.self))
            return "D4: \(history.key) tells \(number), \(told), and has told \(was)"
        }
        events[history, default: [:]][number] = bytes
        return nil
    }

    /// Returns what is wrong where an event is told under two numbers.
    func note(_ bytes: [UInt8], _ history: History, _ number: Int) -> String? {
        let event = bytes.withUnsafeBytes { bytes -> String? in
            guard let event = try? JSONValue(validating: bytes), let client = event.member("by")?.string(),
                let place = event.member("number")?.integer(as: Int.self)
            else { return nil }
            return "\(client)'s event \(place)"
        }
        guard let event else { return nil }
        let before = applied[history]?[event]
        applied[history, default: [:]][event] = number
        return before.flatMap { $0 == number ? nil : "D2: \(history.key) tells of \(event) in \($0) and in \(number)" }
    }
}
