import Examples
import FoundationEssentials
import JSONRPC
import TestSupport
import Testing
import TranscriptTesting
import Transcripts
import Transport

import Serving

/// With numbered keys and the transcript's time, a conversation is recorded the same in every run.
@Suite(.inTurn) struct RecordingTests {
    @Test(arguments: Transcript.all(in: "Transcripts"), Framing.allCases)
    func `a conversation is recorded the same each time, and like its transcript`(
        _ transcript: Transcript, _ framing: Framing
    ) async throws {
        let first = try await record(transcript, framing)
        let second = try await record(transcript, framing)
        #expect(first == second)
        let lines = try String(contentsOfFile: transcript.path, encoding: .utf8).split(separator: "\n")
        // The server sends more than the transcript asks for, and the ends of the connections come last.
        for (line, recorded) in zip(lines, first.split(separator: "\n")).dropFirst() where !line.contains("$match") {
            #expect(recorded == line)
        }
        #expect(first.split(separator: "\n").count > lines.count)
    }

    /// Replays the transcript to a server in this process, and returns the recording of its end of the connections.
    private func record(_ transcript: Transcript, _ framing: Framing) async throws -> String {
        let path = "/tmp/transcript-\(UUID().uuidString).jsonl"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let disk = try EventLoop(name: "disk")
        try disk.start()
        let clock = VirtualClock()
        let recording = Recording(
            to: try TranscriptFile(path: path), .init(header: TranscriptHeader(title: "test")), on: disk, clock: clock)
        var options = TranscriptRunner.Options(side: .client)
        (options.virtualClock, options.framing) = (clock, framing)
        let core = try await server.core(clock: clock)
        let outcome = await TranscriptRunner.run(
            transcript.path, options,
            connect: { loop in
                { _, completion in
                    let (near, far) = MemoryStream.pair(loop: loop)
                    // The limits of a connection are times of the real clock, which a play doesn't follow.
                    core.serve(RecordingStream(far, as: recording.connect()), isPatient: true)
                    completion(.success(near))
                }
            },
            afterwards: {
                clock.end()
                await core.drain()
            })
        guard case .passed = outcome else { throw Failed(outcome: outcome) }
        #expect(await recording.close(within: .seconds(60)) == nil)
        disk.stop()
        await disk.join()
        return try String(contentsOfFile: path, encoding: .utf8)
    }

    private var server: InProcessServer {
        InProcessServer(name: "test", version: "1.2.3") { registry in
            registry.add("counter") { CounterViewModel(arguments: $0) }
            registry.container.register((any OrdersProvider).self) { try SampleOrdersProvider(clock: $0.resolve()) }
            registry.add("orders") { container in
                try OrdersViewModel(container: container, arguments: .init(count: 1, delay: 3_600))
            }
        }
    }

    private struct Failed: Error {
        let outcome: TranscriptOutcome
    }
}
