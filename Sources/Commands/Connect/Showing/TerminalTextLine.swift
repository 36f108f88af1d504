import Transcripts

/// A server's words in a line of our own: nothing in them moves the cursor or begins a new line.
enum TerminalTextLine {
    static func of(_ text: String) -> String {
        TerminalText.visible(text.replacing("\n", with: " "))
    }
}
