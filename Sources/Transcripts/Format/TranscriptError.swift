/// A file that isn't a valid transcript, or that can't be read or written.
package struct TranscriptError: Error, Equatable, CustomStringConvertible {
    package let path: String
    /// From 1; nil when the error is about the whole file.
    package let line: Int?
    package let reason: String

    package init(path: String, line: Int? = nil, reason: String) {
        self.path = path
        self.line = line
        self.reason = reason
    }

    /// In the form that compilers use, so that editors and terminals can jump to the line.
    package var description: String {
        line.map { "\(path):\($0): \(reason)" } ?? "\(path): \(reason)"
    }
}
