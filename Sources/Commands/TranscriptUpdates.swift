import LibC

/// Whether tests are to rewrite the transcripts that they replay, instead of judging by them.
package enum TranscriptUpdates {
    /// Set to anything but nothing and 0, they are.
    package static let variable = "UPDATE_TRANSCRIPTS"

    package static var areWanted: Bool {
        guard let value = getenv(variable) else { return false }
        return !["", "0"].contains(String(cString: value))
    }
}
