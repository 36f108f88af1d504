import TerminalClient
import TerminalFinder
import TestSupport
import Testing
import ViewModelClient

/// What a picker shows.
@Suite(.inTurn) struct PickerFrameTests {
    private static func lines(_ picker: Picker) -> [String] {
        PickerFrame(picker, style: .plain).lines.map { line in
            var line = line
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    @Test func `what is typed stands on top, and below how much was found and the rows`() {
        let picker = Picker.showing(
            [.file("a.swift"), .file("b.swift")], text: "swift", columns: 64, height: 6, of: 100_007)
        #expect(
            Self.lines(picker) == [
                "files> swift", "  2 of 100,007 files          Tab: text  Enter: open  Esc: close", "> a.swift",
                "  b.swift",
                "", "",
            ])
        #expect(PickerFrame(picker, style: .plain).cursorColumn == 12)
    }

    @Test func `each line fits, whatever it is made of`() {
        let texts = ["", "a", "日本語", "e\u{301}", "\t\tx", "👨‍👩‍👧", "\u{1B}[2J", "a\u{202E}b", "\u{7F}", "\r\n"]
        let rows = texts.flatMap { text in
            let long = String(repeating: text, count: 50)
            return [FoundRow.file(long, 0..<7), .line(long, 1, long, 90..<95), .line("a", 7, text + "x" + long, 1..<2)]
        }
        for columns in [1, 2, 3, 10, 40, 99, 100, 101, 160] {
            for height in [1, 2, 3, 40] {
                for mode in FindMode.allCases {
                    var picker = Picker.showing(rows, text: "日本語 text", mode: mode, columns: columns, height: height)
                    let lines = texts.enumerated().map { PreviewLine(id: $0 + 1, text: $1 + $1 + "x") }
                    _ = picker.take(PreviewedFile(path: texts.joined(), line: 3), lines: RemoteRows(lines))
                    let frame = PickerFrame(picker, style: .plain)
                    #expect(frame.lines.count == height)
                    #expect(frame.lines.allSatisfy { DisplayWidth.of($0) <= columns }, "\(columns) by \(height)")
                    #expect(frame.cursorColumn < columns)
                    let isSafe = frame.lines.allSatisfy { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 } }
                    #expect(isSafe, "\(frame.lines)")
                }
            }
        }
    }

    @Test func `matched characters are set off, by the bytes of their places`() {
        var picker = Picker.showing([.file("日b/é.swift", 3..<4, 5..<7), .file("x")], columns: 30, height: 4)
        _ = picker.take(.down)
        let line = PickerFrame(picker, style: Style(hasColour: true)).lines[2]
        #expect(line.hasSuffix("日\u{1B}[32mb\u{1B}[0m/\u{1B}[32mé\u{1B}[0m.swift"), "\(line.debugDescription)")
    }

    @Test func `a line stands behind its place, from its first match on where it is long`() {
        let long = String(repeating: "-", count: 60) + "needle" + String(repeating: "+", count: 60)
        let rows = [FoundRow.line("a.c", 7, "\t  needle", 3..<9), .line("long/path/of/a/file.c", 12, long, 60..<66)]
        let picker = Picker.showing(rows, text: "needle", mode: .text, columns: 40, height: 4)
        #expect(
            Self.lines(picker) == [
                "text> needle", "  2 lines", "> a.c:7: needle",
                "  …of/a/file.c:12: …-------needle++++++…",
            ])
    }

    @Test func `a row is escaped as text from a server is, and one that isn't here yet is an ellipsis`() {
        var picker = Picker.showing([.file("a\u{1B}[31m\nb")], columns: 40, height: 4)
        _ = picker.take(RemoteRows([.file("a\u{1B}[31m\nb")], count: 2), failure: nil)
        #expect(Self.lines(picker).suffix(2) == ["> a\\u001b[31m\\u000ab", "  …"])
    }

    @Test(arguments: [
        (FinderEvent.failed(message: "it is gone"), "  1 of 1 file  it is gone"),
        (.note(message: "not followed"), "  1 of 1 file  not followed"),
        (.scanning(files: 1_234, directories: 5, isDone: false), "  1 of 1,234 files  scanning…"),
        (.scanning(files: 12, directories: 5, isDone: true), "  1 of 12 files"),
    ])
    func `the second line says what the finder says`(_ event: FinderEvent, _ line: String) {
        var picker = Picker.showing([.file("a")], columns: 40, height: 4)
        _ = picker.take(event)
        #expect(Self.lines(picker)[1] == line)
    }

    @Test(arguments: [(1, true, "  1 line"), (2_310, true, "  2,310 lines"), (10_000, false, "  10,000 lines…")])
    func `lines are counted while they are found`(_ count: Int, _ isComplete: Bool, _ line: String) {
        var picker = Picker.showing([], mode: .regex, columns: 40, height: 4)
        _ = picker.take(.matches(count: count, isComplete: isComplete))
        #expect(Self.lines(picker)[1] == line)
    }

    @Test func `a lost connection is in the prompt`() {
        var picker = Picker.showing([.file("a")], text: "x", columns: 40, height: 3)
        picker.hindrance = .connection
        #expect(Self.lines(picker)[0] == "files (no connection)> x")
    }

    @Test func `of a long text, what is around the cursor is shown`() {
        var picker = Picker.showing([], text: "0123456789abcdefghij", columns: 20, height: 3)
        #expect(Self.lines(picker)[0] == "files> …9abcdefghij")
        for _ in 0..<20 { _ = picker.take(.left) }
        let frame = PickerFrame(picker, style: .plain)
        #expect(frame.lines[0] == "files> 0123456789a…")
        #expect(frame.cursorColumn == 7)
    }

    @Test func `on a wide screen the file stands on the right, with the line that was found in its upper half`() {
        var picker = Picker.showing([.line("a.c", 50, "x50", 0..<1)], mode: .text, columns: 100, height: 8)
        let lines = (1...100).map { PreviewLine(id: $0, text: "x\($0)") }
        _ = picker.take(PreviewedFile(path: "a.c", line: 50), lines: RemoteRows(lines))
        let left = 49
        let shown = Self.lines(picker).map { line in
            line.count > left ? (line.prefix(left).trimmed, String(line.dropFirst(left))) : (line, "")
        }
        #expect(
            shown.map(\.1) == ["", "│ a.c", "│ 48 x48", "│ 49 x49", "│>50 x50", "│ 51 x51", "│ 52 x52", "│ 53 x53"])
        #expect(
            shown.map(\.0).prefix(3) == ["text>", "  1 line      Tab: regex  Enter: open  Esc: close", "> a.c:50: x50"])
    }

    @Test func `a file that can't be shown has its reason there`() {
        var picker = Picker.showing([.file("a.png")], columns: 100, height: 4)
        _ = picker.take(PreviewedFile(path: "a.png", note: "a binary file"), lines: RemoteRows())
        #expect(Self.lines(picker).suffix(2).map { $0.drop { $0 != "│" } } == ["│ a binary file", "│"])
    }
}

extension Substring {
    fileprivate var trimmed: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
