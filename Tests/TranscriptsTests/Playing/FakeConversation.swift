import JSON
import Testing
import TestSupport
import Transcripts

/// Made-up conversations with a `FakeServer`: recorded, replayed and updated.
enum FakeConversation {
    /// The lines of a transcript of a client that does this and that.
    static func recorded(variant: Int, seed: Int, length: Int = 30) -> String {
        var generator = SeededGenerator(seed: seed &+ 1_000_000)
        var server = FakeServer(variant: variant, seed: seed)
        var client = FakeClient()
        var lines: [String] = []
        var sent = 0
        while sent < length || !server.isQuiet {
            if sent < length, server.isQuiet || generator.chance(40) {
                let (message, connection) = client.next(&generator)
                sent += 1
                lines.append("\(connection)> \(message)")
                server.take(message, on: connection)
            } else if let said = server.say() {
                lines.append("\(said.connection)< \(said.message)")
                client.take(said.message, on: said.connection)
            }
        }
        return lines.joined(separator: "\n")
    }

    /// The failure with which a replay ends, if it does.
    static func replay(_ transcript: String, variant: Int, seed: Int) throws -> PlayerFailure? {
        try play(transcript, variant: variant, seed: seed, isUpdating: false).failure
    }

    static func updated(_ transcript: String, variant: Int, seed: Int) throws -> String {
        let result = try play(transcript, variant: variant, seed: seed, isUpdating: true)
        try #require(result.failure == nil)
        return result.play.updated().joined(separator: "\n")
    }

    private static func play(
        _ transcript: String, variant: Int, seed: Int, isUpdating: Bool
    ) throws -> (play: Play, failure: PlayerFailure?) {
        let play = try Play(transcript) { $0.isUpdating = isUpdating }
        var server = FakeServer(variant: variant, seed: seed)
        var actions = try play.player.advance(to: 0)
        while true {
            for action in actions {
                switch action {
                case .send(.message(let message), let connection): server.take(message.description, on: connection)
                case .fail(let failure): return (play, failure)
                case .finish: return (play, nil)
                default: break
                }
            }
            if let said = server.say() {
                actions = try play.player.receive(Play.content(said.message), on: said.connection)
            } else {
                actions = try play.player.receiveNothing()
            }
        }
    }
}

/// Uses the sessions, keys and requests that the server has sent.
private struct FakeClient {
    private var sessions: [(session: String, connection: Int)] = []
    private var keys: [String] = []
    private var asked: [(id: String, connection: Int)] = []
    private var id = 0

    mutating func next(_ generator: inout SeededGenerator) -> (message: String, connection: Int) {
        id += 1
        let connection = Int.random(in: 1...2, using: &generator)
        if generator.chance(50), let question = asked.popLast() {
            return (#"{"id":\#(question.id),"result":null}"#, question.connection)
        }
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: return (#"{"id":\#(id),"method":"open"}"#, connection)
        case 1: return (#"{"method":"log"}"#, connection)
        case 2: return (#"{"method":"ask"}"#, connection)
        case 3: return (#"{"id":"\#(id)","method":"other\#(id % 3)"}"#, connection)
        case 4:
            let key = keys.randomElement(using: &generator) ?? "none"
            return (#"{"id":\#(id),"method":"attach","params":{"key":"\#(key)"}}"#, connection)
        default:
            guard let view = sessions.randomElement(using: &generator) else {
                return (#"{"id":\#(id),"method":"open"}"#, connection)
            }
            let token = generator.chance(30) ? #","workDoneToken":"t\#(id)""# : ""
            let head = generator.chance(20) ? "" : #""id":\#(id),"#
            return (#"{\#(head)"method":"event","params":{"session":\#(view.session)\#(token)}}"#, view.connection)
        }
    }

    mutating func take(_ message: String, on connection: Int) {
        if let session = message.firstMatch(of: /"result":{"session":(\d+)/) {
            sessions.append((String(session.1), connection))
        }
        if let key = message.firstMatch(of: /"key":"(k\d+)"/) { keys.append(String(key.1)) }
        if let ask = message.firstMatch(of: /{"id":("s\d+")/) { asked.append((String(ask.1), connection)) }
    }
}
