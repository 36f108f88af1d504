/// Makes the bytes that keep a prompt with the typed line in the last rows of a terminal, and all other text above them.
///
/// The terminal breaks long lines itself, so that it also joins them when its width changes.
package struct PromptPainter {
    /// The content of the last rows.
    package struct Content: Equatable {
        /// A line above the prompt; "" if there is none.
        package fileprivate(set) var status: String
        package fileprivate(set) var prompt: String
        package fileprivate(set) var left: String
        package fileprivate(set) var right: String

        package init(status: String = "", prompt: String, left: String = "", right: String = "") {
            self.status = status
            self.prompt = prompt
            self.left = left
            self.right = right
        }
    }

    private(set) var columns: Int
    private(set) var rows: Int
    private let style: Style
    /// The content on the screen, with the cursor after `left`; nil if there is none.
    private var shown: Content?

    package init(columns: Int, rows: Int, style: Style) {
        self.columns = max(1, columns)
        self.rows = max(2, rows)
        self.style = style
    }

    /// Sets the size of the terminal, which has already moved the content. The next drawing finds it.
    package mutating func resize(columns: Int, rows: Int) {
        self.columns = max(1, columns)
        self.rows = max(2, rows)
    }

    /// Notes that the screen was cleared.
    mutating func forget() {
        shown = nil
    }

    /// Returns the bytes that erase the prompt, so that the next text takes its place.
    package mutating func erase() -> String {
        guard let shown else { return "" }
        self.shown = nil
        return "\r" + Self.up(position(of: shown, shown.left).next.row) + "\u{1B}[J"
    }

    package mutating func draw(_ content: Content) -> String {
        var text = erase()
        let content = fitted(content)
        if !content.status.isEmpty { text += style.dim(content.status) + "\r\n" }
        text += style.bold(content.prompt) + content.left + content.right
        let end = position(of: content, content.left + content.right)
        // Terminals differ in where the cursor is after the last column: a blank makes all of them go on to the next row.
        if end != end.next { text += " \r" }
        let cursor = position(of: content, content.left).next
        text += Self.up(end.next.row - cursor.row) + "\r" + (cursor.column > 0 ? "\u{1B}[\(cursor.column)C" : "")
        shown = content
        return text
    }

    /// Returns the bytes that leave the prompt and its line on the screen for good. The next text comes below.
    package mutating func leave() -> String {
        guard let shown else { return "" }
        self.shown = nil
        let down = position(of: shown, shown.left + shown.right).next.row - position(of: shown, shown.left).next.row
        return (down > 0 ? "\u{1B}[\(down)B" : "") + "\r\n"
    }

    private func position(of content: Content, _ line: String) -> CellPosition {
        let start = CellPosition(columns: columns, row: content.status.isEmpty ? 0 : 1)
        return start.advanced(over: content.prompt + line)
    }

    /// Returns the content cut to the height of the screen, since the cursor can't go above its first row. Of a line that is
    /// too long, the part around the cursor stays.
    private func fitted(_ content: Content) -> Content {
        var content = content
        content.status = DisplayWidth.cut(content.status, columns: columns - 1)
        content.prompt = DisplayWidth.cut(content.prompt, columns: max(2, columns * (rows - 1) / 2))
        let taken = (content.status.isEmpty ? 0 : columns) + DisplayWidth.of(content.prompt)
        // Each row may lose a column to a wide character.
        let room = max(2, (columns - 1) * (rows - 1) - taken)
        guard DisplayWidth.of(content.left) + DisplayWidth.of(content.right) > room else { return content }
        let before = min(DisplayWidth.of(content.left), max(room * 3 / 4, room - DisplayWidth.of(content.right)))
        if DisplayWidth.of(content.left) > before {
            content.left = "…" + DisplayWidth.suffix(of: content.left, columns: before - 1)
        }
        content.right = DisplayWidth.cut(content.right, columns: room - before)
        return content
    }

    private static func up(_ rows: Int) -> String {
        rows > 0 ? "\u{1B}[\(rows)A" : ""
    }
}
