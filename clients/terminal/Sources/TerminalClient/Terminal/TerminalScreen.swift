import LibC

/// A person's terminal: the prompt with the typed line in the last rows, and all other output above them.
///
/// A `FullScreenView` may take up the whole screen, or another program may use the terminal. Output of the console is shown
/// when the prompt is back.
@MainActor package final class TerminalScreen: ConsoleOutput {
    private enum Owner {
        case prompt
        case view(ScreenFrame?)
        case program
    }

    /// The width of a terminal that doesn't report its own.
    private static let assumedColumns = 80
    /// The maximum number of lines that are kept until the prompt is back; the oldest are dropped.
    private static let heldCount = 1_000

    package let style: Style
    package private(set) var columns = TerminalScreen.assumedColumns
    private let mode: RawMode
    private var painter: PromptPainter
    private var decoder = KeyDecoder()
    var reader: LineReader
    /// The text before the typed line.
    private var prompt: String { "\(path)\(hindrance.map { "\(path.isEmpty ? "" : " ")(\($0.words))" } ?? "")> " }
    private var path = ""
    private var hindrance: Hindrance?
    /// The line above the prompt while a command runs.
    private var status = ""
    private var isOpen = false
    private var owner = Owner.prompt
    private var full = FullScreenPainter()
    /// Lines to show when the prompt is back.
    private var held: [String] = []

    init(_ mode: RawMode, history: History, style: Style) {
        self.mode = mode
        self.style = style
        reader = LineReader(history: history)
        painter = PromptPainter(columns: Self.assumedColumns, rows: 24, style: style)
    }

    func open() {
        isOpen = true
        mode.begin()
        if case .view = owner { write(full.begin()) }
        draw()
    }

    /// Restores the terminal, and leaves the cursor on a free line.
    func close() {
        guard isOpen else { return }
        isOpen = false
        switch owner {
        case .prompt: write(painter.leave())
        case .view:
            write(full.end() + held.map { $0 + "\r\n" }.joined())
            held = []
        case .program: return
        }
        mode.end()
    }

    /// Takes the terminal back from another program, when the process is continued. May be called again.
    func reopen() {
        guard isOpen else { return }
        if case .program = owner { return }
        mode.begin()
        full.forget()
        draw()
    }

    /// Draws the prompt for the terminal's new size, unless it was already drawn for that: the terminal may be changing its
    /// size again.
    ///
    /// A `FullScreenView` draws itself for the new size.
    func didResize() {
        if isOpen, measure(), case .prompt = owner { draw() }
    }

    /// Takes the last byte as the Escape key, when no byte has followed. Returns false if it wasn't an escape byte.
    func takeEscape() -> Bool { decoder.takeEscape() }

    /// Whether the last byte was an escape byte, of which the next byte decides the meaning.
    var isAtEscape: Bool { decoder.isAtEscape }

    package func clear() {
        painter.forget()
        full.forget()
        write("\u{1B}[H\u{1B}[2J")
        draw()
    }

    /// Decodes bytes into keys.
    func keys(in bytes: [UInt8]) -> [Key] {
        decoder.keys(from: bytes)
    }

    package func bell() {
        write("\u{7}")
    }

    package func screen(_ path: String) {
        guard path != self.path else { return }
        self.path = path
        draw()
    }

    package func setHindrance(_ hindrance: Hindrance?) {
        self.hindrance = hindrance
        draw()
    }

    package func show(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        guard case .prompt = owner else {
            held = (held + lines).suffix(Self.heldCount)
            return
        }
        write(painter.erase() + lines.map { $0 + "\r\n" }.joined())
        draw()
    }

    package func remark(_ line: String) {
        show([style.dim("- \(line)")])
    }

    package func fail(_ message: String) {
        show([style.red(message)])
    }

    package func progress(_ text: String) {
        setStatus(text)
    }

    /// Sets the line above the prompt; "" for none.
    func setStatus(_ text: String) {
        guard text != status else { return }
        status = text
        draw()
    }

    /// Leaves the entered line on the screen, and begins a new one.
    func showEntered(_ line: String) {
        write(painter.erase() + style.bold(reader.searchPrompt ?? prompt) + TerminalTextLine.of(line) + "\r\n")
        draw()
    }

    func draw() {
        guard isOpen else { return }
        let isResized = measure()
        switch owner {
        case .prompt: drawPrompt()
        // After a change of size, the view sends another frame.
        case .view(let frame): if let frame, !isResized { write(full.draw(frame)) }
        case .program: break
        }
    }

    private func drawPrompt() {
        let content = PromptPainter.Content(
            status: status, prompt: reader.searchPrompt ?? prompt, left: reader.editor.left, right: reader.editor.right)
        write(painter.draw(content))
    }

    /// Measures the terminal. Called before each drawing, since keys may come before the signal for a new size.
    ///
    /// - Returns: whether the size has changed.
    @discardableResult
    private func measure() -> Bool {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return false }
        let (newColumns, newRows) = (Int(size.ws_col), Int(size.ws_row))
        guard newColumns != painter.columns || newRows != painter.rows else { return false }
        columns = newColumns
        full.forget()
        painter.resize(columns: newColumns, rows: newRows)
        return true
    }

    private func write(_ text: String) {
        if !text.isEmpty { FileOutput.write(text, to: STDOUT_FILENO) }
    }
}

// Views that take up the whole screen, and other programs.
extension TerminalScreen {
    /// The current size of the terminal.
    package var size: (columns: Int, rows: Int) {
        measure()
        return (columns, painter.rows)
    }

    /// Gives the whole screen to a view until `endView()`.
    package func beginView() {
        write(painter.erase() + full.begin())
        owner = .view(nil)
    }

    package func draw(_ frame: ScreenFrame) {
        guard case .view = owner else { return }
        owner = .view(frame)
        draw()
    }

    package func endView() {
        guard isOpen else { return }
        write(full.end())
        takeBack()
    }

    /// Leaves the terminal to another program, in the mode from before `open()`.
    func lend() {
        write(painter.erase())
        owner = .program
        mode.end()
    }

    /// Takes the terminal back, and brings back the prompt.
    func takeBack() {
        guard isOpen else { return }
        mode.begin()
        owner = .prompt
        let lines = held
        held = []
        show(lines)
        draw()
    }
}
