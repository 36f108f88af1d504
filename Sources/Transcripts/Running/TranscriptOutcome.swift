/// The result of a play.
package enum TranscriptOutcome: Equatable, Sendable {
    /// Everything was sent, and everything expected came.
    ///
    /// `messages` is the number of messages from both sides. `updated` has the entries to write if the play updated its
    /// transcript.
    case passed(messages: Int, updated: [TranscriptEntry])
    /// The other side deviated from the transcript. `byEnding` is true if it ended a connection too early.
    case failed(PlayerFailure, byEnding: Bool)
    /// The transcript is invalid.
    case broken(TranscriptError)
    /// The play couldn't begin or go on, for a reason outside of the conversation.
    case interrupted(String)
}

extension TranscriptOutcome {
    /// Returns a report for people, which begins with the path.
    ///
    /// - Parameters:
    ///   - path: the path of the transcript.
    ///   - width: the length of a line, in characters.
    package func report(of path: String, width: Int) -> String {
        switch self {
        case .passed(let messages, _): "\(path) (\(messages) messages)"
        case .failed(let failure, _): failure.report(width: width)
        case .broken(let error): "\(error)"
        case .interrupted(let reason): "\(path): \(reason)"
        }
    }
}
