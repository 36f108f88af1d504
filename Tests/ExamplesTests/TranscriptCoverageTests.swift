import Examples
import Serving
import Sessions
import TestSupport
import Testing
import TranscriptTesting
import Transcripts
import ViewModelServer

@Suite(.inTurn) struct TranscriptCoverageTests {
    /// The goals that no conversation can show, each with the reason.
    private let exceptions: Set = [
        // A fault of the server itself, and none is known.
        "error codes: -32603 InternalError"
    ]

    @Test func `transcripts have seen all that the server can be asked and can say`() throws {
        var registry = Registry()
        Examples.register(in: &registry)
        var coverage = Coverage(of: CoverageGoals(registry))
        for folder in [
            "../Transcripts", "../Transcripts/Token", "../Transcripts/People", "../Transcripts/SmallLimits",
            "../Transcripts/Durable",
        ] {
            for transcript in Transcript.all(in: folder) {
                try coverage.read(TranscriptReader(path: transcript.path))
            }
        }
        let gaps = Set(coverage.report.gaps)
        #expect(gaps.subtracting(exceptions).isEmpty, "add a transcript to Tests/Transcripts that shows it")
        #expect(exceptions.subtracting(gaps).isEmpty, "this is no exception any more")
    }
}
