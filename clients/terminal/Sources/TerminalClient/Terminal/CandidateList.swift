/// Formats the candidates that Tab shows: in columns, or one per line with notes.
package struct CandidateList {
    /// The number of candidates above which only their count is shown.
    private static let maximum = 200

    private let columns: Int
    private let style: Style

    package init(columns: Int, style: Style) {
        self.columns = columns
        self.style = style
    }

    package func lines(_ candidates: [Completion.Candidate]) -> [String] {
        guard candidates.count <= Self.maximum else { return ["  \(candidates.count) possibilities"] }
        let width = (candidates.map { DisplayWidth.of($0.text) }.max() ?? 0) + 2
        if candidates.contains(where: { !$0.note.isEmpty }) {
            return noted(candidates.filter { !$0.note.isEmpty }, width)
                + table(candidates.filter(\.note.isEmpty), width)
        }
        return table(candidates, width)
    }

    private func noted(_ candidates: [Completion.Candidate], _ width: Int) -> [String] {
        candidates.map { candidate in
            let note = DisplayWidth.cut(candidate.note, columns: max(1, columns - width - 3))
            return "  " + padded(TerminalTextLine.of(candidate.text), width) + style.dim(TerminalTextLine.of(note))
        }
    }

    private func table(_ candidates: [Completion.Candidate], _ width: Int) -> [String] {
        let count = max(1, (columns - 2) / max(1, width))
        return stride(from: 0, to: candidates.count, by: count).map { start in
            let row = candidates[start..<min(start + count, candidates.count)]
            return "  " + row.map { padded(TerminalTextLine.of($0.text), width) }.joined()
        }
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - DisplayWidth.of(text)))
    }
}
