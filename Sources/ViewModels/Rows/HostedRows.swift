import Synchronization

/// A list as sessions host it, without the type of its rows.
///
/// Each session has a *line*, by which it is told of changes, in their places among its view model's events.
package protocol HostedRows: AnyObject, Sendable {
    static var rowType: any Any.Type { get }

    /// Whether the list's rows are in memory. Otherwise they are made on demand.
    var isKept: Bool { get }

    /// Adds a session's line.
    ///
    /// - Parameters:
    ///   - output: the view model's output, among whose events the changes are placed.
    ///   - isResumed: whether Views were told of the list in an earlier life of the session. If they weren't, or the list has
    ///     changed since, the first report has the present rows.
    ///   - tell: called for one change at a time, on the thread that delivers the output's events.
    /// - Returns: the number of the line, which the other functions take.
    func addLine(
        to output: any AnyOutput, isResumed: Bool, _ tell: @escaping @Sendable (RowsReport) -> Void
    ) -> Int

    /// Removes a line. A change that is being told may still arrive after this.
    func removeLine(_ line: Int)

    /// Reports the number of rows now, and the first of them. Changes that the line hasn't been told yet are told first.
    ///
    /// Called on the thread that delivers the output's events.
    func snapshot(of line: Int) -> RowsReport

    /// Reads rows that are in memory, after the events that are still on their way to the session.
    ///
    /// The line has been told every change up to these rows when `place` is called, and none after them. Indices beyond the end
    /// of the list are left out.
    ///
    /// - Parameter place: called once, on the thread that delivers the output's events. It must not block.
    /// - Returns: false where rows are made on demand; then `place` is never called.
    func readKept(_ range: Range<Int>, of line: Int, _ place: @escaping @Sendable (RowsReport) -> Void) -> Bool

    /// Reads rows as `readKept` does, also those that are made on demand.
    ///
    /// - Parameter place: called once, unless this throws.
    /// - Throws: the error of the function that makes the rows, `ChangingRows`, or `CancellationError`.
    func read(_ range: Range<Int>, of line: Int, _ place: @escaping @Sendable (RowsReport) -> Void) async throws
}

/// A report to a session: rows of a list, a change of the list, or both.
package struct RowsReport: Sendable {
    /// The indices of the rows in a report, where no view has asked for others. No report of a change has more rows.
    package static let firstRows = 0..<100

    /// How many rows the list has.
    package let count: Int
    /// The edits of the change; nil where any row may have changed, and where the report isn't about a change.
    package let edits: [RowsEdit]?
    /// The index of the first of `rows`.
    package let first: Int
    /// An array of the list's row type; nil where the report has no rows.
    package let rows: (any Sendable)?
    package let rowType: any Any.Type

    /// This report with its edits alone.
    package var withoutRows: RowsReport {
        RowsReport(count: count, edits: edits, first: 0, rows: nil, rowType: rowType)
    }
}

/// The error for a list that changed each time that its rows were made.
package struct ChangingRows: Error, CustomStringConvertible {
    fileprivate let attempts: Int

    package var description: String { "the list changed each of the \(attempts) times that its rows were made" }
}

extension Rows {
    /// Queues a step among the output's events that tells a line its changes, unless one is queued.
    ///
    /// Called with the list's lock held.
    func queueTelling(of changed: (line: RowsState<Element>.Line, isQueued: Bool)) {
        guard !changed.isQueued else { return changed.line.output.noteChange() }
        let id = changed.line.id
        changed.line.output.queueStep { [weak self] in self?.tell(id) }
    }

    private func tell(_ line: Int) {
        state.withLock { $0.takePending(line) }?()
    }

    /// Schedules a task that tells every line its changes once the caller suspends, unless they are told before.
    func scheduleTelling() {
        // On the executor of the caller, and so after it: elsewhere it would run at the same time, and tell the changes
        // one by one. Detached, since it tells the changes of others, too.
        let executor = withUnsafeCurrentTask { $0?.unownedTaskExecutor?.asTaskExecutor() }
        Task.detached(executorPreference: executor) { [weak self] in self?.tellAll() }
    }

    private func tellAll() {
        let hold = changed.holdTurn()
        let outputs = state.withLock { state in
            let (edits, outputs) = state.endSchedule()
            // Under the lock, for the order of changes.
            if !edits.isEmpty { changed.output.enqueue(Change(count: state.count, edits: edits.edits), in: hold) }
            return outputs
        }
        changed.output.deliverPending()
        for output in outputs { output.deliverPending() }
    }
}

extension Rows: HostedRows {
    package static var rowType: any Any.Type { Element.self }

    package var isKept: Bool { load == nil }

    package func addLine(
        to output: any AnyOutput, isResumed: Bool, _ tell: @escaping @Sendable (RowsReport) -> Void
    ) -> Int {
        state.withLock { state in
            let line = state.add(output, tell)
            if isResumed ? !state.isAsRestored : state.count > 0 {
                output.queueStep { [weak self] in
                    // The report has all rows, so changes until then aren't told besides.
                    self?.state.withLock { $0.takeAll(line) }.map { $0() }
                }
            }
            return line
        }
    }

    package func removeLine(_ line: Int) {
        let removed = state.withLock { $0.remove(line) }
        withExtendedLifetime(removed) {}
    }

    package func snapshot(of line: Int) -> RowsReport {
        let (pending, report) = state.withLock { ($0.takePending(line), $0.report(RowsReport.firstRows)) }
        pending?()
        return report
    }

    package func readKept(
        _ range: Range<Int>, of line: Int, _ place: @escaping @Sendable (RowsReport) -> Void
    ) -> Bool {
        guard load == nil else { return false }
        // The line may just have ended, with its session.
        guard let output = output(of: line) else {
            place(state.withLock { $0.report(nil) })
            return true
        }
        output.afterPending { [self] in
            let (pending, report) = state.withLock { state in
                state.noteWindow(range, of: line)
                return (state.takePending(line), state.report(range))
            }
            pending?()
            place(report)
        }
        return true
    }

    package func read(
        _ range: Range<Int>, of line: Int, _ place: @escaping @Sendable (RowsReport) -> Void
    ) async throws {
        guard let output = output(of: line) else { throw CancellationError() }
        for _ in 0..<Self.readAttempts {
            let (range, version) = state.withLock { ($0.clamped(range), $0.version) }
            let rows = range.isEmpty ? [] : try await load?(range) ?? []
            try Task.checkCancellation()
            if await placeMade(rows, from: range, madeAt: version, on: output, place) { return }
        }
        throw ChangingRows(attempts: Self.readAttempts)
    }

    private func output(of line: Int) -> (any AnyOutput)? {
        state.withLock { $0.output(of: line) }
    }

    /// How often rows are made at most, as the list may change meanwhile.
    private static var readAttempts: Int { 100 }

    /// Calls `place` with rows in its turn among the events. Returns false where the list has changed since `version`.
    private func placeMade(
        _ rows: [Element], from range: Range<Int>, madeAt version: Int, on output: any AnyOutput,
        _ place: @escaping @Sendable (RowsReport) -> Void
    ) async -> Bool {
        await withCheckedContinuation { continuation in
            output.afterPending { [self] in
                // All changes up to that version were told: their step came before this one.
                let report = state.withLock { state in
                    state.version == version
                        ? RowsReport(
                            count: state.count, edits: nil, first: range.lowerBound,
                            rows: Array(rows.prefix(range.count)), rowType: Element.self) : nil
                }
                if let report { place(report) }
                continuation.resume(returning: report != nil)
            }
        }
    }
}
