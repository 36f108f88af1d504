import TerminalClient
import Testing

struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한", 2), ("👍", 2), ("👍🏽", 2), ("🇩🇪", 2), ("❤️", 2),
        ("👨‍👩‍👧", 2), ("›»…", 3), ("Ａ", 2), ("\u{200B}", 0), ("\u{7}", 0), ("ไทย", 3),
    ])
    func `a character takes as many columns as on a terminal`(_ text: String, _ width: Int) {
        #expect(DisplayWidth.of(text) == width)
    }

    @Test(arguments: [("abcdef", 4, "abc…"), ("abcd", 4, "abcd"), ("日本語", 4, "日…"), ("日本語", 5, "日本…"), ("ab", 0, "…")])
    func `text is cut to columns`(_ text: String, _ columns: Int, _ cut: String) {
        #expect(DisplayWidth.cut(text, columns: columns) == cut)
    }
}

struct PromptPainterTests {
    typealias Content = PromptPainter.Content

    @Test(arguments: [
        Content(prompt: "> "), Content(prompt: "> ", left: "abc"), Content(prompt: "> ", left: "ab", right: "c"),
        Content(prompt: "> ", left: "12345678"), Content(prompt: "> ", left: "1234567", right: "8"),
        Content(prompt: "> ", left: "12345678", right: "9"),
        Content(prompt: "> ", left: "1234567890abcdefghi", right: "jk"),
        Content(prompt: "> ", left: "", right: "1234567890abcdefghijk"), Content(prompt: "> ", left: "日本語日本語日"),
        Content(prompt: "> ", left: "1234567日", right: "本語"),
        Content(status: "busy", prompt: "> ", left: "ab", right: "c"),
        Content(status: "much too long for it", prompt: "> ", left: "12345678", right: "9"),
    ])
    func `the screen shows the prompt, the line and the cursor, and everything above stays`(_ content: Content) {
        var screen = FakeScreen(columns: 10, rows: 20)
        var painter = PromptPainter(columns: 10, rows: 20, style: .plain)
        screen.write("above\r\n")
        for other in [content, Content(prompt: "longer prompt> ", left: "1", right: "2"), content] {
            screen.write(painter.draw(other))
        }
        let status = content.status.isEmpty ? [] : [DisplayWidth.cut(content.status, columns: 9)]
        #expect(screen.lines == ["above"] + status + wrapped(content.prompt + content.left + content.right))
        let before = FakeScreen(columns: 10, rows: 20, showing: content.prompt + content.left)
        #expect(screen.cursor.column == before.cursor.column)
        #expect(screen.cursor.row == before.cursor.row + 1 + status.count)
        screen.write(painter.erase() + "event\r\n" + painter.draw(Content(prompt: "> ")))
        #expect(screen.lines == ["above", "event", ">"])
    }

    @Test func `a line that was entered stays`() {
        var screen = FakeScreen(columns: 10, rows: 20)
        var painter = PromptPainter(columns: 10, rows: 20, style: .plain)
        screen.write(painter.draw(Content(prompt: "> ", left: "a", right: "234567890123")))
        screen.write(painter.leave() + "answer\r\n" + painter.draw(Content(prompt: "> ")))
        #expect(screen.lines == ["> a2345678", "90123", "answer", ">"])
    }

    @Test func `of a line that is taller than the screen, what is around the cursor is shown`() {
        var screen = FakeScreen(columns: 10, rows: 4)
        var painter = PromptPainter(columns: 10, rows: 4, style: .plain)
        let digits = String(repeating: "0123456789", count: 20)
        for count in 0...200 {
            screen.write(
                painter.draw(
                    Content(prompt: "> ", left: String(digits.prefix(count)), right: String(digits.dropFirst(count)))))
            #expect(screen.scrolled == 0)
            #expect(screen.lines.first?.hasPrefix("> ") == true)
        }
        screen.write(painter.erase() + painter.draw(Content(prompt: "> ")))
        #expect(screen.lines == [">"])
    }

    @Test func `when the terminal has a new width, what it made of the prompt is found`() {
        for (old, new) in [(20, 10), (10, 20), (10, 7), (30, 5)] {
            let content = Content(status: "busy", prompt: "> ", left: "0123456789", right: "abcdef")
            var painter = PromptPainter(columns: old, rows: 20, style: .plain)
            _ = painter.draw(content)
            // The screen of a terminal that breaks its lines anew.
            var screen = FakeScreen(columns: new, rows: 20, showing: "above\r\nbusy\r\n> 0123456789abcdef")
            screen.cursor = FakeScreen(columns: new, rows: 20, showing: "above\r\nbusy\r\n> 0123456789").cursor
            painter.resize(columns: new, rows: 20)
            screen.write(painter.draw(content))
            let before = FakeScreen(columns: new, rows: 20, showing: "above\r\nbusy\r\n> 0123456789abcdef")
            #expect(screen.lines == before.lines, "from \(old) to \(new)")
        }
    }

    private func wrapped(_ text: String) -> [String] {
        FakeScreen(columns: 10, rows: 20, showing: text).lines
    }
}

/// As much of a terminal as a prompt needs.
private struct FakeScreen {
    let columns: Int
    let rows: Int
    var cursor = (row: 0, column: 0)
    private(set) var scrolled = 0
    /// The cells of each row; "" is the right half of a wide character.
    private var cells: [[String]] = [[]]

    init(columns: Int, rows: Int, showing text: String = "") {
        self.columns = columns
        self.rows = rows
        write(text)
        // The cursor is where the next character comes.
        if cursor.column == columns { cursor = (cursor.row + 1, 0) }
    }

    var lines: [String] {
        var lines = cells.map { row in
            var text = row.joined()
            while text.last == " " { text.removeLast() }
            return text
        }
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    mutating func write(_ text: String) {
        var rest = text.unicodeScalars.map(Character.init)[...]
        while let next = rest.popFirst() {
            switch next {
            case "\r": cursor.column = 0
            case "\n": goDown()
            case "\u{1B}":
                rest.removeFirst()
                let digits = rest.prefix(while: \.isNumber)
                rest.removeFirst(digits.count)
                control(rest.removeFirst(), Int(String(digits)))
            default: put(String(next), DisplayWidth.of(next))
            }
        }
    }

    private mutating func control(_ final: Character, _ number: Int?) {
        switch final {
        case "A": cursor.row = max(0, cursor.row - (number ?? 1))
        case "B": cursor.row = min(rows - 1, cursor.row + (number ?? 1))
        case "C": cursor.column = min(columns - 1, cursor.column + (number ?? 1))
        case "J":
            cells.removeSubrange(min(cells.count, cursor.row + 1)...)
            fill()
            cells[cursor.row].removeSubrange(min(cells[cursor.row].count, cursor.column)...)
        default: Issue.record("a terminal may not know \(final)")
        }
    }

    private mutating func put(_ text: String, _ width: Int) {
        if cursor.column + width > columns {
            cursor.column = 0
            goDown()
        }
        fill()
        while cells[cursor.row].count < cursor.column + width { cells[cursor.row].append(" ") }
        cells[cursor.row][cursor.column] = text
        if width == 2 { cells[cursor.row][cursor.column + 1] = "" }
        cursor.column += width
    }

    private mutating func goDown() {
        cursor.row += 1
        fill()
        guard cells.count > rows else { return }
        scrolled += 1
        cells.removeFirst()
        cursor.row -= 1
    }

    private mutating func fill() {
        while cells.count <= cursor.row { cells.append([]) }
    }
}
