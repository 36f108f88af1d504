/// The first line of a transcript: its title, and the server that was recorded.
///
/// Unknown members are ignored.
package struct TranscriptHeader: Equatable, Sendable {
    /// The version of the format, the member `transcript`. Files of any other version are rejected.
    package static let version = 1

    /// The transcript's title, for people only. The default is the file's name.
    package var title: String
    /// The server's name and version from its answer to the first request; without such an answer, the server's command or
    /// address. For people only: nothing is checked against it.
    package var server: String?
    /// The version in the same answer.
    package var protocolVersion: String?

    package init(title: String, server: String? = nil, protocolVersion: String? = nil) {
        self.title = title
        self.server = server
        self.protocolVersion = protocolVersion
    }
}
