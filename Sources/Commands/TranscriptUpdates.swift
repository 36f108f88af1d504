import LibC

/// Whether tests rewrite the transcripts that they replay, instead of checking the server.
package enum TranscriptUpdates {
    /// The environment variable: transcripts are rewritten unless it is unset, empty or 0.
    package static let variable = "UPDATE_TRANSCRIPTS"

    package static var areWanted: Bool {
        guard let value = getenv(variable) else { return false }
        return !["", "0"].contains(String(cString: value))
    }
}
