package import TerminalClient
package import ViewModelClient

/// The state of a finder's picker: what is typed, what was found, and which row is selected. Needs no terminal and no server.
///
/// Its owner reports what happens, and performs the actions in order. `PickerFrame` draws it.
package struct Picker {
    /// An action for the picker's owner.
    package enum Action: Equatable {
        /// Send a query or a mode, and call `didSearch` with the answer.
        case search(FinderViewEvent)
        case refresh
        /// Preview this row, and call `didPreview` with the answer.
        case preview(index: Int, id: String)
        case closePreview
        /// Accept this row, and call `didAccept` with the answer.
        case accept(index: Int, id: String)
        /// Fetch these rows of the list.
        case show(Range<Int>)
        /// Fetch these lines of the preview.
        case showPreview(Range<Int>)
        /// Close the picker and open this file.
        case open(ChosenFile)
        /// Close the picker without a file.
        case leave
        case suspend
        /// Draw everything again.
        case clear
        /// The key has no effect here.
        case bell
    }

    /// The state of a choice by Enter.
    private enum Choice {
        case none
        /// The choice waits until the rows are those for the typed text.
        case waits
        case isSent
    }

    package private(set) var editor = LineEditor()
    package private(set) var mode: FindMode
    private(set) var layout: PickerLayout
    private(set) var facts: FinderFacts
    private var all = RemoteRows<FoundRow>()
    /// The index of the selected row.
    package private(set) var index = 0
    /// The index of the first row on screen.
    package private(set) var first = 0
    package private(set) var preview: PreviewedFile?
    private(set) var previewLines = RemoteRows<PreviewLine>()
    /// The error of the last request, for a person.
    package private(set) var problem: String?
    /// The reason why the picker may be out of date; nil if it isn't.
    package var hindrance: Hindrance?

    private var isOpen = false
    /// The row that the person selected. If it is nil, the best row is selected, whichever that is.
    private var selection: RemoteSelection<FoundRow>?
    /// The number of queries and modes that were sent and aren't answered.
    private var unanswered = 0
    /// The list when the finder began to search for the typed text. It stays on screen until something is found.
    private var before: (count: Int, best: FoundRow?)?
    /// Whether the rows are those for the typed text.
    private var isFound = false
    /// Whether the rows are those for another picker's text, and so not shown.
    private var isHidden = false
    private var choice = Choice.none
    /// The rows and lines that the owner was last told to fetch.
    private var shownRows: Range<Int>?
    private var shownLines: Range<Int>?
    /// The id of the row that is previewed, or for which a preview was asked.
    private var previewedID: String?
    private var isPreviewing = false

    /// Makes a picker.
    ///
    /// - Parameter facts: the state of a finder that is already open; otherwise empty.
    package init(text: String, mode: FindMode, facts: FinderFacts, layout: PickerLayout) {
        self.mode = mode
        self.layout = layout
        self.facts = facts
        editor.replace(with: text)
    }

    package var rows: RemoteRows<FoundRow> { isHidden ? RemoteRows() : all }

    /// The selected row; nil if nothing was found, or the row isn't fetched yet.
    package var selected: FoundRow? { rows[index] }

    /// A limit on line numbers, since a server may send any number.
    private static let maximumCount = 1 << 40

    var rowCount: Int { min(rows.count, Self.maximumCount) }
}

// Input from the person.
extension Picker {
    package mutating func take(_ key: Key) -> [Action] {
        if choice == .waits { choice = .none }
        switch key {
        case .enter: return choose()
        case .escape, .control("g"), .control("c"): return [.leave]
        case .control("d") where editor.isEmpty: return [.leave]
        case .up, .control("p"): return move(to: index - 1)
        case .down, .control("n"): return move(to: index + 1)
        case .pageUp: return move(to: index - max(1, layout.listRows))
        case .pageDown: return move(to: index + max(1, layout.listRows))
        case .alt("<"): return move(to: 0)
        case .alt(">"): return move(to: rowCount - 1)
        case .tab: return search(in: mode.moved(by: 1))
        case .shiftTab: return search(in: mode.moved(by: -1))
        case .control("r"): return [.refresh]
        case .control("l"): return [.clear]
        case .control("z"): return [.suspend]
        default: return edit(key)
        }
    }

    package mutating func resize(_ layout: PickerLayout) -> [Action] {
        guard layout != self.layout else { return [] }
        let hadPreview = self.layout.hasPreview
        self.layout = layout
        guard hadPreview, !layout.hasPreview else { return update() }
        forgetPreview()
        return [.closePreview] + update()
    }

    private mutating func edit(_ key: Key) -> [Action] {
        let text = editor.text
        guard editor.take(key) || key == .control("d") && editor.take(.delete) else {
            return key == .other ? [] : [.bell]
        }
        return editor.text == text ? [] : search(.query(text: editor.text))
    }

    private mutating func search(in mode: FindMode) -> [Action] {
        self.mode = mode
        return search(.mode(value: mode))
    }

    private mutating func search(_ event: FinderViewEvent) -> [Action] {
        goToBest()
        problem = nil
        guard isOpen else { return [] }
        unanswered += 1
        return [.search(event)] + update()
    }

    private mutating func goToBest() {
        (selection, index, first) = (nil, 0, 0)
        (before, isFound) = (nil, false)
    }

    private mutating func move(to place: Int) -> [Action] {
        let next = max(0, min(place, rowCount - 1))
        guard next != index else { return [.bell] }
        index = next
        select()
        return update()
    }

    private mutating func select() {
        var selection = RemoteSelection<FoundRow>()
        selection.select(rows[index]?.id, in: rows)
        self.selection = selection
    }

    private mutating func choose() -> [Action] {
        guard choice == .none else { return [] }
        choice = .waits
        return chooseIfFound()
    }

