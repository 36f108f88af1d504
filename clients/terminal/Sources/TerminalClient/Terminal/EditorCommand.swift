/// The editor that the person has chosen, as git knows it: `$VISUAL`, else `$EDITOR`, with arguments behind blanks.
package struct EditorCommand: Equatable {
    package let words: [String]

    /// Nil where neither names one.
    package init?(environment: (String) -> String?) {
        let values = ["VISUAL", "EDITOR"].compactMap { environment($0)?.split(separator: " ").map(String.init) }
        guard let words = values.first(where: { !$0.isEmpty }) else { return nil }
        self.words = words
    }

    /// The words before the path of a file that is opened: its line in the form that most editors take.
    package func words(for file: ChosenFile) -> [String] {
        words + (file.line.map { ["+\($0)"] } ?? [])
    }
}
