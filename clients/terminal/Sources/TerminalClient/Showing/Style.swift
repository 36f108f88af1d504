import Transcripts

/// How words are set off on a terminal; in a pipe or a file they aren't.
package struct Style: Sendable {
    package static let plain = Style(hasColour: false)

    let hasColour: Bool

    package init(hasColour: Bool) {
        self.hasColour = hasColour
    }

    package func bold(_ text: String) -> String { styled(text, "1") }
    package func dim(_ text: String) -> String { styled(text, "2") }
    package func red(_ text: String) -> String { styled(text, "31") }
    package func green(_ text: String) -> String { styled(text, "32") }
    package func cyan(_ text: String) -> String { styled(text, "36") }

    private func styled(_ text: String, _ code: String) -> String {
        hasColour && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

/// A server's words in a line of our own: nothing in them moves the cursor or begins a new line.
package enum TerminalTextLine {
    package static func of(_ text: String) -> String {
        TerminalText.visible(text.replacing("\n", with: " "))
    }
}
