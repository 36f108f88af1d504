import TerminalClient
import Transcripts

/// Text on a terminal, character by character, with the width and the look of each. Nothing in it moves the cursor.
struct CellText: Equatable {
    enum Look: Equatable {
        case plain, dim, name, match, warning
    }

    struct Cell: Equatable {
        let text: String
        let columns: Int
        var look: Look
    }

    private(set) var cells: [Cell] = []
    private(set) var columns = 0

    /// The maximum number of characters that are taken from a text.
    private static let maximumCount = 4_096
    private static let tabColumns = 4

    init() {}

    init(_ text: String, _ look: Look = .plain) {
        append(text, look)
    }

    /// Appends a text.
    ///
    /// - Parameter matches: the parts of the text that get the look of matches.
    mutating func append(_ text: String, _ look: Look = .plain, matches: [FoundRow.Match] = []) {
        let start = columns
        var offset = 0
        for character in text.prefix(Self.maximumCount) {
            let end = offset + character.utf8.count
            let isMatch = matches.contains { $0.start < end && $0.end > offset }
            append(character, isMatch ? .match : look, from: start)
            offset = end
        }
    }

    private mutating func append(_ character: Character, _ look: Look, from start: Int) {
        let text =
            character == "\t"
            ? String(repeating: " ", count: Self.tabColumns - (columns - start) % Self.tabColumns)
            : TerminalText.visible(String(character))
        append(Cell(text: text, columns: DisplayWidth.of(text), look: look))
    }

    private mutating func append(_ cell: Cell) {
        cells.append(cell)
        columns += cell.columns
    }

    static func + (one: CellText, other: CellText) -> CellText {
        var sum = one
        for cell in other.cells { sum.append(cell) }
        return sum
    }

    /// Returns the beginning of the text, with "…" at the end if it is cut.
    func cut(to room: Int) -> CellText { part(from: 0, room: room) }

    /// Returns the end of the text, with "…" at the beginning if it is cut.
    func cutAtStart(to room: Int) -> CellText {
        guard columns > room else { return self }
        var (start, left) = (cells.count, room - 1)
        while start > 0, cells[start - 1].columns <= left {
            start -= 1
            left -= cells[start].columns
        }
        return part(from: start, room: room)
    }

    /// Returns the beginning of the text, or a later part if the first match would be cut off.
    func cutAroundMatch(to room: Int) -> CellText {
        guard columns > room, let match = cells.firstIndex(where: { $0.look == .match }) else { return cut(to: room) }
        let end = match + cells[match...].prefix { $0.look == .match }.count
        guard cells[..<end].reduce(0, { $0 + $1.columns }) > room - 1 else { return cut(to: room) }
        var (start, left) = (match, room / 3)
        while start > 0, cells[start - 1].columns <= left {
            start -= 1
            left -= cells[start].columns
        }
        return part(from: start, room: room)
    }

    private func part(from start: Int, room: Int) -> CellText {
        guard room > 0 else { return CellText() }
        var result = CellText()
        if start > 0 { result.append(Cell(text: "…", columns: 1, look: .dim)) }
        let rest = cells[start...].reduce(0) { $0 + $1.columns }
        if result.columns + rest <= room {
            for cell in cells[start...] { result.append(cell) }
            return result
        }
        for cell in cells[start...] {
            guard result.columns + cell.columns < room else { break }
            result.append(cell)
        }
        if result.columns < room { result.append(Cell(text: "…", columns: 1, look: .dim)) }
        return result
    }

    /// Returns the text filled up with blanks to a width.
    func padded(to width: Int) -> CellText {
        self + CellText(String(repeating: " ", count: max(0, width - columns)))
    }

    /// Returns the text for the terminal, with its style.
    ///
    /// - Parameter isBold: whether the whole text is bold.
    func text(_ style: Style, isBold: Bool = false) -> String {
        var (result, run, look) = ("", "", Look.plain)
        func end() {
            result += look.styled(isBold ? style.bold(run) : run, style)
            run = ""
        }
        for cell in cells {
            if cell.look != look { end() }
            look = cell.look
            run += cell.text
        }
        end()
        return result
    }
}

extension CellText.Look {
    fileprivate func styled(_ text: String, _ style: Style) -> String {
        switch self {
        case .plain: text
        case .dim: style.dim(text)
        case .name: style.cyan(text)
        case .match: style.green(text)
        case .warning: style.red(text)
        }
    }
}
