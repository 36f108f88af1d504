package import JSON

/// Where a play went another way than its transcript.
package struct PlayerFailure: Error, Equatable, Sendable {
    /// How many lines before and behind the expected one are shown.
    static let linesAround = 3

    /// The transcript's file.
    package var path: String
    /// The line that was expected, or behind which something came that wasn't.
    package var line: Int
    /// What is wrong, in a sentence: "another value came", "nothing came for 10 s".
    package var reason: String
    /// Where in the message the first difference is; nil when there is nothing to compare.
    package var difference: JSONPointer?
    /// As text; nil when nothing was expected.
    package var expected: String?
    /// As text; nil when nothing came.
    package var actual: String?
    /// Lines of the file around the expected one, as they stand there, with their numbers.
    package var around: [Line]

    package struct Line: Equatable, Sendable {
        package var number: Int
        /// Cut where it is very long.
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
