import TestSupport
import Testing
import Transcripts
import Transport

@Suite(.inTurn) struct RecordingStreamTests {
    @Test func `a recorded stream behaves as before, and its bytes are recorded`() async throws {
        let lines = try await withStream { server, client, isClosed, loop in
            try await loop.run { client.value.say("{\"id\":1}\n{\"id\":2}\n") }
            await server.until(on: loop) { $0.text == "{\"id\":1}\n{\"id\":2}\n" }
            try await loop.run {
                server.value.say("{\"id\":2,\"result\":")
                server.value.say("2}\n")
                client.value.stream.finishWriting()
            }
            await server.until(on: loop) { $0.hasHeardEnd }
            try await loop.run {
                server.value.say("{\"id\":1,\"result\":1}\n")
                server.value.stream.finish()
                server.value.say("{\"id\":3,\"result\":\"too late\"}\n")
            }
            await client.until(on: loop) { $0.isClosed }
            #expect(try await loop.run { client.value.text == "{\"id\":2,\"result\":2}\n{\"id\":1,\"result\":1}\n" })
            await server.until(on: loop) { $0.isClosed }
            await isClosed.wait()
        }
        #expect(
            lines == [
                #"client message {"id":1}"#, #"client message {"id":2}"#, #"server message {"id":2,"result":2}"#,
                "client end", #"server message {"id":1,"result":1}"#, "server end",
            ])
    }

    @Test func `a connection that is closed at once has no ends`() async throws {
        let lines = try await withStream { server, client, isClosed, loop in
            try await loop.run { client.value.say("{\"id\":1}\n{\"id\":") }
            await server.until(on: loop) { !$0.text.isEmpty }
            try await loop.run { server.value.stream.close() }
            await isClosed.wait()
        }
        #expect(lines == [#"client message {"id":1}"#, #"client text {"id":"#])
    }

    @Test func `reading can be paused, and done on request`() async throws {
        let lines = try await withStream { server, client, isClosed, loop in
            try await loop.run {
                server.value.stream.isReadingPaused = true
                client.value.say("{\"id\":1}\n")
            }
            while try await loop.run({ client.value.stream.unsentByteCount }) > 0 {}
            try await loop.run {
                #expect(server.value.text == "")
                #expect(server.value.stream.isReadingPaused)
                server.value.stream.isReadingPaused = false
                server.value.stream.readAvailable()
                #expect(server.value.text == "{\"id\":1}\n")
                server.value.stream.close()
            }
            await isClosed.wait()
        }
        #expect(lines == [#"client message {"id":1}"#])
    }

    /// The user of a recorded stream, its client, and the lines that were recorded.
    private func withStream(
        _ body: (LoopBound<Talker>, LoopBound<Talker>, Gate, EventLoop) async throws -> Void
    ) async throws -> [String] {
        let folder = try TemporaryFolder()
        let path = folder.file("story.jsonl")
        try await withLoop("disk") { disk in
            let options = Recording.Options(header: TranscriptHeader(title: "story"))
            let recording = Recording(to: try TranscriptFile(path: path), options, on: disk)
            try await withLoop { loop in
                let isClosed = Gate()
                let (server, client) = try await loop.run {
                    let (serverEnd, clientEnd) = MemoryStream.pair(loop: loop)
                    let stream = RecordingStream(
                        serverEnd, as: recording.connect(), didClose: { isClosed.open() })
                    return (LoopBound(Talker(stream), loop: loop), LoopBound(Talker(clientEnd), loop: loop))
                }
                try await body(server, client, isClosed, loop)
            }
            #expect(await recording.close(within: .seconds(30)) == nil)
        }
        return try described(path)
    }
}
