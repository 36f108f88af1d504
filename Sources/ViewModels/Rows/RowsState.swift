/// The rows of a list, and what its Views have yet to be told. Pure; the list guards it.
struct RowsState<Element: Sendable>: Sendable {
    /// The line to one session of the list's view model.
    struct Line: Sendable {
        let id: Int
        /// Brings the view model's events to the session, and the changes of the list in their places among them.
        let output: any AnyOutput
        let tell: @Sendable (RowsReport) -> Void
        var pending = RowsEdits()
        /// Whether a step among the events will tell what is pending.
        var isQueued = false
        /// The rows that a view has asked for last.
        var window: Range<Int>?
    }

    /// The rows in memory; nil where rows are made on demand.
    private(set) var kept: RowStorage<Element>?
    private var madeCount = 0
    /// The number of changes so far, by which rows that were made before a change aren't told after it.
    private(set) var version = 0
    private var lines: [Line] = []
    private var lastLine = 0
    /// The edits that Views in this process have yet to be told.
    private var local = RowsEdits()
    /// Whether a task that has everybody told is on its way.
    private var isScheduled = false
    /// The version in which the list came back from a store; nil where it was made anew.
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

/// Edits, each of which returns the removed rows.
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

    /// Tells what another list has told, of which this one has the rows made.
    ///
    /// - Parameter edits: nil where any row may be another.
    mutating func pass(count: Int, _ edits: [RowsEdit]?) -> [Element] {
        guard let edits, self.count(after: edits) == count else { return reload(count: count) }
        for edit in edits { note(edit) }
        madeCount = count
        return []
    }

    /// Returns the number of rows after edits; nil where they don't fit.
    private func count(after edits: [RowsEdit]) -> Int? {
        var count = count
        for edit in edits {
            guard (0...count).contains(edit.at), (0...(count - edit.at)).contains(edit.removed), edit.inserted >= 0,
                edit.inserted <= .max / 2 - count
            else { return nil }
            count += edit.inserted - edit.removed
        }
        return count
    }

    mutating func replaceAll(with rows: [Element]) -> [Element] {
        noteReset()
        return setAll(rows)
    }

    /// - Parameter edits: the edits that lead to `rows`.
    mutating func replaceAll(with rows: [Element], by edits: RowsEdits) -> [Element] {
        note(edits)
        return setAll(rows)
    }

    /// Gives the list what its Views were told in an earlier life. Nothing changes where the saved list is of the other kind,
    /// or this one was made with another number of rows.
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

    /// Whether the list hasn't changed since it came back from a store, so that Views of an earlier life know it.
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

    /// Removes a line.
    ///
    /// - Returns: the line, to be released with no lock held.
    mutating func remove(_ id: Int) -> Line? {
        lines.firstIndex { $0.id == id }.map { lines.remove(at: $0) }
    }

    func output(of id: Int) -> (any AnyOutput)? {
        lines.first { $0.id == id }?.output
    }

    /// Returns the lines that have changes to tell, each with whether a step for them is queued; that counts as queued from now
    /// on.
    mutating func beginTelling() -> [(line: Line, isQueued: Bool)] {
        var changed: [(line: Line, isQueued: Bool)] = []
        for index in lines.indices where !lines[index].pending.isEmpty {
            changed.append((lines[index], lines[index].isQueued))
            lines[index].isQueued = true
        }
        return changed
    }

    /// Notes that a task has to tell everybody.
    ///
    /// - Returns: whether the caller must start that task.
    mutating func schedule() -> Bool {
        guard !isScheduled, !local.isEmpty else { return false }
        isScheduled = true
        return true
    }

    /// Notes that the task of `schedule()` has begun. Returns the edits for Views in this process, and the outputs of all
    /// lines.
    mutating func endSchedule() -> (local: RowsEdits, outputs: [any AnyOutput]) {
        isScheduled = false
        defer { local = RowsEdits() }
        return (local, lines.map(\.output))
    }

    /// Takes what is pending for a line, which counts as told from now on; nil where nothing is.
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

    /// Takes a report of the list as it is, for a line that was told nothing.
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
        // The range is what a client asked for, and may be so large that adding to its end would overflow.
        guard !range.isEmpty, let index = lines.firstIndex(where: { $0.id == id }) else { return }
        lines[index].window = range.lowerBound..<range.lowerBound + min(range.count, RowsReport.firstRows.count)
    }

    /// - Parameter range: the rows to tell; nil for none. Rows that are made on demand aren't told.
    func report(_ range: Range<Int>?, _ edits: [RowsEdit]? = nil) -> RowsReport {
        let range = range.map(clamped)
        let rows = range.flatMap { range in kept.map { $0.rows(in: range) } }
        return RowsReport(count: count, edits: edits, first: range?.lowerBound ?? 0, rows: rows, rowType: Element.self)
    }
}
