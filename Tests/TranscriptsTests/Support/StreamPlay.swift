import JSONRPC
import Testing
import Transcripts
import Transport

/// Plays transcripts over connections in memory.
enum StreamPlay {
    /// The lines of a transcript: `> message` is the client's, `< message` the server's; they may be preceded by the
    /// number of a connection and, after `@`, a time, as in `2@50> …`. `end` isn't a message.
    static func transcript(_ lines: [String]) -> String {
        let entries = lines.map { line -> String in
            guard let mark = line.firstIndex(where: { "<>".contains($0) }) else { return line }
            let place = line[..<mark].split(separator: "@", omittingEmptySubsequences: false)
            let content = line[line.index(after: mark)...].drop { $0 == " " }
            let member = content == "end" ? #""end":true"# : #""message":\#(content)"#
            let from = line[mark] == ">" ? "client" : "server"
            let number = place.first.flatMap { Int($0) } ?? 1
            let time = place.count > 1 ? Int(place[1]) ?? 0 : 0
            return #"{"from":"\#(from)","connection":\#(number),"at":\#(time),\#(member)}"#
        }
        return ([#"{"transcript":1,"title":"test"}"#] + entries).map { $0 + "\n" }.joined()
    }

    /// Plays the client's side; `server` is at the other end of each connection.
    static func client(
        _ lines: String..., options: TranscriptRunner.Options = .init(side: .client),
        server: @escaping ScriptedPeer.Script
    ) async throws -> TranscriptOutcome {
        try await client(text: transcript(lines), options: options, server: server)
    }

    static func client(
        text: String, options: TranscriptRunner.Options = .init(side: .client), server: @escaping ScriptedPeer.Script
    ) async throws -> TranscriptOutcome {
        let folder = try TemporaryFolder()
        let framing = options.framing
        return await TranscriptRunner.run(try folder.write(text, to: "test.jsonl"), options) { loop in
            { _, completion in
                let (near, far) = MemoryStream.pair(loop: loop)
                _ = ScriptedPeer(far, framing, server)
                completion(.success(near))
            }
        }
    }

    /// Plays the server's side. `begin` is called with each of `connections` clients, in order, and `client` with what
    /// comes.
    static func server(
        _ lines: String..., options: TranscriptRunner.Options = .init(side: .server), framing: Framing = .lines,
        connections: Int = 1, begin: @escaping @Sendable (ScriptedPeer, Int) -> Void,
        client: @escaping ScriptedPeer.Script = { peer, content in if content == .end { peer.stream.finish() } }
    ) async throws -> TranscriptOutcome {
        let folder = try TemporaryFolder()
        let path = try folder.write(transcript(lines), to: "test.jsonl")
        let loop = try EventLoop(name: "test")
        try loop.start()
        let outcome: TranscriptOutcome = await withCheckedContinuation { continuation in
            loop.execute {
                do throws(TranscriptError) {
                    let runner = TranscriptRunner(try TranscriptReader(path: path), options, on: loop)
                    runner.begin { continuation.resume(returning: $0) }
                    for number in 1...connections {
                        let (near, far) = MemoryStream.pair(loop: loop)
                        runner.accept(near)
                        begin(ScriptedPeer(far, framing, client), number)
                    }
                } catch {
                    continuation.resume(returning: .broken(error))
                }
            }
        }
        loop.stop()
        await loop.join()
        return outcome
    }
}
