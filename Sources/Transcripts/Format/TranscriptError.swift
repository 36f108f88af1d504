/// A file that isn't a valid transcript, or that can't be read or written.
package struct TranscriptError: Error, Equatable, CustomStringConvertible {
    package let path: String
    /// The number of the line, from 1; nil if the error is about the whole file.
    package let line: Int?
    package let reason: String

    package init(path: String, line: Int? = nil, reason: String) {
        self.path = path
        self.line = line
        self.reason = reason
    }

    /// The error in the form of a compiler's messages, so that editors and terminals can jump to the line.
    package var description: String {
        line.map { "\(path):\($0): \(reason)" } ?? "\(path): \(reason)"
    }
}
