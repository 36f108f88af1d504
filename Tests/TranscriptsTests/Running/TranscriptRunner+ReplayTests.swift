import JSON
import JSONRPC
import TestSupport
import Testing
import Transcripts
import Transport

/// The client's side of a transcript, played over streams in memory.
@Suite(.inTurn) struct TranscriptRunnerReplayTests {
    private static let ping = #"> {"jsonrpc":"2.0","id":1,"method":"ping"}"#
    private static let pong = #"< {"jsonrpc":"2.0","id":1,"result":null}"#
    private static let answer = #"{"jsonrpc":"2.0","id":1,"result":null}"#

    /// Answers a message and ends with its client.
    private static func server(_ answers: String...) -> ScriptedPeer.Script {
        { peer, content in
            if content == .end { return peer.stream.finish() }
            for answer in answers { peer.send(answer) }
        }
    }

    private static func options(_ change: (inout TranscriptRunner.Options) -> Void) -> TranscriptRunner.Options {
        var options = TranscriptRunner.Options(side: .client)
        change(&options)
        return options
    }

    /// Time passes as soon as the runner waits for it.
    private static let impatient = options { $0.clock = ManualClock.passing() }

    @Test(arguments: Framing.allCases)
    func `a replay passes, and its messages are counted`(_ framing: Framing) async throws {
        let outcome = try await StreamPlay.client(
            Self.ping, Self.pong, options: Self.options { $0.framing = framing }, server: Self.server(Self.answer))
        #expect(outcome == .passed(messages: 2, updated: []))
    }

    @Test func `connections open when the transcript gets to them`() async throws {
        let outcome = try await StreamPlay.client(
            Self.ping, Self.pong, "2" + Self.ping, "2" + Self.pong, "3" + Self.ping, "3" + Self.pong, Self.ping,
            Self.pong,
            server: Self.server(Self.answer))
        #expect(outcome == .passed(messages: 8, updated: []))
    }

