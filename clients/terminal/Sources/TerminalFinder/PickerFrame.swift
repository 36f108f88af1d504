package import TerminalClient
import ViewModelClient

/// A picker as lines for a terminal: as many as it has rows, none longer than it has columns.
package struct PickerFrame: Equatable {
    package private(set) var lines: [String] = []
    /// The column of the cursor in the first line, from 0.
    package private(set) var cursorColumn = 0

    package init(_ picker: Picker, style: Style) {
        let layout = picker.layout
        let (prompt, cursor) = Self.prompt(picker, columns: layout.columns)
        cursorColumn = cursor
        lines.append(prompt.text(style))
        let list = Self.list(picker, style)
        guard layout.hasPreview else {
            lines = Array((lines + list.map(\.text)).prefix(layout.rows))
            return
        }
        let preview = Self.preview(picker, style)
        let border = style.dim("│")
        for (row, line) in list.enumerated() {
            let gap = String(repeating: " ", count: max(0, layout.listColumns - line.columns))
            let right = row < preview.count ? preview[row] : ""
            lines.append(line.text + gap + border + right)
        }
    }

    package var frame: ScreenFrame { ScreenFrame(lines: lines, cursorColumn: cursorColumn) }

    /// A styled line of the left side, with its width in columns.
    private typealias Line = (text: String, columns: Int)

    private static func prompt(_ picker: Picker, columns: Int) -> (CellText, cursor: Int) {
        var line = CellText("\(picker.mode.rawValue)\(picker.hindrance.map { " (\($0.words))" } ?? "")> ", .name)
        line = line.cut(to: max(0, columns - 2))
        let room = columns - line.columns - 1
        let left = CellText(picker.editor.left).cutAtStart(to: room)
        let right = CellText(picker.editor.right).cut(to: room - left.columns)
        return (line + left + right, line.columns + left.columns)
    }

    private static func list(_ picker: Picker, _ style: Style) -> [Line] {
        let layout = picker.layout
        let status = status(of: picker).cut(to: layout.listColumns)
        let rows = (picker.first..<picker.first + layout.listRows).map { index -> Line in
            guard index < picker.rowCount else { return ("", 0) }
            let isSelected = index == picker.index
            let mark = CellText(isSelected ? "> " : "  ", .warning)
            let found = picker.rows[index].map { text(of: $0, columns: layout.listColumns - mark.columns) }
            let line = (mark + (found ?? CellText("…", .dim))).cut(to: layout.listColumns)
            return (line.text(style, isBold: isSelected), line.columns)
        }
        return [(status.text(style), status.columns)] + rows
    }

    private static func text(of row: FoundRow, columns: Int) -> CellText {
        guard let text = row.text else {
            var path = CellText()
            path.append(row.path, matches: row.matches)
            return path.cutAtStart(to: columns)
        }
        let place = CellText(row.path + (row.line.map { ":\($0)" } ?? ""), .name)
            .cutAtStart(to: max(1, columns * 2 / 5))
        var line = place + CellText(": ", .dim)
        // The line's indentation isn't shown.
        let indentation = text.utf8.prefix { $0 == 0x20 || $0 == 0x09 }.count
        let matches = row.matches.filter { $0.start >= 0 && $0.end > indentation }
            .map { FoundRow.Match(start: max(0, $0.start - indentation), end: $0.end - indentation) }
        var rest = CellText()
        rest.append(String(decoding: text.utf8.dropFirst(indentation), as: UTF8.self), matches: matches)
        line = line + rest.cutAroundMatch(to: max(0, columns - line.columns))
        return line
    }

    /// Returns the status line: how much was found, what is wrong, and the keys to use.
    private static func status(of picker: Picker) -> CellText {
        var line = CellText("  " + count(of: picker), .dim)
        if picker.facts.files?.isAll == false { line.append("  scanning…", .dim) }
        for words in [picker.problem, picker.facts.failure].compactMap(\.self) {
            line.append("  \(words)", .warning)
        }
        if let note = picker.facts.note { line.append("  \(note)", .dim) }
        let help = "Tab: \(picker.mode.moved(by: 1).rawValue)  Enter: open  Esc: close"
        let gap = picker.layout.listColumns - line.columns - help.count
        if gap >= 2 { line.append(String(repeating: " ", count: gap) + help, .dim) }
        return line
    }

    /// Returns how much was found, such as "12 of 100,007 files" or "2,310 lines…".
    private static func count(of picker: Picker) -> String {
        let matches = picker.facts.matches
        let number = grouped(matches?.number ?? 0)
        guard picker.mode == .files else {
            return "\(number) \(matches?.number == 1 ? "line" : "lines")\(matches?.isAll == false ? "…" : "")"
        }
        let files = picker.facts.files?.number ?? 0
        return "\(number) of \(grouped(files)) \(files == 1 ? "file" : "files")"
    }

    private static func grouped(_ number: Int) -> String {
        var text = ""
        for (place, digit) in String(number).reversed().enumerated() {
            if place > 0, place.isMultiple(of: 3), digit != "-" { text = "," + text }
            text = String(digit) + text
        }
        return text
    }

    /// Returns the lines of the preview: the name of the file, and the lines around the one that was found.
    private static func preview(_ picker: Picker, _ style: Style) -> [String] {
        guard let file = picker.preview, picker.selected != nil else { return [] }
        let columns = picker.layout.previewColumns
        let title = CellText(" " + file.path, .name).cutAtStart(to: columns).text(style, isBold: true)
        if let note = file.note, picker.previewLines.isEmpty {
            return [title, CellText(" " + note, .dim).cut(to: columns).text(style)]
        }
        let range = picker.previewRange.clamped(to: 0..<picker.previewLines.count)
        let width = String(range.upperBound).count
        return [title]
            + range.map { index in
                let number = String(index + 1)
                let isWanted = file.line == index + 1
                let lead = (isWanted ? ">" : " ") + String(repeating: " ", count: width - number.count) + number + " "
                let text = picker.previewLines[index]?.text ?? ""
                let line = CellText(lead, isWanted ? .warning : .dim) + CellText(text.withoutCarriageReturn)
                return line.cut(to: columns).text(style, isBold: isWanted)
            }
    }
}

extension String {
    /// The line without a carriage return at its end, as some files have it.
    fileprivate var withoutCarriageReturn: String { hasSuffix("\r") ? String(dropLast()) : self }
}
