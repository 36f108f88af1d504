import Transcripts

extension TranscriptOutcome {
    /// The failure caused by a message.
    var failure: PlayerFailure? {
        if case .failed(let failure, byEnding: false) = self { failure } else { nil }
    }

    /// The failure caused by the end of a connection.
    var failureByEnding: PlayerFailure? {
        if case .failed(let failure, byEnding: true) = self { failure } else { nil }
    }
}

/// A play ended in a way that a test has no eye for.
struct Unexpected: Error {
    let outcome: TranscriptOutcome
}
