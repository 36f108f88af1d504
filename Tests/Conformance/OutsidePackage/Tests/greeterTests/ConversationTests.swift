import Testing
import TranscriptTesting

@testable import greeter

@Test(arguments: Transcript.all(in: "Transcripts"))
func conversation(_ transcript: Transcript) async {
    await transcript.replay(on: Greeter.self)
}
