import JSON
import JSONRPC
import TestSupport
import Testing
import Transcripts
import Transport

/// The server's side of a transcript, played over streams in memory.
@Suite(.inTurn, .timeLimit(.minutes(4)))
struct TranscriptRunnerMockTests {
    private static let ask = #"> {"jsonrpc":"2.0","id":1,"method":"ask","params":{"what":"time"}}"#
    private static let tell = #"< {"jsonrpc":"2.0","id":1,"result":"noon"}"#
    private static let question = #"{"jsonrpc":"2.0","id":1,"method":"ask","params":{"what":"time"}}"#
    private static let answer = #"{"jsonrpc":"2.0","id":1,"result":"noon"}"#

    @Test(arguments: Framing.allCases)
    func `a client that follows the transcript gets its answers in its own framing`(_ framing: Framing) async throws {
        let seen = Recorder<String>()
        let outcome = try await StreamPlay.server(
            Self.ask, Self.tell, framing: framing, begin: { client, _ in client.send(Self.question) },
            client: { client, content in
                if let message = content.message { seen.record(message) }
                client.stream.finish()
            })
        #expect(outcome == .passed(messages: 2, updated: []))
        #expect(seen.elements == [Self.answer])
    }

    @Test func `connections are numbered in the order in which they come`() async throws {
        let outcome = try await StreamPlay.server(
            "1" + Self.ask, "1" + Self.tell, "2" + Self.ask, "2" + Self.tell, connections: 2,
            begin: { client, _ in client.send(Self.question) },
            client: { client, _ in client.stream.finish() })
        #expect(outcome == .passed(messages: 4, updated: []))
    }

    @Test func `a wrong request is answered by an error with what was expected`() async throws {
        let seen = Recorder<String>()
        let outcome = try await StreamPlay.server(
            Self.ask, Self.tell,
            begin: { client, _ in
                client.send(#"{"jsonrpc":"2.0","id":"a","method":"ask","params":{"what":"weather"}}"#)
            },
            client: { client, content in
                if let message = content.message { seen.record(message) }
                if content == .end { client.stream.finish() }
            })
        let failure = try #require(outcome.failure, "\(outcome)")
        #expect(failure.line == 2)
        #expect(failure.difference == "/params/what")
        let refusal = try #require(seen.elements.first)
        #expect(seen.elements.count == 1)
        #expect(refusal.hasPrefix(#"{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"line 2 of "#))
        #expect(refusal.contains(" at /params/what"))
    }

    @Test func `a wrong notification has no answer, and the connection ends`() async throws {
        let seen = Recorder<TranscriptEntry.Content>()
        let outcome = try await StreamPlay.server(
            Self.ask, Self.tell, begin: { client, _ in client.send(#"{"jsonrpc":"2.0","method":"hello"}"#) },
            client: { client, content in
                seen.record(content)
                client.stream.finish()
            })
        #expect(outcome.failure != nil)
        #expect(seen.elements == [.end])
    }

    @Test func `a client that ends too early fails by ending`() async throws {
        let outcome = try await StreamPlay.server(Self.ask, Self.tell, begin: { client, _ in client.stream.finish() })
        let failure = try #require(outcome.failureByEnding, "\(outcome)")
        #expect(failure.line == 2)
    }

    @Test func `a client that stays after the last line may send nothing more`() async throws {
        let outcome = try await StreamPlay.server(
            Self.ask, Self.tell, begin: { client, _ in client.send(Self.question) },
            client: { client, content in if content != .end { client.send(Self.question) } })
        let failure = try #require(outcome.failure, "\(outcome)")
        #expect(failure.actual?.contains("ask") ?? false)
    }

    @Test func `a server's end closes the connection, so its client needn't end first`() async throws {
        let ended = Recorder<Void>()
        let outcome = try await StreamPlay.server(
            Self.ask, Self.tell, "< end", "> end", begin: { client, _ in client.send(Self.question) },
            client: { _, content in if content == .end { ended.record(()) } })
        #expect(outcome == .passed(messages: 2, updated: []))
        #expect(ended.elements.count == 1)
    }

    @Test func `a server that ends its side still receives the client's messages`() async throws {
        let outcome = try await StreamPlay.server(
            Self.ask, Self.tell, "< end", #"> {"jsonrpc":"2.0","method":"thanks"}"#, "> end",
            begin: { client, _ in client.send(Self.question) },
            client: { client, content in
                guard content == .end else { return }
                client.send(#"{"jsonrpc":"2.0","method":"thanks"}"#)
                client.stream.finish()
            })
        #expect(outcome == .passed(messages: 3, updated: []))
    }

    @Test func `a silent client fails after the timeout`() async throws {
        var options = TranscriptRunner.Options(side: .server)
        (options.clock, options.timeout) = (ManualClock.passing(), .seconds(10))
        let outcome = try await StreamPlay.server(Self.ask, Self.tell, options: options, begin: { _, _ in })
        let failure = try #require(outcome.failure, "\(outcome)")
        #expect(failure.line == 2)
    }

    @Test func `an unasked message is sent to a connection that comes later`() async throws {
        let seen = Recorder<String>()
        let outcome = try await StreamPlay.server(
            #"2< {"jsonrpc":"2.0","method":"welcome"}"#, Self.ask, Self.tell, connections: 2,
            begin: { client, number in if number == 1 { client.send(Self.question) } },
            client: { client, content in
                if let message = content.message { seen.record(message) }
                client.stream.finish()
            })
        #expect(outcome == .passed(messages: 3, updated: []))
        #expect(Set(seen.elements) == [Self.answer, #"{"jsonrpc":"2.0","method":"welcome"}"#])
    }

    @Test(arguments: [
        #"2> {"jsonrpc":"2.0","method":"hello"}"#, #"2< {"jsonrpc":"2.0","method":"welcome"}"#, "2< end", "2> end",
    ]) func `a connection that can't be made ends the play`(_ line: String) async throws {
        var options = TranscriptRunner.Options(side: .server)
        options.hasOneConnection = true
        let outcome = try await StreamPlay.server(
            Self.ask, Self.tell, line, options: options, begin: { client, _ in client.send(Self.question) })
        guard case .interrupted(let reason) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(reason.hasPrefix("the transcript goes on with connection 2, "))
    }
}
