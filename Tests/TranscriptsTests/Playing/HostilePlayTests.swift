import JSON
import Testing
import TestSupport
import Transcripts

/// Any file and any messages lead to an action, a failure or an error, never to a trap.
@Suite(.inTurn) struct HostilePlayTests {
    @Test func `any file and any messages lead to an outcome`() throws {
        for seed in 0..<300 { try playSomething(seed: seed) }
    }

    private func playSomething(seed: Int) throws {
        var generator = SeededGenerator(seed: seed)
        let recorded = FakeConversation.recorded(variant: seed, seed: seed, length: 8).split(separator: "\n")
        var messages = recorded.map { String($0.drop { $0 != " " }.dropFirst()) }
        messages += ["end", "text {", "unframed abc", "[]", "[1]", "[{}]", "{}", #"{"id":null}"#]
        let lines = recorded.map { line in
            generator.chance(85)
                ? Play.line(line) : Play.line("\(line.prefix { $0 != " " }) \(mutated(messages, &generator))")
        }
        let file = lines.map { generator.chance(98) ? $0 : scrambled($0, &generator) }
        var options = Player.Options(side: generator.chance(70) ? .client : .server)
        options.isUpdating = generator.chance(40)
        options.isPaced = generator.chance(10)
        options.token = generator.chance(50) ? "t" : nil
        options.processID = generator.chance(50) ? 1 : nil
        var player = Player(try Play.reader(file), options)
        do {
            for _ in 0..<80 {
                let actions = try step(
                    &player, generator.chance(80) ? messages : [mutated(messages, &generator)], &generator)
                for case .fail(let failure) in actions {
                    #expect(failure.line > 0)
                    _ = failure.report(width: Int.random(in: 0...120, using: &generator))
                }
            }
            for entry in player.updated() { _ = TranscriptEncoder.encode(entry) }
        } catch {
            let error = try #require(error as? TranscriptError)
            #expect(error.line != nil)
            #expect(try player.advance(to: 0) == [])
        }
    }

    private func step(
        _ player: inout Player, _ messages: [String], _ generator: inout SeededGenerator
    ) throws -> [Player.Action] {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: return try player.receiveNothing()
        case 1: return try player.advance(to: Int.random(in: -1...100, using: &generator))
        default:
            let message = messages.randomElement(using: &generator) ?? "{}"
            return try player.receive(Play.content(message), on: Int.random(in: 1...3, using: &generator))
        }
    }

    /// One of the messages, with a value in it changed for another.
    private func mutated(_ messages: [String], _ generator: inout SeededGenerator) -> String {
        let message = messages.randomElement(using: &generator) ?? "{}"
        let values = message.matches(of: /-?\d+|"[^"]*"(?!:)|\{\}|null/)
        guard let place = values.randomElement(using: &generator)?.range else { return message }
        var changed = message
        changed.replaceSubrange(place, with: value(&generator))
        return changed
    }

    private func value(_ generator: inout SeededGenerator) -> String {
        let depth = Int.random(in: 1...500, using: &generator)
        return [
            "1e999999999999999999999", "-0.0", "18446744073709551616", "9223372036854775807", "-9223372036854775808",
            "1.5",
            #""é\u0301\ud83d\ude00""#, #""\u0000""#, #"{"a":1,"a":2}"#, #"{"key":"k1","key":null}"#, "[[],{}]", "true",
            #"{"$match":"string","value":"x"}"#, #"{"$match":"integer","value":1}"#, #"{"$match":"any"}"#,
            #"{"$match":"/(a|b)*/","value":"ab"}"#, #"{"$match":"/[/"}"#, #"{"session":1,"key":"k"}"#, "\"none\"", "0",
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth),
            "[" + (0..<20).map { #"{"key":"k\#($0)"}"# }.joined(separator: ",") + "]",
        ].randomElement(using: &generator) ?? "null"
    }

    private func scrambled(_ line: String, _ generator: inout SeededGenerator) -> String {
        var bytes = Array(line.utf8)
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &generator)
        case 1: bytes.remove(at: place)
        default: bytes.removeSubrange(place...)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
