import LibC

/// A person's terminal: the prompt with the typed line in its last rows, and all other output above them.
@MainActor final class TerminalScreen: ConsoleOutput {
    /// The width of a terminal that doesn't report its own.
    private static let assumedColumns = 80

    let style: Style
    private(set) var columns = TerminalScreen.assumedColumns
    private let mode: RawMode
    private var painter: PromptPainter
    private var decoder = KeyDecoder()
    var reader: LineReader
    /// The text in front of the line.
    private var prompt: String { "\(path)\(isAway ? "\(path.isEmpty ? "" : " ")(no connection)" : "")> " }
    private var path = ""
    private var isAway = false
    /// The line above the prompt while a command runs.
    private var status = ""
    private var isOpen = false

    init(_ mode: RawMode, history: History, style: Style) {
        self.mode = mode
        self.style = style
        reader = LineReader(history: history)
        painter = PromptPainter(columns: Self.assumedColumns, rows: 24, style: style)
    }

    func open() {
        isOpen = true
        mode.begin()
        draw()
    }

    /// Restores the terminal, and leaves the cursor on a free line.
    func close() {
        guard isOpen else { return }
        isOpen = false
        write(painter.leave())
        mode.end()
    }

    /// Takes the terminal back from another program, when the process goes on. May be called again.
    func reopen() {
        guard isOpen else { return }
        mode.begin()
        draw()
    }

    /// Draws nothing where the new size was drawn already: the terminal may be changing its size again by now.
    func didResize() {
        if isOpen, measure() { draw() }
    }

    func clear() {
        painter.forget()
        write("\u{1B}[H\u{1B}[2J")
        draw()
    }

    /// Decodes the keys of these bytes.
    func keys(in bytes: [UInt8]) -> [Key] {
        decoder.keys(from: bytes)
    }

    func bell() {
        write("\u{7}")
    }

    func screen(_ path: String) {
        guard path != self.path else { return }
        self.path = path
        draw()
    }

    func setAway(_ isAway: Bool) {
        self.isAway = isAway
        draw()
    }

    func show(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        write(painter.erase() + lines.map { $0 + "\r\n" }.joined())
        draw()
    }

    func remark(_ line: String) {
        show([style.dim("- \(line)")])
    }

    func fail(_ message: String) {
        show([style.red(message)])
    }

    func progress(_ text: String) {
        setStatus(text)
    }

    /// The line above the prompt; "" for none.
    func setStatus(_ text: String) {
        guard text != status else { return }
        status = text
        draw()
    }

    /// Keeps the line that was entered, and begins a new one.
    func showEntered(_ line: String) {
        write(painter.erase() + style.bold(reader.searchPrompt ?? prompt) + TerminalTextLine.of(line) + "\r\n")
        draw()
    }

    func draw() {
        guard isOpen else { return }
        measure()
        let content = PromptPainter.Content(
            status: status, prompt: reader.searchPrompt ?? prompt, left: reader.editor.left, right: reader.editor.right)
        write(painter.draw(content))
    }

    /// Called before each drawing: keys may come before the signal of a new size.
    ///
    /// - Returns: whether the size has changed.
    @discardableResult
    private func measure() -> Bool {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return false }
        let (newColumns, newRows) = (Int(size.ws_col), Int(size.ws_row))
        guard newColumns != painter.columns || newRows != painter.rows else { return false }
        columns = newColumns
        painter.resize(columns: newColumns, rows: newRows)
        return true
    }

    private func write(_ text: String) {
        if !text.isEmpty { FileOutput.write(text, to: STDOUT_FILENO) }
    }
}
