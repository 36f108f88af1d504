/// The test that replays every transcript of a test target.
enum NewConversationTemplate {
    /// - Parameters:
    ///   - module: the one that the server is in.
    ///   - server: the server's type.
    static func text(module: String, server: String) -> String {
        """
        import Testing
        import TranscriptTesting

        @testable import \(module)

        /// What clients and the server say to each other: every conversation in `Transcripts` is a test of its own.
        @Test(arguments: Transcript.all(in: "Transcripts"))
        func conversation(_ transcript: Transcript) async {
            await transcript.replay(on: \(server).self)
        }

        """
    }
}
