/// Who sent what a line of a transcript holds.
package enum TranscriptSide: String, Sendable, CaseIterable {
    case client
    case server

    package var opposite: TranscriptSide { self == .client ? .server : .client }
}
