/// A line editor with a history and a search, which turns keys into lines.
package struct LineReader {
    /// An action for the reader's owner after a key.
    package enum Action: Equatable {
        /// The shown text may have changed.
        case redraw
        case submit(String)
        case complete
        /// Ctrl-C was typed.
        case interrupt
        /// Ctrl-D was typed on an empty line.
        case end
        /// Ctrl-Z was typed.
        case suspend
        case clearScreen
        /// The key has no effect here.
        case bell
    }

    /// A search in the history: the text, and the index of the line that was found last.
    private struct Search: Equatable {
        var text = ""
        var place: Int?
    }

    package internal(set) var editor = LineEditor()
    var history: History
    private var search: Search?

    package init(history: History = History()) {
        self.history = history
    }

    /// The prompt during a search in the history; nil at other times.
    package var searchPrompt: String? {
        search.map { "(search \"\($0.text)\")> " }
    }

    package mutating func take(_ key: Key) -> Action {
        if search != nil, let action = takeInSearch(key) { return action }
        switch key {
        case .enter: return submit()
        case .tab: return .complete
        case .control("c"): return .interrupt
        case .control("d"):
            if editor.isEmpty { return .end }
            _ = editor.take(.delete)
        case .control("z"): return .suspend
        case .control("l"): return .clearScreen
        case .control("r"): search = Search()
        case .up, .control("p"):
            guard let line = history.previous(editor.text) else { return .bell }
            editor.replace(with: line)
        case .down, .control("n"):
            guard let line = history.next() else { return .bell }
            editor.replace(with: line)
        default:
            if !editor.take(key) { return key == .other ? .redraw : .bell }
        }
        return .redraw
    }

    /// Empties the line and ends a search, as Ctrl-C does.
    mutating func clear() {
        editor.replace(with: "")
        search = nil
    }

    private mutating func submit() -> Action {
        let line = editor.text
        editor.replace(with: "")
        return .submit(line)
    }

    /// Applies a key to the search. Returns nil for a key that ends the search and then has its usual effect.
    private mutating func takeInSearch(_ key: Key) -> Action? {
        guard var next = search else { return nil }
        switch key {
        case .text(let text):
            next.text += text
            // The search begins after the current line, which may still match.
            next.place = next.place.map { $0 + 1 }
        case .backspace:
            _ = next.text.popLast()
            next.place = nil
        case .control("r"): break
        case .control("g"), .control("c"):
            clear()
            return .redraw
        default:
            search = nil
            return nil
        }
        guard let found = history.search(next.text, before: next.place) else { return .bell }
        next.place = found.place
        search = next
        editor.replace(with: found.line)
        return .redraw
    }
}
