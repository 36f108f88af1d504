import Transcripts

extension TranscriptOutcome {
    /// What the other side did wrong by something that it said.
    var failure: PlayerFailure? {
        if case .failed(let failure, byEnding: false) = self { failure } else { nil }
    }

    /// What was still expected when the other side ended.
    var failureByEnding: PlayerFailure? {
        if case .failed(let failure, byEnding: true) = self { failure } else { nil }
    }
}

/// A play ended in a way that a test has no eye for.
struct Unexpected: Error {
    let outcome: TranscriptOutcome
}
