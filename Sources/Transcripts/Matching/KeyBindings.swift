/// Which session keys of a play stand for which of the transcript: the server makes new ones each time.
struct KeyBindings {
    private var actual: [ScalarString: ScalarString] = [:]
    private var expected: [ScalarString: ScalarString] = [:]
    /// Whether every key so far came as the transcript has it, so that strings can be compared as they stand.
    private(set) var isIdentity = true

    /// What stands for `expected` in this play; nil when it is no key that was seen.
    func actual(for expected: ScalarString) -> ScalarString? { actual[expected] }

    /// The transcript's name for a key of this play.
    func expected(for actual: ScalarString) -> ScalarString? { expected[actual] }

    /// The first sight of both.
    mutating func bind(_ expected: ScalarString, to actual: ScalarString) {
        self.actual[expected] = actual
        self.expected[actual] = expected
        if expected != actual { isIdentity = false }
    }

    /// Those of a message that fits as a whole.
    mutating func formUnion(_ other: KeyBindings) {
        for (expected, actual) in other.actual { bind(expected, to: actual) }
    }
}