    @Test func `messages wait until the connection is open`() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(StreamPlay.transcript([Self.ping, Self.pong, "> end"]), to: "test.jsonl")
        let outcome = await TranscriptRunner.run(path, .init(side: .client)) { loop in
            { _, completion in
                loop.atEndOfTurn {
                    let (near, far) = MemoryStream.pair(loop: loop)
                    _ = ScriptedPeer(far, .headers, Self.server(Self.answer))
                    completion(.success(near))
                }
            }
        }
        #expect(outcome == .passed(messages: 2, updated: []))
    }

    @Test func `another answer fails at its line, and the connection is closed`() async throws {
        let closed = Recorder<Void>()
        let outcome = try await StreamPlay.client(Self.ping, Self.pong) { peer, content in
            if content == .end { return closed.record(()) }
            peer.send(#"{"jsonrpc":"2.0","id":1,"result":1}"#)
        }
        let failure = try #require(outcome.failure, "\(outcome)")
        #expect(failure.line == 3)
        #expect(failure.difference == "/result")
        #expect(closed.elements.count == 1)
    }

    @Test func `a message after the last line is a failure`() async throws {
        let outcome = try await StreamPlay.client(Self.ping, Self.pong) { peer, content in
            peer.send(Self.answer)
            if content == .end { peer.stream.finish() }
        }
        let failure = try #require(outcome.failure, "\(outcome)")
        #expect(failure.actual?.contains(#""id":1"#) ?? false)
    }

    @Test func `a server that ends before its answer fails by ending`() async throws {
        let outcome = try await StreamPlay.client(Self.ping, Self.pong) { peer, _ in peer.stream.finish() }
        let failure = try #require(outcome.failureByEnding, "\(outcome)")
        #expect(failure.line == 3)
    }

    @Test func `a silent server fails after the timeout`() async throws {
        let outcome = try await StreamPlay.client(Self.ping, Self.pong, options: Self.impatient) { _, _ in }
        let failure = try #require(outcome.failure, "\(outcome)")
        #expect(failure.line == 3)
    }

    @Test func `a server that doesn't end passes after the timeout`() async throws {
        let outcome = try await StreamPlay.client(Self.ping, Self.pong, options: Self.impatient) { peer, content in
            if content != .end { peer.send(Self.answer) }
        }
        #expect(outcome == .passed(messages: 2, updated: []))
    }

    @Test func `a server that ends after its last message passes`() async throws {
        let outcome = try await StreamPlay.client(Self.ping, Self.pong) { peer, _ in
            peer.send(Self.answer)
            peer.stream.finish()
        }
        #expect(outcome == .passed(messages: 2, updated: []))
    }

    @Test func `after the client's end the server's last messages and its end are expected`() async throws {
        let outcome = try await StreamPlay.client(Self.ping, "> end", Self.pong, "< end") { peer, content in
            guard content == .end else { return }
            peer.send(Self.answer)
            peer.stream.finish()
        }
        #expect(outcome == .passed(messages: 2, updated: []))
    }

    @Test func `a connection that can't be opened is reported in the system's words`() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(StreamPlay.transcript([Self.ping]), to: "test.jsonl")
        let socket = folder.file("nobody")
        let outcome = await TranscriptRunner.run(path, .init(side: .client)) { loop in
            { _, completion in Socket.connect(path: socket, on: loop) { completion($0.erased) } }
        }
        #expect(outcome.report(of: path, width: 80).hasPrefix("\(path): connect \(socket): "))
    }

    @Test func `output without framing is reported as such`() async throws {
        let outcome = try await StreamPlay.client(Self.ping, Self.pong) { peer, content in
            if content != .end { peer.send(bytes: "Server ready!\n") }
        }
        let failure = try #require(outcome.failure, "\(outcome)")
        #expect(failure.reason.contains("framed neither by headers nor by lines"))
    }

    @Test(arguments: [
        (#"{"transcript":2}"#, 1), ("", 1), (#"{"transcript":1}"# + "\n{\"from\":\"client\",", 2),
        (#"{"transcript":1}"# + "\n\nhello\n", 3),
    ])
    func `a broken transcript is reported with its line`(_ text: String, _ line: Int) async throws {
        let outcome = try await StreamPlay.client(text: text) { _, _ in }
        guard case .broken(let error) = outcome else { throw Unexpected(outcome: outcome) }
        #expect(error.line == line)
    }

    @Test func `a transcript of nothing passes`() async throws {
        #expect(try await StreamPlay.client(server: { _, _ in }) == .passed(messages: 0, updated: []))
    }

    @Test func `paced, a line waits for its time, and silence until then is no failure`() async throws {
        let clock = ManualClock.passing()
        var options = Self.options { $0.clock = clock }
        options.player.isPaced = true
        let times = Recorder<Duration>()
        let outcome = try await StreamPlay.client(
            Self.ping, Self.pong, "@60000" + Self.ping, "@60000" + Self.pong, options: options
        ) { peer, content in
            if content == .end { return peer.stream.finish() }
            times.record(clock.now.offset)
            peer.send(Self.answer)
        }
        #expect(outcome == .passed(messages: 4, updated: []))
        #expect(times.elements.count == 2 && times.elements[1] >= .seconds(60))
    }

    @Test func `virtual time passes without waiting`() async throws {
        let clock = ManualClock()
        let times = Recorder<Duration>()
        let outcome = try await StreamPlay.client(
            "@3600000" + Self.ping, "@3600000" + Self.pong, "@7200000" + Self.ping, "@7200000" + Self.pong,
            options: Self.options { $0.virtualClock = clock }
        ) { peer, content in
            if content == .end { return peer.stream.finish() }
            times.record(clock.now.offset)
            peer.send(Self.answer)
        }
        #expect(outcome == .passed(messages: 4, updated: []))
        #expect(times.elements == [.seconds(3_600), .seconds(7_200)])
    }

    @Test func `a task that sleeps in that time wakes before a later line is sent`() async throws {
        let clock = ManualClock()
        let outcome = try await StreamPlay.client(
            Self.ping, "@1000" + Self.pong, "@1001" + Self.ping, "@2001" + Self.pong,
            options: Self.options { $0.virtualClock = clock }
        ) { peer, content in
            if content == .end { return peer.stream.finish() }
            let bound = LoopBound(peer, loop: peer.stream.loop)
            Task(executorPreference: peer.stream.loop) {
                try await clock.sleep(for: .seconds(1))
                bound.value.send(Self.answer)
            }
        }
        #expect(outcome == .passed(messages: 4, updated: []))
        #expect(clock.now.offset == .milliseconds(2_001))
    }

    @Test func `time doesn't pass before tasks of the pool have got as far as they can`() async throws {
        let clock = ManualClock()
        let tick = #"{"jsonrpc":"2.0","method":"tick"}"#
        let outcome = try await StreamPlay.client(
            #"> {"jsonrpc":"2.0","method":"start"}"#, "@1000" + Self.ping, "@1000" + Self.pong, "@1000< " + tick,
            options: Self.options { $0.virtualClock = clock }
        ) { peer, content in
            if content == .end { return peer.stream.finish() }
            guard content.message?.contains("start") ?? false else { return peer.send(Self.answer) }
            let loop = peer.stream.loop
            let bound = LoopBound(peer, loop: loop)
            Task.detached {
                await Task.yield()
                try await clock.sleep(for: .seconds(1))
                loop.execute { bound.value.send(tick) }
            }
        }
        #expect(outcome == .passed(messages: 4, updated: []))
        #expect(clock.now.offset == .seconds(1))
    }

    @Test func `a failure names the time at which a task that still sleeps would wake`() async throws {
        let clock = ManualClock()
        let outcome = try await StreamPlay.client(
            Self.ping, "@10" + Self.pong,
            options: Self.options { ($0.virtualClock, $0.clock) = (clock, ManualClock.passing()) }
        ) { peer, content in
            Task(executorPreference: peer.stream.loop) { try await clock.sleep(for: .seconds(1)) }
        }
        let failure = try #require(outcome.failure, "\(outcome)")
        #expect(failure.line == 3)
        #expect(failure.reason.contains("\"at\" of 1000"))
        clock.end()
    }

    @Test func `when updating, the messages that come before a silence replace the expected ones`() async throws {
        var options = Self.impatient
        options.player.isUpdating = true
        let outcome = try await StreamPlay.client(
            Self.ping, #"< {"old":1}"#, options: options, server: Self.server(Self.answer))
        guard case .passed(messages: 2, let entries) = outcome else { throw Unexpected(outcome: outcome) }
        #expect(entries.map(\.from) == [.client, .server])
        #expect(entries.last?.content.message == Self.answer)
    }
}

extension Result where Success == DescriptorStream, Failure == SystemError {
    fileprivate var erased: Result<any ByteStream, any Error> { map { $0 }.mapError { $0 } }
}
