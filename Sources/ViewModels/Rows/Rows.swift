import Synchronization

/// A list of any length that a view model shows. Each View holds the rows that it wants, and is told of every change.
///
/// It is a stored `let` of a view model of any kind. A session sends an event with the property's name when the list
/// has changed, and clients ask for the rows that are on their screens:
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
/// Rows are kept in memory, or made on demand by a function that is given a range, such as one that reads a file or
/// asks a database. A View in this process uses the same object: `count`, `rows(in:)` and `changed`.
///
/// **Order.** A change reaches Views before every event that the view model sends after it. Changes that follow each
/// other at once, with no event between, are mostly told as one.
///
/// **Identity.** Where `Element` is `Identifiable` and its JSON form has the member `id`, clients know a row again by
/// that member. So they keep the selection and the place that is scrolled to.
///
/// Any thread may call any member. Indices count from 0. An index beyond the end is no error, since the list may have
/// become shorter before a View's event came: each function says what it does then.
public final class Rows<Element: Sendable>: Sendable {
    /// A change of the list, as `changed` tells it.
    public struct Change: Hashable, Sendable {
        /// How many rows there are after the change.
        public let count: Int
        /// The edits, in order. Nil when any row may be another, and where there were more than 256 edits.
        public let edits: [RowsEdit]?
    }

    /// Raised soon after the list has changed, for Views in this process. Changes that follow each other at once are
    /// mostly raised as one.
    ///
    /// A handler that reads rows gets them as they are by then. If they have changed again, that change is raised next.
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
    /// **Clients.** For a client's request `load` is called off the view model's isolation, with a range of at most
    /// 1,000 rows (the limit `rows`). Its task is cancelled when nobody waits for the rows any more. Where the list
    /// changes meanwhile it is called again. Its error is the answer to the request.
    ///
    /// **Later lives.** Of a list in a `DurableViewModel` the number of rows is saved. In a later life, a list that is
    /// made with 0 rows gets the saved number. With that number it counts as unchanged, and Views go on with the rows
    /// that they have: call `reload(count:)` in `resume()` where rows may be others. A list that is made with any other
    /// number is told to Views anew.
    ///
    /// - Parameters:
    ///   - count: how many rows there are at first; 0 where that isn't known yet. A negative number counts as 0.
    ///   - load: makes the rows of a range, which is never empty and never beyond the end. Where it makes fewer, the
    ///     request is answered with those. `rows(in:)` calls it in its caller's isolation.
    public init(count: Int, load: @escaping @Sendable (Range<Int>) async throws -> [Element]) {
        state = Mutex(RowsState(madeCount: Self.possible(count)))
        self.load = load
    }

    /// How many rows there are.
    public var count: Int { state.withLock { $0.count } }

    /// Whether there is no row.
    public var isEmpty: Bool { count == 0 }

    /// The row at an index. Nil where there is none, and always nil where rows are made on demand.
    public subscript(index: Int) -> Element? {
        state.withLock { $0.kept?[index] }
    }

    /// All rows of a list in memory, as they are now. None where rows are made on demand.
    ///
    /// It costs as much as an array of the rows. Going through that costs far less than asking for one row after the other.
    public var all: [Element] { state.withLock { $0.kept?.all ?? [] } }

    /// The rows in a range, as far as the list has them.
    ///
    /// Rows that are made on demand are those of one call: the list may have changed when this returns.
    ///
    /// - Throws: the error of the function that makes rows on demand. A list in memory throws nothing.
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

/// Edits. Where rows are made on demand, they only tell what has changed: the rows that they are given aren't kept.
extension Rows {
    /// Puts other rows in the place of all. Views are told that any row may be another.
    ///
    /// Where rows are `Identifiable`, another function of this name tells the single edits.
    public func replace(with rows: [Element]) {
        edit { $0.replaceAll(with: rows) }
    }

    /// Tells Views how many rows there are, and that any of them may be another now.
    ///
    /// - Parameter count: the number of rows that are made on demand; a negative number counts as 0. A list in memory
    ///   keeps its rows and their number.
    public func reload(count: Int) {
        edit { $0.reload(count: Self.possible(count)) }
    }

    /// Tells what another list has told. This one makes its rows on demand, from the other.
    ///
    /// - Parameter edits: nil where any row may be another.
    func pass(count: Int, _ edits: [RowsEdit]?) {
        edit { $0.pass(count: Self.possible(count), edits) }
    }

    /// Limits a count, so that additions to it never overflow.
    static func possible(_ count: Int) -> Int { min(max(0, count), .max / 2) }

    /// Inserts a row before the one at `index`. An index beyond the end is the end, and a negative one is 0.
    public func insert(_ row: Element, at index: Int) {
        insert(contentsOf: [row], at: index)
    }

    /// Inserts rows before the one at `index`. An index beyond the end is the end, and a negative one is 0.
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

    /// Removes the rows in a range, as far as the list has them.
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

    /// Moves the row at `index`, so that its index is `target` afterwards. Does nothing where there is no such row.
    ///
    /// - Parameters:
    ///   - index: of the row before the move.
    ///   - target: of the row after the move. One beyond the end is the last index, and a negative one is 0.
    public func move(from index: Int, to target: Int) {
        edit { $0.move(from: index, to: target) }
    }

    /// Changes the list, and has its Views told.
    ///
    /// - Parameter body: returns the removed rows, to be released with no lock held: their end may change this very list.
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
    /// Puts other rows in the place of all, and finds the edits by the rows' `id`.
    ///
    /// Rows whose `id` is in both lists, in the same order, are told as updates. The others are told as rows that were
    /// removed or inserted. Where rows are made on demand, or other threads change the list all the while, Views are
    /// told that any row may be another.
    public func replace(with rows: [Element]) {
        replace(with: rows) { _, _ in false }
    }

    /// Replaces all rows. It looks for the edits with no lock held: what compares rows is the user's code, and may take a
    /// while.
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

    /// How often edits are looked for, as another thread may change the list meanwhile.
    private static var replaceAttempts: Int { 3 }
}

extension Rows where Element: Identifiable & Equatable {
    /// Puts other rows in the place of all, and finds the edits by the rows' `id` and content.
    ///
    /// Of the rows whose `id` is in both lists, in the same order, those that are equal aren't told, and the others are
    /// told as updates. All other rows are told as removed or inserted. Where rows are made on demand, or other threads
    /// change the list all the while, Views are told that any row may be another.
    public func replace(with rows: [Element]) {
        replace(with: rows, isSame: ==)
    }
}
