import Synchronization

/// A list of any length that a view model shows: each View holds the rows that it wants, and is told of every change.
///
/// It is a stored property of a view model, whatever its style. A session sends an event of the property's name when the
/// list has changed, and clients ask for the rows that are on their screens:
///
/// ```swift
/// actor JournalViewModel: ViewModel {
///     enum ViewEvent: Codable { case clear }
///     enum ViewModelEvent: Codable { case size(bytes: Int) }
///
///     let output = Output<ViewModelEvent>()
///     let lines = Rows<Line>()
///
///     func handle(event: ViewEvent) { lines.replace(with: []) }
/// }
/// ```
///
/// Rows are kept in memory, or made on demand by a function that is given a range, such as one that reads a file or asks
/// a database. A View in this process uses the same object: `count`, `rows(in:)` and `changed`.
///
/// **Order.** A change reaches Views before every event that its view model sends after it. Changes that follow each other at
/// once, with no event between, are mostly told as one.
///
/// **Identity.** Where `Element` is `Identifiable`, and its JSON form has the member `id`, clients keep the selection and
/// the scroll place by it.
///
/// Any thread may call any member. Indices count from 0. One beyond the end is no error, since a list may have become
/// shorter on its way to a View: each function says what it does then.
public final class Rows<Element: Sendable>: Sendable {
    /// What a change of the list is told as.
    public struct Change: Hashable, Sendable {
        /// How many rows there are after it.
        public let count: Int
        /// The edits in order; nil when any row may be another.
        public let edits: [RowsEdit]?
    }

    /// Raised soon after the list has changed, mostly once for changes that follow each other at once.
    ///
    /// For Views in this process. They read the rows as they are by then, which may have changed again: that change is
    /// raised next.
    public let changed = Event<Change>()

    let state: Mutex<RowsState<Element>>
    let load: (@Sendable (Range<Int>) async throws -> [Element])?

    /// A list whose rows are kept in memory.
    public init(_ rows: [Element] = []) {
        state = Mutex(RowsState(kept: RowStorage(rows)))
        load = nil
    }

    /// A list whose rows are made on demand.
    ///
    /// - Parameters:
    ///   - count: how many rows there are at first; 0 where that isn't known yet. In a later life of a durable session, a
    ///     list that is made with 0 rows has as many as were saved. A list that has as many as were saved counts as
    ///     unchanged: call `reload(count:)` in `resume()` where its rows may be others. Any other number is told anew.
    ///   - load: makes the rows of a range, which is never beyond the end, nor longer than the limit `rows` (1,000) for a
    ///     client. Fewer rows than asked for are told as they are. It is called off the view model's isolation, in a task
    ///     that is cancelled when nobody waits for the rows any more. Where the list changes meanwhile it is called again.
    ///     An error is the answer to whoever asked.
    public init(count: Int, load: @escaping @Sendable (Range<Int>) async throws -> [Element]) {
        state = Mutex(RowsState(madeCount: Self.possible(count)))
        self.load = load
    }

    /// How many rows there are.
    public var count: Int { state.withLock { $0.count } }

    /// Whether there is no row.
    public var isEmpty: Bool { count == 0 }

    /// The row at an index; nil where there is none, and always where rows are made on demand.
    public subscript(index: Int) -> Element? {
        state.withLock { $0.kept?[index] }
    }

    /// The rows in a range, without those that it has beyond the end.
    ///
    /// - Throws: where they are made on demand, the error of the function that makes them.
    public func rows(in range: Range<Int>) async throws -> [Element] {
        let (kept, range) = state.withLock { state in
            let range = state.clamped(range)
            return (state.kept?.rows(in: range), range)
        }
        if let kept { return kept }
        if range.isEmpty { return [] }
        return try await load?(range) ?? []
    }
}

/// Edits. Those of a list whose rows are made on demand say what has changed; the rows that they are given aren't kept.
extension Rows {
    /// Puts other rows in the place of all. Any row may be another after that, unless rows have an identity: then the
    /// edits are found.
    public func replace(with rows: [Element]) {
        edit { $0.replaceAll(with: rows) }
    }

