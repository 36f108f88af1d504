/// How a play of a transcript ended.
package enum TranscriptOutcome: Equatable, Sendable {
    /// All was sent and all that was expected came: so many lines that hold messages, from both sides.
    ///
    /// `updated` is the whole transcript as it is to be written, when it was played to update it.
    case passed(messages: Int, updated: [TranscriptEntry])
    /// The other side did something else; `byEnding` when that was the end of a connection.
    case failed(PlayerFailure, byEnding: Bool)
    /// The transcript itself is no good.
    case broken(TranscriptError)
    /// The play couldn't begin or go on for a reason that isn't in the conversation, in words.
    case interrupted(String)
}

extension TranscriptOutcome {
    /// What is wrong, for people, with the place in the file first; what is right where nothing is.
    ///
    /// - Parameters:
    ///   - path: the transcript's.
    ///   - width: of lines, in characters.
    package func report(of path: String, width: Int) -> String {
        switch self {
        case .passed(let messages, _): "\(path) (\(messages) messages)"
        case .failed(let failure, _): failure.report(width: width)
        case .broken(let error): "\(error)"
        case .interrupted(let reason): "\(path): \(reason)"
        }
    }
}
