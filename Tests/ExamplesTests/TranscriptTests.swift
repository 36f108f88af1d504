import Examples
import FoundationEssentials
import Testing
import TranscriptTesting

/// Every conversation of `Tests/Transcripts`, in both framings. A folder in it holds those with a server of
/// another kind.
@Suite struct TranscriptTests {
    @Test(arguments: Transcript.all(in: "../Transcripts"))
    func conversation(_ transcript: Transcript) async {
        await replay(transcript)
    }

    @Test(arguments: Transcript.all(in: "../Transcripts/Token"))
    func `conversation with a server that wants a token`(_ transcript: Transcript) async {
        await replay(transcript, token: "open sesame")
    }

    @Test(arguments: Transcript.all(in: "../Transcripts/SmallLimits"))
    func `conversation with a server that holds little`(_ transcript: Transcript) async {
        var limits = Limits()
        limits.sessions = 1
        limits.hostedSessions = 1
        limits.batchMessages = 3
        limits.pendingEvents = 1
        limits.replayEvents = 2
        await replay(transcript, limits: limits)
    }

    @Test func `there is no folder of transcripts that nobody replays`() throws {
        let folder = #filePath.replacing("ExamplesTests/TranscriptTests.swift", with: "Transcripts")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.filter { !$0.hasSuffix(".jsonl") }.sorted() == ["SmallLimits", "Token"])
    }

    private func replay(_ transcript: Transcript, limits: Limits = Limits(), token: String? = nil) async {
        await transcript.replay(
            name: "view-model-server", limits: limits, token: token, timeout: .seconds(240)
        ) { Examples.register(in: &$0) }
    }
}