    /// Says that there are so many rows, and that any may be another now. For rows that are made on demand; those in
    /// memory stay.
    public func reload(count: Int) {
        edit { $0.reload(count: Self.possible(count)) }
    }

    /// So that nothing overflows that is added to it.
    static func possible(_ count: Int) -> Int { min(max(0, count), .max / 2) }

    /// Inserts a row before the one at `index`, or at the end where there is none.
    public func insert(_ row: Element, at index: Int) {
        insert(contentsOf: [row], at: index)
    }

    /// Inserts rows before the one at `index`, or at the end where there is none.
    public func insert(contentsOf rows: [Element], at index: Int) {
        edit { state in
            let place = min(max(0, index), state.count)
            return state.replace(place..<place, with: rows)
        }
    }

    /// Adds a row at the end.
    public func append(_ row: Element) {
        append(contentsOf: [row])
    }

    /// Adds rows at the end.
    public func append(contentsOf rows: [Element]) {
        insert(contentsOf: rows, at: .max)
    }

    /// Removes the row at `index`. Does nothing where there is none.
    public func remove(at index: Int) {
        edit { state in
            guard (0..<state.count).contains(index) else { return [] }
            return state.replace(index..<index + 1, with: [])
        }
    }

    /// Removes the rows in a range, as far as there are any.
    public func remove(_ range: Range<Int>) {
        edit { $0.replace($0.clamped(range), with: []) }
    }

    /// Puts another row in the place of the one at `index`. Does nothing where there is none.
    public func update(_ row: Element, at index: Int) {
        edit { state in
            guard (0..<state.count).contains(index) else { return [] }
            return state.replace(index..<index + 1, with: [row])
        }
    }

    /// Takes the row at `index` out, and inserts it so that it stands at `target`, or at the end where that is beyond it.
    /// Does nothing where there is no such row.
    public func move(from index: Int, to target: Int) {
        edit { $0.move(from: index, to: target) }
    }

    /// Changes the list, and has its Views told.
    ///
    /// - Parameter body: returns rows that went, to be released with no lock held: their end may change this very list.
    func edit(_ body: (inout RowsState<Element>) -> [Element]) {
        let (gone, mustSchedule) = state.withLock { state in
            let gone = body(&state)
            // Under the lock, so that an event that is sent after this change comes after it.
            for line in state.beginTelling() { queueTelling(of: line) }
            return (gone, state.schedule())
        }
        withExtendedLifetime(gone) {}
        if mustSchedule { scheduleTelling() }
    }
}

extension Rows where Element: Identifiable {
    /// Puts other rows in the place of all. Rows whose `id` stays, in the same order, are told as updates; the others as
    /// rows that went and came.
    public func replace(with rows: [Element]) {
        replace(with: rows) { _, _ in false }
    }

    /// Finds the edits with no lock held: what compares rows is the user's code, and may take a while.
    fileprivate func replace(with rows: [Element], isSame: (Element, Element) -> Bool) {
        for _ in 0..<Self.replaceAttempts {
            let (old, version) = state.withLock { ($0.kept?.all, $0.version) }
            guard let old else { break }
            let edits = RowsEdits(from: old, to: rows, id: \.id, isSame: isSame)
            var isReplaced = false
            edit { state in
                guard state.version == version else { return [] }
                isReplaced = true
                return state.replaceAll(with: rows, by: edits)
            }
            if isReplaced { return }
        }
        edit { $0.replaceAll(with: rows) }
    }

    /// How often edits are looked for again because another thread has changed the list meanwhile.
    private static var replaceAttempts: Int { 3 }
}

extension Rows where Element: Identifiable & Equatable {
    /// Puts other rows in the place of all. Rows that are equal, in the same order, aren't told; those whose `id` alone
    /// stays are told as updates, and the others as rows that went and came.
    public func replace(with rows: [Element]) {
        replace(with: rows, isSame: ==)
    }
}
