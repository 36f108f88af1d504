package import JSON

/// The first deviation of a play from its transcript.
package struct PlayerFailure: Error, Equatable, Sendable {
    /// The number of lines shown before and after the expected one.
    package static let linesAround = 3

    /// The path of the transcript's file.
    package var path: String
    /// The number of the line that was expected; for unexpected content, of the line before it.
    package var line: Int
    /// The reason as a clause, such as "nothing more was expected".
    package var reason: String
    /// The place of the first difference in the message; nil if there is nothing to compare.
    package var difference: JSONPointer?
    /// The expected content; nil if nothing was expected.
    package var expected: String?
    /// The received content; nil if nothing came.
    package var actual: String?
    /// The lines of the file around the expected one.
    package var around: [Line]

    package struct Line: Equatable, Sendable {
        package var number: Int
        /// The line's text, cut if it is very long.
        package var text: String

        package init(number: Int, text: String) {
            self.number = number
            self.text = text
        }
    }

    package init(
        path: String, line: Int, reason: String, difference: JSONPointer? = nil, expected: String? = nil,
        actual: String? = nil, around: [Line] = []
    ) {
        self.path = path
        self.line = line
        self.reason = reason
        self.difference = difference
        self.expected = expected
        self.actual = actual
        self.around = around
    }
}
