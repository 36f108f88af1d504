import Glibc

/// A person's terminal: the prompt with the line that is typed in its last rows, and all that comes above them.
@MainActor final class TerminalScreen: ConsoleOutput {
    /// Of a terminal that doesn't say.
    private static let assumedColumns = 80

    let style: Style
    private(set) var columns = TerminalScreen.assumedColumns
    private let mode: RawMode
    private var painter: PromptPainter
    private var decoder = KeyDecoder()
    var reader: LineReader
    /// What stands before the line.
    private var prompt = "> "
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

    /// The terminal is as it was, and the next line is free.
    func close() {
        guard isOpen else { return }
        isOpen = false
        write(painter.leave())
        mode.end()
    }

    /// The process goes on, and another program had the terminal meanwhile. Again is fine.
    func reopen() {
        guard isOpen else { return }
        mode.begin()
        draw()
    }

    /// Draws nothing where that was done already, at the new size: the terminal may be getting another one by now, of which
    /// programs hear last.
    func didResize() {
        if isOpen, measure() { draw() }
    }

    func clear() {
        painter.forget()
        write("\u{1B}[H\u{1B}[2J")
        draw()
    }

    /// The keys in these bytes.
    func keys(in bytes: [UInt8]) -> [Key] {
        decoder.keys(from: bytes)
    }

    func bell() {
        write("\u{7}")
    }

    func screen(_ path: String) {
        guard prompt != "\(path)> " else { return }
        prompt = "\(path)> "
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

    /// A line that was entered stays, and a new one is begun.
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

    /// Each time that something is drawn: keys may come before the signal that the size is another.
    ///
    /// - Returns: whether it is.
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
