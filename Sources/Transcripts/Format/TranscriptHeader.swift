/// The first line of a transcript: which conversation it is, and with whom.
///
/// Members that it doesn't know are ignored.
package struct TranscriptHeader: Equatable, Sendable {
    /// The version of the format, the member `transcript`. A file of another one is refused.
    package static let version = 1

    /// For people; a file's name where nobody gave another.
    package var title: String
    /// The server's name and version, as its answer to the client's first request gave them; else what was started or
    /// connected to. For people: nothing is checked against it.
    package var server: String?
    /// As that answer gave it.
    package var protocolVersion: String?

    package init(title: String, server: String? = nil, protocolVersion: String? = nil) {
        self.title = title
        self.server = server
        self.protocolVersion = protocolVersion
    }
}
