import TerminalClient
import TerminalFinder
import ViewModelClient

extension FoundRow {
    static func file(_ path: String, _ matches: Range<Int>...) -> FoundRow {
        FoundRow(id: path, path: path, matches: matches.map { Match(start: $0.lowerBound, end: $0.upperBound) })
    }

    static func line(_ path: String, _ line: Int, _ text: String, _ matches: Range<Int>...) -> FoundRow {
        FoundRow(
            id: "\(path):\(line)", path: path, line: line, text: text,
            matches: matches.map { Match(start: $0.lowerBound, end: $0.upperBound) })
    }
}

extension RemoteRows {
    /// Makes a list with these rows fetched. If `count` is greater, the others aren't.
    init(_ rows: [Row], count: Int? = nil) {
        self.init(count: count ?? rows.count)
        fill(0, rows)
    }
}

extension Picker {
    /// Returns a picker whose finder is open and has found these files.
    static func showing(
        _ rows: [FoundRow], text: String = "", mode: FindMode = .files, columns: Int = 40, height: Int = 6,
        of count: Int? = nil
    ) -> Picker {
        var picker = Picker(
            text: text, mode: mode, facts: FinderFacts(), layout: PickerLayout(columns: columns, rows: height))
        _ = picker.didOpen(searching: FinderQuery(text: text, mode: mode))
        _ = picker.take(.scanning(files: count ?? rows.count, directories: 1, isDone: true))
        _ = picker.take(.query(text: text, mode: mode))
        _ = picker.take(RemoteRows(rows), failure: nil)
        _ = picker.take(.matches(count: rows.count, isComplete: true))
        _ = picker.didSearch(nil)
        return picker
    }

    mutating func type(_ text: String) -> [Action] { take(.text(text)) }
}
