import TerminalClient
import TestSupport
import Testing

/// How frames get to the terminal.
@Suite(.inTurn) struct FullScreenPainterTests {
    private func frame(_ lines: String...) -> ScreenFrame { ScreenFrame(lines: lines, cursorColumn: 7) }

    @Test func `only lines that have changed are written`() {
        var painter = FullScreenPainter()
        #expect(painter.begin() == "\u{1B}[?1049h")
        let first = painter.draw(frame("files> ", "2 of 2", "> a", "  b"))
        #expect(first.hasPrefix("\u{1B}[?25l\u{1B}[H\u{1B}[2J\u{1B}[1;1H\u{1B}[Kfiles> \u{1B}[2;1H"))
        #expect(
            painter.draw(frame("files> ", "2 of 2", "  a", "> b"))
                == "\u{1B}[?25l\u{1B}[3;1H\u{1B}[K  a\u{1B}[4;1H\u{1B}[K> b\u{1B}[1;8H\u{1B}[?25h")
        painter.forget()
        #expect(painter.draw(frame("files> ", "2 of 2", "  a", "> b")).contains("\u{1B}[2J"))
        #expect(painter.end() == "\u{1B}[?25h\u{1B}[?1049l")
    }
}
