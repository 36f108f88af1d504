/// A file isn't a transcript, or can't be read or written.
package struct TranscriptError: Error, Equatable, CustomStringConvertible {
    package let path: String
    /// From 1; nil when it is about the whole file.
    package let line: Int?
    package let reason: String

    package init(path: String, line: Int? = nil, reason: String) {
        self.path = path
        self.line = line
        self.reason = reason
    }

    /// As compilers write it, so that editors and terminals find the place.
    package var description: String {
        line.map { "\(path):\($0): \(reason)" } ?? "\(path): \(reason)"
    }
}