    /// Accepts the selected row if Enter was typed before the rows for the typed text had come.
    private mutating func chooseIfFound() -> [Action] {
        guard choice == .waits, isFound else { return [] }
        if let selected {
            choice = .isSent
            return [.accept(index: index, id: selected.id)]
        }
        guard rows.isEmpty, !facts.isSearching else { return [] }
        choice = .none
        return [.bell]
    }
}

// Input from the finder.
extension Picker {
    /// Notes that the finder is open, and asks for the typed text.
    ///
    /// - Parameter before: the query that the finder has now.
    package mutating func didOpen(searching before: FinderQuery) -> [Action] {
        isOpen = true
        isHidden = before != FinderQuery(text: editor.text, mode: mode)
        let query = search(.query(text: editor.text))
        guard mode != before.mode else { return query }
        unanswered += 1
        return [.search(.mode(value: mode))] + query
    }

    /// Notes that the finder has ended; another one will be opened.
    package mutating func didEnd() {
        isOpen = false
        facts = FinderFacts()
        all = RemoteRows()
        (unanswered, choice, shownRows) = (0, .none, nil)
        goToBest()
        forgetPreview()
        isPreviewing = false
    }

    package mutating func take(_ event: FinderEvent) -> [Action] {
        facts.take(event)
        switch event {
        case .query(let text, let mode): return searches(for: text, in: mode)
        case .accepted(let path, let uri, let line):
            // Otherwise another view of the finder has accepted this file.
            return choice == .isSent ? [.open(ChosenFile(path: path, uri: uri, line: line))] : []
        case .scanning, .matches: return chooseIfFound()
        case .failed, .note: return []
        }
    }

    /// Notes the query that the finder searches for. Another view of the same finder may have changed it.
    private mutating func searches(for text: String, in mode: FindMode) -> [Action] {
        // A new finder reports its query before this picker has sent one.
        guard isOpen else { return [] }
        if unanswered == 0, text != editor.text || mode != self.mode {
            editor.replace(with: text)
            self.mode = mode
            goToBest()
        }
        if before == nil, text == editor.text, mode == self.mode { before = (all.count, all[0]) }
        return update()
    }

    /// Takes the list's rows.
    ///
    /// - Parameter failure: the reason why rows don't come; nil if they come.
    package mutating func take(_ rows: RemoteRows<FoundRow>, failure: String?) -> [Action] {
        all = rows
        if let before {
            let isOther = before.best.flatMap { best in rows[0].map { $0 != best } } ?? false
            isFound = isFound || isOther || rows.count != before.count
            if isFound { isHidden = false }
        }
        if let failure { problem = failure }
        if var selection {
            let place = selection.index
            selection.select(selection.id, in: rows)
            index = selection.index ?? place ?? index
            self.selection = selection
            // The person went to this row before it was fetched.
            if selection.id == nil { select() }
        } else {
            index = 0
        }
        return update() + chooseIfFound()
    }

    package mutating func take(_ file: PreviewedFile?, lines: RemoteRows<PreviewLine>) -> [Action] {
        guard layout.hasPreview else { return [] }
        if file?.path != preview?.path || file?.line != preview?.line { shownLines = nil }
        preview = file
        previewLines = lines
        return update()
    }

    /// Takes the answer to a query or a mode.
    ///
    /// - Parameter problem: why it failed, for a person; nil if it succeeded, or a newer query has replaced it.
    package mutating func didSearch(_ problem: String?) -> [Action] {
        unanswered = max(0, unanswered - 1)
        if let problem { self.problem = problem }
        guard unanswered == 0 else { return [] }
        (isFound, isHidden) = (true, false)
        return update() + chooseIfFound()
    }

    package mutating func didPreview(_ problem: String?) -> [Action] {
        isPreviewing = false
        // The row may have been removed before the finder got the request.
        if let problem, selected?.id == previewedID { self.problem = problem }
        return update()
    }

    package mutating func didAccept(_ problem: String?) -> [Action] {
        // The file was already opened by an event.
        guard choice == .isSent else { return [] }
        choice = .none
        self.problem = problem
        return [.bell]
    }
}

// The list and the preview.
extension Picker {
    private mutating func update() -> [Action] {
        index = max(0, min(index, rowCount - 1))
        let height = max(1, layout.listRows)
        first = max(0, min(max(min(first, index), index - height + 1), rowCount - height))
        return showRows(first..<first + height) + askForPreview() + showLines()
    }

    private mutating func showRows(_ range: Range<Int>) -> [Action] {
        guard isOpen, range != shownRows else { return [] }
        shownRows = range
        return [.show(range)]
    }

    /// Asks for a preview of the selected row. Only one request is in flight; the newest follows when that is answered.
    private mutating func askForPreview() -> [Action] {
        guard isOpen, layout.hasPreview, !isPreviewing, let selected, selected.id != previewedID else { return [] }
        previewedID = selected.id
        isPreviewing = true
        return [.preview(index: index, id: selected.id)]
    }

    private mutating func showLines() -> [Action] {
        guard preview != nil, layout.hasPreview, previewRange != shownLines else { return [] }
        shownLines = previewRange
        return [.showPreview(previewRange)]
    }

    private mutating func forgetPreview() {
        preview = nil
        previewLines = RemoteRows()
        (previewedID, shownLines) = (nil, nil)
    }

    /// The range of the preview's lines on screen. The line that was found is in the upper half.
    var previewRange: Range<Int> {
        let height = layout.previewRows
        let line = max(1, min(preview?.line ?? 1, Self.maximumCount))
        let wanted = max(0, line - 1 - height / 3)
        let first = previewLines.isEmpty ? wanted : max(0, min(wanted, previewLines.count - height))
        return first..<first + height
    }
}
