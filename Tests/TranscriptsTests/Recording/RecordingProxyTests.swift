import TestSupport
import Testing
import Transcripts
import Transport

@Suite(.inTurn) struct RecordingProxyTests {
    private static let bulk = String(repeating: "0123456789", count: 200_000)

    @Test(arguments: [Int.max, 3])
    func `both sides receive everything, and it is recorded`(pieceBytes: Int) async throws {
        let lines = try await withConversation(pieceBytes: pieceBytes) { talk, loop in
            try await loop.run { talk.client.value.say("{\"id\":1}\n") }
            await talk.server.until(on: loop) { $0.text == "{\"id\":1}\n" }
            try await loop.run { talk.server.value.say("{\"id\":1,\"result\":1}\n") }
            await talk.client.until(on: loop) { $0.text == "{\"id\":1,\"result\":1}\n" }
            // The end of one side is passed on, while the other goes on.
            try await loop.run { talk.client.value.stream.finishWriting() }
            await talk.server.until(on: loop) { $0.hasHeardEnd }
            try await loop.run { talk.server.value.say("{\"bye\":1}\n") }
            await talk.client.until(on: loop) { $0.text.hasSuffix("{\"bye\":1}\n") }
            try await loop.run { talk.server.value.stream.finishWriting() }
            await talk.isClosed.wait()
        }
        #expect(
            lines == [
                #"client message {"id":1}"#, #"server message {"id":1,"result":1}"#, "client end",
                #"server message {"bye":1}"#, "server end",
            ])
    }

    @Test func `a side that isn't read can't send without bound`() async throws {
        let lines = try await withConversation { talk, loop in
            try await loop.run {
                talk.client.value.stream.isReadingPaused = true
                talk.server.value.say(Self.bulk)
            }
            // All that can move has moved when a turn moves nothing.
            var before = -1
            while try await loop.run({ talk.server.value.stream.unsentByteCount }) != before {
                before = try await loop.run { talk.server.value.stream.unsentByteCount }
                for _ in 0..<50 { try await loop.run {} }
            }
            #expect(before > Self.bulk.utf8.count / 2)
            try await loop.run { talk.client.value.stream.isReadingPaused = false }
            await talk.client.until(on: loop) { $0.text == Self.bulk }
            try await talk.bothEnd(on: loop)
        }
        #expect(lines.contains("server end"))
    }

    @Test func `when the client is gone, the server's last messages are recorded`() async throws {
        let lines = try await withConversation { talk, loop in
            try await loop.run {
                talk.client.value.say("{\"id\":1}\n")
                loop.atEndOfTurn { loop.execute { talk.client.value.stream.close() } }
            }
            await talk.server.until(on: loop) { $0.hasHeardEnd }
            try await loop.run { talk.server.value.say("{\"id\":1,\"result\":1}\n") }
            // Nobody reads it, so it breaks the client's stream.
            for _ in 0..<10 { try await loop.run {} }
            try await loop.run {
                talk.server.value.say("{\"more\":1}\n")
                talk.server.value.stream.finish()
            }
            await talk.isClosed.wait()
        }
        #expect(
            lines == [
                #"client message {"id":1}"#, "client end", #"server message {"id":1,"result":1}"#,
                #"server message {"more":1}"#, "server end",
            ])
    }

    @Test func `a server that goes on without its client is closed after the grace`() async throws {
        _ = try await withConversation(grace: .milliseconds(1)) { talk, loop in
            try await loop.run { talk.client.value.stream.close() }
            await talk.server.until(on: loop) { $0.hasHeardEnd }
            try await loop.run { talk.server.value.say("{}\n") }
            await talk.isClosed.wait()
        }
    }

    @Test func `the output of a program that has ended reaches a slow client`() async throws {
        // More than waits for the client: the rest is still unread when the program ends.
        let text = String(Self.bulk.prefix(MemoryStream.defaultCapacity * 3))
        let lines = try await withConversation(pieceBytes: 1_000) { talk, loop in
            try await loop.run {
                talk.client.value.stream.isReadingPaused = true
                talk.server.value.say(text)
                talk.server.value.stream.finishWriting()
            }
            while try await loop.run({ talk.server.value.stream.unsentByteCount }) > 0 {}
            try await loop.run {
                talk.proxy.value.serverDidEnd()
                talk.client.value.stream.isReadingPaused = false
            }
            await talk.client.until(on: loop) { $0.hasHeardEnd }
            #expect(try await loop.run { talk.client.value.text == text })
            try await loop.run { talk.client.value.stream.finishWriting() }
            await talk.isClosed.wait()
        }
        #expect(lines.last == "server end")
    }

    @Test func `when finishing, what has arrived is passed on`() async throws {
        let lines = try await withConversation { talk, loop in
            try await loop.run {
                talk.client.value.say("{\"id\":1}\n")
                talk.server.value.say("{\"id\":2}\n")
                // When both have been sent, and before either is read.
                loop.atEndOfTurn { loop.atEndOfTurn { talk.proxy.value.finish() } }
            }
            await talk.isClosed.wait()
            await talk.client.until(on: loop) { $0.hasHeardEnd }
            await talk.server.until(on: loop) { $0.hasHeardEnd }
            #expect(try await loop.run { talk.client.value.text == "{\"id\":2}\n" })
            #expect(try await loop.run { talk.server.value.text == "{\"id\":1}\n" })
        }
        #expect(lines == [#"client message {"id":1}"#, #"server message {"id":2}"#])
    }

    @Test func `the output of a client that is gone reaches a slow server`() async throws {
        let sent = Recorder<Int>()
        let lines = try await withConversation { talk, loop in
            try await loop.run {
                talk.server.value.stream.isReadingPaused = true
                talk.client.value.say(Self.bulk)
            }
            var before = -1
            while try await loop.run({ talk.client.value.stream.unsentByteCount }) != before {
                before = try await loop.run { talk.client.value.stream.unsentByteCount }
                for _ in 0..<50 { try await loop.run {} }
            }
            try await loop.run {
                sent.record(Self.bulk.utf8.count - talk.client.value.stream.unsentByteCount)
                talk.client.value.stream.close()
                talk.server.value.say("{\"id\":1}\n")
            }
            for _ in 0..<10 { try await loop.run {} }
            try await loop.run { talk.server.value.stream.isReadingPaused = false }
            await talk.server.until(on: loop) { $0.hasHeardEnd }
            #expect(try await loop.run { talk.server.value.text.utf8.count == sent.elements[0] })
            try await loop.run { talk.server.value.stream.finish() }
            await talk.isClosed.wait()
        }
        let prefix = "client unframed "
        let recorded = lines.filter { $0.hasPrefix(prefix) }.reduce(0) { $0 + $1.utf8.count - prefix.utf8.count }
        #expect(recorded == sent.elements[0])
    }

    /// A client and a server with a proxy between them, and the lines that were recorded.
    private func withConversation(
        pieceBytes: Int = .max, grace: Duration = .seconds(1_000),
        _ body: (Conversation, EventLoop) async throws -> Void
    ) async throws -> [String] {
        let folder = try TemporaryFolder()
        let path = folder.file("story.jsonl")
        try await withLoop("disk") { disk in
            let options = Recording.Options(header: TranscriptHeader(title: "story"))
            let recording = Recording(to: try TranscriptFile(path: path), options, on: disk)
            try await withLoop { loop in
                try await body(Conversation.start(recording, on: loop, pieceBytes, grace), loop)
            }
            #expect(await recording.close(within: .seconds(30)) == nil)
        }
        return try described(path)
    }
}

/// Both ends of a proxy.
private struct Conversation: Sendable {
    let client: LoopBound<Talker>
    let server: LoopBound<Talker>
    let proxy: LoopBound<RecordingProxy>
    let isClosed: Gate

    static func start(
        _ recording: Recording, on loop: EventLoop, _ pieceBytes: Int, _ grace: Duration
    ) async throws -> Conversation {
        try await loop.run {
            let (client, clientEnd) = MemoryStream.pair(loop: loop, pieceBytes: pieceBytes)
            let (serverEnd, server) = MemoryStream.pair(loop: loop, pieceBytes: pieceBytes)
            let closing = Gate()
            let proxy = RecordingProxy(
                client: clientEnd, server: serverEnd, as: recording.connect(), grace: grace,
                didClose: { closing.open() })
            return Conversation(
                client: LoopBound(Talker(client), loop: loop), server: LoopBound(Talker(server), loop: loop),
                proxy: LoopBound(proxy, loop: loop), isClosed: closing)
        }
    }

    func bothEnd(on loop: EventLoop) async throws {
        try await loop.run {
            client.value.stream.finishWriting()
            server.value.stream.finishWriting()
        }
        await isClosed.wait()
    }
}
