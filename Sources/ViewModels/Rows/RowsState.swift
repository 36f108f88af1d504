/// The rows of a list, and what its Views have yet to be told. Pure; the list guards it.
struct RowsState<Element: Sendable>: Sendable {
    /// A session of the list's view model.
    struct Line: Sendable {
        let id: Int
        /// Brings the view model's events to the session, and the changes of the list in their places among them.
        let output: any AnyOutput
        let tell: @Sendable (RowsReport) -> Void
        var pending = RowsEdits()
        /// There is a step among the events that tells what is pending.
        var isQueued = false
        /// Those that a view has asked for last.
        var window: Range<Int>?
    }

    /// Nil where rows are made on demand.
    private(set) var kept: RowStorage<Element>?
    private var madeCount = 0
    /// Counts the changes, so that rows that were made before one aren't told after it.
    private(set) var version = 0
    private var lines: [Line] = []
    private var lastLine = 0
    /// What Views in this process are told.
    private var local = RowsEdits()
    /// A task is on its way that has everybody told.
    private var isScheduled = false
    /// The version in which the list came back from a store; nil where it didn't.
    private var restoredVersion: Int?

    init(kept: RowStorage<Element>) {
        self.kept = kept
    }

    init(madeCount: Int) {
        self.madeCount = madeCount
    }

    var count: Int { kept?.count ?? madeCount }

    func clamped(_ range: Range<Int>) -> Range<Int> {
        range.clamped(to: 0..<count)
    }
}

/// Edits, each of which returns the rows that went.
extension RowsState {
    mutating func replace(_ range: Range<Int>, with rows: [Element]) -> [Element] {
        note(RowsEdit(at: range.lowerBound, removed: range.count, inserted: rows.count))
        madeCount += rows.count - range.count
        return kept?.replace(range, with: rows) ?? []
    }

    mutating func move(from index: Int, to target: Int) -> [Element] {
        guard (0..<count).contains(index) else { return [] }
        let target = min(max(0, target), count - 1)
        guard target != index else { return [] }
        let moved = replace(index..<index + 1, with: [])
        if kept != nil { return replace(target..<target, with: moved) }
        note(RowsEdit(at: target, removed: 0, inserted: 1))
        madeCount += 1
        return []
    }

    mutating func reload(count: Int) -> [Element] {
        madeCount = count
        noteReset()
        return []
    }

    mutating func replaceAll(with rows: [Element]) -> [Element] {
        noteReset()
        return setAll(rows)
    }

    /// - Parameter edits: those that lead to `rows`.
    mutating func replaceAll(with rows: [Element], by edits: RowsEdits) -> [Element] {
        note(edits)
        return setAll(rows)
    }

    /// The list has the rows that its Views were told in an earlier life. What is saved of the other kind of list is passed
    /// over, and so is a number of rows where the list was made with another.
    mutating func restore(_ saved: SavedRows<Element>) -> [Element] where Element: Codable {
        let old: [Element]
        switch saved {
        case .kept(let rows) where kept != nil: old = replaceAll(with: rows)
        case .made(let count) where kept == nil && (madeCount == 0 || madeCount == count): old = reload(count: count)
        default: return []
        }
        restoredVersion = version
        return old
    }

    /// Whether Views that were told everything in an earlier life know what the list has.
    var isAsRestored: Bool { restoredVersion == version }

    private mutating func setAll(_ rows: [Element]) -> [Element] {
        madeCount = rows.count
        let old = kept?.all ?? []
        if kept != nil { kept = RowStorage(rows) }
        return old
    }

    private mutating func note(_ edit: RowsEdit) {
        var edits = RowsEdits()
        edits.append(edit)
        note(edits)
    }

    private mutating func noteReset() {
        var edits = RowsEdits()
        edits.reset()
        note(edits)
    }

    private mutating func note(_ edits: RowsEdits) {
        guard !edits.isEmpty else { return }
        version += 1
        local.append(edits)
        for index in lines.indices { lines[index].pending.append(edits) }
    }
}

/// Telling.
extension RowsState {
    mutating func add(_ output: any AnyOutput, _ tell: @escaping @Sendable (RowsReport) -> Void) -> Int {
        lastLine += 1
        lines.append(Line(id: lastLine, output: output, tell: tell))
        return lastLine
    }

    /// - Returns: the line, to be released with no lock held.
    mutating func remove(_ id: Int) -> Line? {
        lines.firstIndex { $0.id == id }.map { lines.remove(at: $0) }
    }

    func output(of id: Int) -> (any AnyOutput)? {
        lines.first { $0.id == id }?.output
    }

    /// The lines that have something to be told, whether or not there is a step for it.
    mutating func beginTelling() -> [(line: Line, isQueued: Bool)] {
        var changed: [(line: Line, isQueued: Bool)] = []
        for index in lines.indices where !lines[index].pending.isEmpty {
            changed.append((lines[index], lines[index].isQueued))
            lines[index].isQueued = true
        }
        return changed
    }

    /// - Returns: whether the caller must have a task tell everybody.
    mutating func schedule() -> Bool {
        guard !isScheduled, !local.isEmpty else { return false }
        isScheduled = true
        return true
    }

    /// The task is there: what Views in this process are told, and who has the others told.
    mutating func endSchedule() -> (local: RowsEdits, outputs: [any AnyOutput]) {
        isScheduled = false
        defer { local = RowsEdits() }
        return (local, lines.map(\.output))
    }

    /// What is pending for a line, which counts as told from now on; nil where nothing is.
    mutating func takePending(_ id: Int) -> Telling? {
        guard let index = lines.firstIndex(where: { $0.id == id }) else { return nil }
        defer {
            lines[index].pending = RowsEdits()
            lines[index].isQueued = false
        }
        let line = lines[index]
        guard !line.pending.isEmpty else { return nil }
        // After a reset nobody knows what a view wants to see.
        let window = line.pending.edits == nil ? nil : line.window
        let shown = window ?? RowsReport.firstRows
        let isShown = line.pending.touchesRows(below: shown.upperBound)
        return Telling(report: report(isShown ? shown : nil, line.pending.edits), tell: line.tell)
    }

    /// Everything that there is, for a line that was told nothing.
    mutating func takeAll(_ id: Int) -> Telling? {
        let tell = lines.first { $0.id == id }?.tell
        _ = takePending(id)
        return tell.map { Telling(report: report(RowsReport.firstRows), tell: $0) }
    }

    struct Telling {
        let report: RowsReport
        let tell: @Sendable (RowsReport) -> Void

        func callAsFunction() { tell(report) }
    }

    mutating func noteWindow(_ range: Range<Int>, of id: Int) {
        // Whatever a client asked for, so nothing is added to its end.
        guard !range.isEmpty, let index = lines.firstIndex(where: { $0.id == id }) else { return }
        lines[index].window = range.lowerBound..<range.lowerBound + min(range.count, RowsReport.firstRows.count)
    }

    /// - Parameter range: the rows that are told, too; nil for none. None are told where they are made on demand.
    func report(_ range: Range<Int>?, _ edits: [RowsEdit]? = nil) -> RowsReport {
        let range = range.map(clamped)
        let rows = range.flatMap { range in kept.map { $0.rows(in: range) } }
        return RowsReport(count: count, edits: edits, first: range?.lowerBound ?? 0, rows: rows, rowType: Element.self)
    }
}
