import Synchronization

/// A regular expression, in the dialect that Swift and ECMA-262 share. It is looked for anywhere in a string.
final class Pattern: Sendable {
    let text: String
    /// A `Regex` isn't `Sendable`.
    private let regex: Mutex<Regex<AnyRegexOutput>>

    init(_ text: String) throws {
        self.text = text
        let regex = try Regex(text).matchingSemantics(.unicodeScalar).asciiOnlyDigits().asciiOnlyWordCharacters()
        self.regex = Mutex(regex)
    }

    func isFound(in string: String) -> Bool {
        regex.withLock { regex in (try? regex.firstMatch(in: string)) != nil }
    }
}
