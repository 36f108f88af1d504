import TestSupport
import Testing

@testable import Serving

@Suite(.inTurn, .timeLimit(.minutes(2))) struct TokenGuessesTests {
    @Test func `the first wrong tokens are answered at once, further ones late, and all that is said is bounded`() {
        var guesses = TokenGuesses()
        let start = Duration.seconds(1_000)
        let first = (1...1_000).map { number in
            (guesses.note(at: start + .milliseconds(number)), guesses.delay)
        }
        #expect(first.map(\.1) == Array(repeating: .zero, count: 10) + Array(repeating: .seconds(1), count: 990))
        let words = first.compactMap(\.0)
        #expect(words.count == 11 && words[0] == "a wrong token" && words[10].contains("a second late"))
        #expect(guesses.note(at: start + .seconds(11)) == "a wrong token, after 1000 within ten seconds")
        #expect(guesses.delay == .zero)
        #expect(guesses.note(at: start + .seconds(30)) == "a wrong token")
    }

    @Test func `who guesses much is named in the log and waits for each answer, and the right token lets in at once`()
        async throws
    {
        try await withServer(token: "right") { server in
            let wrong = Wire.request("1", "initialize", #"{"token":"wrong"}"#)
            for _ in 1...10 {
                let client = await server.connect()
                client.send(wrong)
                try await client.expectError(-32010, id: "1")
            }
            let late = await server.connect()
            // What is behind a guess isn't judged while it waits.
            late.send(wrong, Wire.request("2", "initialize", #"{"token":"right"}"#))
            let client = await server.connect()
            client.send(Wire.request("1", "initialize", #"{"token":"right"}"#))
            #expect(try await client.next().contains("serverInfo"))
            try await server.turns()
            server.pass(.seconds(1))
            try await late.expectError(-32010, id: "1")
            await late.expectEnd()
            let lines = server.log.elements.filter { $0.contains("a wrong token") }
            #expect(lines.count == 11, "\(lines)")
        }
    }
}
