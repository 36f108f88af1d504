import LibC

/// The width and the colours of the terminal on standard output, with defaults for a pipe or a file.
struct Terminal {
    let width: Int
    let hasColour: Bool

    init() {
        let isTerminal = isatty(STDOUT_FILENO) != 0
        var size = winsize()
        let isKnown = isTerminal && ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        width = isKnown ? Int(size.ws_col) : 120
        // See https://no-color.org.
        hasColour = isTerminal && (getenv("NO_COLOR").map { $0.pointee == 0 } ?? true)
    }

    func green(_ text: String) -> String { coloured(text, 32) }
    func red(_ text: String) -> String { coloured(text, 31) }

    private func coloured(_ text: String, _ number: Int) -> String {
        hasColour ? "\u{1B}[\(number)m\(text)\u{1B}[0m" : text
    }
}
