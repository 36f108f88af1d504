import JSON
import TestSupport
import Transcripts

/// A server with sessions that exists for tests only: what it says depends on its variant, what it calls its keys and
/// ids and how its sessions interleave on the seed.
struct FakeServer {
    struct Said {
        let message: String
        let connection: Int
    }

    /// Two servers of another variant say other things.
    let variant: Int
    private var generator: SeededGenerator
    /// Messages to send: in order within a lane, in any order between lanes.
    private var lanes: [(name: String, said: [Said])] = []
    private var keys: [String] = []
    private var views: [Int: Int] = [:]
    private var counts: [String: Int] = [:]
    private var nextRequestID: Int

    init(variant: Int, seed: Int) {
        self.variant = variant
        generator = SeededGenerator(seed: seed)
        nextRequestID = Int.random(in: 1...1000, using: &generator)
    }

    var isQuiet: Bool { lanes.isEmpty }

    /// The next thing that it says, of any session.
    mutating func say() -> Said? {
        guard let index = lanes.indices.randomElement(using: &generator) else { return nil }
        let said = lanes[index].said.removeFirst()
        if lanes[index].said.isEmpty { lanes.remove(at: index) }
        return said
    }

    mutating func take(_ text: String, on connection: Int) {
        Play.content(text).forEachMessage { take($0, on: connection) }
    }

    private mutating func take(_ message: JSONValue, on connection: Int) {
        guard let method = message.member("method")?.string() else { return }
        let id = message.member("id").map { String(decoding: $0.text, as: UTF8.self) }
        let params = message.member("params")
        let session = params?.member("session")?.integer(as: Int.self)
        switch method {
        case "open": open(id, on: connection)
        case "attach": attach(params?.member("key")?.string() ?? "", id, on: connection)
        case "event": event(id, session ?? 0, params?.member("workDoneToken")?.string(), on: connection)
        case "log": say(#"{"method":"log","params":{"n":\#(choice("log", 4))}}"#, in: "log", on: connection)
        case "ask":
            nextRequestID += 1
            say(
                #"{"id":"s\#(nextRequestID)","method":"ask","params":{"n":\#(choice("ask", 3))}}"#, in: "ask",
                on: connection)
        default: answer(id, #""result":\#(choice(method, 3))"#, in: "\(method) \(id ?? "")", on: connection)
        }
    }

    private mutating func open(_ id: String?, on connection: Int) {
        let key = "k\(UInt32.random(in: .min ... .max, using: &generator))"
        keys.append(key)
        let session = nextSession(on: connection)
        answer(id, #""result":{"session":\#(session),"key":"\#(key)"}"#, in: "\(connection) \(session)", on: connection)
        events(session, choice("open", 4), on: connection)
    }

    private mutating func attach(_ key: String, _ id: String?, on connection: Int) {
        guard let number = keys.firstIndex(of: key) else {
            return answer(id, #""error":{"code":1,"message":"no such key"}"#, in: "attach \(id ?? "")", on: connection)
        }
        let session = nextSession(on: connection)
        let result = #"{"session":\#(session),"number":\#(number),"stack":[{"key":"\#(key)"}]}"#
        answer(id, #""result":\#(result)"#, in: "\(connection) \(session)", on: connection)
    }

    private mutating func event(_ id: String?, _ session: Int, _ token: String?, on connection: Int) {
        let lane = "\(connection) \(session)"
        guard session <= views[connection] ?? 0 else {
            return answer(id, #""error":{"code":2}"#, in: "event \(id ?? "")", on: connection)
        }
        let (before, after) = (choice(lane, 4), choice(lane, 2))
        if let token {
            say(#"{"method":"progress","params":{"token":"\#(token)","value":1}}"#, in: lane, on: connection)
        }
        events(session, before, on: connection)
        answer(id, #""result":{"seq":\#(before)}"#, in: lane, on: connection)
        events(session, after, on: connection)
    }

    private mutating func events(_ session: Int, _ count: Int, on connection: Int) {
        let lane = "\(connection) \(session)"
        for _ in 0..<count {
            let seq = counts["seq \(lane)", default: 0] + 1
            counts["seq \(lane)"] = seq
            let event = #"{"kind":"e\#(choice(lane, 3))"}"#
            say(
                #"{"method":"event","params":{"session":\#(session),"seq":\#(seq),"event":\#(event)}}"#, in: lane,
                on: connection)
        }
    }

    private mutating func answer(_ id: String?, _ outcome: String, in lane: String, on connection: Int) {
        guard let id else { return }
        say(#"{"jsonrpc":"2.0","id":\#(id),\#(outcome)}"#, in: lane, on: connection)
    }

    private mutating func say(_ message: String, in lane: String, on connection: Int) {
        let said = Said(message: message, connection: connection)
        if let index = lanes.firstIndex(where: { $0.name == lane }) {
            lanes[index].said.append(said)
        } else {
            lanes.append((lane, [said]))
        }
    }

    private mutating func nextSession(on connection: Int) -> Int {
        views[connection, default: 0] += 1
        return views[connection, default: 0]
    }

    /// The same for the same variant, whatever else happens.
    private mutating func choice(_ name: String, _ count: Int) -> Int {
        let turn = counts[name, default: 0]
        counts[name] = turn + 1
        var seed = variant
        for byte in "\(name) \(turn)".utf8 { seed = seed &* 31 &+ Int(byte) }
        var generator = SeededGenerator(seed: seed)
        return Int.random(in: 0..<count, using: &generator)
    }
}

extension TranscriptEntry.Content {
    /// Of a batch each.
    fileprivate func forEachMessage(_ body: (JSONValue) -> Void) {
        guard case .message(let message) = self else { return }
        message.withValue { value in
            if value.kind == .array { value.forEachElement(body) } else { body(value) }
        }
    }
}
