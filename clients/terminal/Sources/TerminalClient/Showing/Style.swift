import Transcripts

/// The style of words on a terminal. In a pipe or a file, all words are plain.
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

/// Text of a server within a line of this client: nothing in it moves the cursor or begins a new line.
package enum TerminalTextLine {
    package static func of(_ text: String) -> String {
        TerminalText.visible(text.replacing("\n", with: " "))
    }
}
