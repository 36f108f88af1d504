/// The first line of a transcript: its title, and the server that was recorded.
///
/// Unknown members are ignored.
package struct TranscriptHeader: Equatable, Sendable {
    /// The version of the format, the member `transcript`. Files of any other version are rejected.
    package static let version = 1

    /// For people; the file's name unless another title was given.
    package var title: String
    /// The name and version in the server's answer to the first request; without one, the command or address of the
    /// server. Only for people: nothing is checked against it.
    package var server: String?
    /// The version in the same answer.
    package var protocolVersion: String?

    package init(title: String, server: String? = nil, protocolVersion: String? = nil) {
        self.title = title
        self.server = server
        self.protocolVersion = protocolVersion
    }
}
