package import ViewModels

/// The rules of a list in a client: which rows are here, which are asked for, and when. A value without I/O: an owner performs
/// the actions in order, and reports what comes.
///
/// Rows are never mixed with the count of another `seq`. An answer holds for the `seq` in it, and all events up to that `seq`
/// came before the answer.
package struct ListLife<Row: Sendable> {
    /// An action for the list's owner.
    package enum Action {
        /// Ask for these rows. The owner reports the answer by `didAnswer` or `didFail` with the number, unless the connection
        /// is lost.
        case ask(Range<Int>, number: Int)
        /// Tell the server that the answer with this number isn't needed any more.
        case giveUp(number: Int)
        /// Tell the readers of the list about a change.
        case tell(RemoteListChange<Row>)
    }

    /// The content of a list's event.
    package struct Event {
        let count: Int
        /// The edits; nil if any row may be another one.
        package var edits: [RowsEdit]?
        var first: Int
        var rows: [Row?]

        package init(count: Int, edits: [RowsEdit]? = nil, first: Int = 0, rows: [Row?] = []) {
            self.count = count
            self.edits = edits
            self.first = first
            self.rows = rows
        }
    }

    /// The server's answer to a request for rows.
    package struct Answer {
        let seq: Int
        let count: Int
        let first: Int
        let rows: [Row?]

        package init(seq: Int, count: Int, first: Int, rows: [Row?]) {
            self.seq = seq
            self.count = count
            self.first = first
            self.rows = rows
        }
    }

    /// The rows to ask for if nothing is known about the list and no window was chosen.
    static var firstRows: Range<Int> { 0..<100 }
    /// The most rows in a window.
    static var longestWindow: Int { 1_000 }
    /// The most rows that are kept. Enough for a window with as many rows on either side.
    static var keptRows: Int { 4_000 }

    package private(set) var rows = RemoteRows<Row>()
    /// The reason why rows of the window don't come. They are asked for again after `show`, or when the list changes.
    package private(set) var failure: RemoteError?
    /// Whether the number of rows is known.
    private var isKnown: Bool
    /// The number of the newest event or answer that the rows include.
    private var seq = 0
    private var isAttached: Bool
    private var window = 0..<0
    /// Whether rows near the window are asked for and kept, too.
    private let keepsMore: Bool
    /// The request in flight; nil if there is none.
    private var asked: (number: Int, range: Range<Int>)?
    private var lastNumber = 0

    /// Makes a list without rows.
    ///
    /// - Parameter isKnown: whether the owner reports all events of the session, so that a list without an event is empty.
    package init(isKnown: Bool, isAttached: Bool) {
        self.isKnown = isKnown
        self.isAttached = isAttached
        keepsMore = true
    }

    /// Makes a list for a caller that wants only these rows, all of one moment. It asks for them at least once.
    package init(only range: Range<Int>, isAttached: Bool) {
        isKnown = false
        self.isAttached = isAttached
        keepsMore = false
        window = range
    }
}

// The inputs.
extension ListLife {
    /// Asks for the first rows, when the list is looked at for the first time.
    package mutating func start() -> [Action] {
        askForMissing()
    }

    /// Chooses the window: these rows, a thousand at most, are fetched and kept from now on, with as many on either side.
    package mutating func show(_ range: Range<Int>) -> [Action] {
        let first = max(0, range.lowerBound)
        let count = min(Self.longestWindow, max(0, range.upperBound) - first)
        // The range is beyond the end of any list.
        window = first > Int.max - count ? 0..<0 : first..<first + count
        failure = nil
        var actions: [Action] = []
        if let asked, isKnown, !asked.range.overlaps(window) {
            self.asked = nil
            actions.append(.giveUp(number: asked.number))
        }
        letGo()
        return actions + askForMissing()
    }

    /// Applies an event of the list.
    package mutating func take(_ event: Event, seq: Int) -> [Action] {
        // An answer may have included the event already.
        guard seq > self.seq else { return [] }
        let edits = event.edits.flatMap { rows.count(after: $0) == event.count ? $0 : nil }
        return change(event, edits, seq: seq)
    }

    /// Applies a snapshot's event of the list; nil if the snapshot has none, which means an empty list.
    package mutating func begin(_ event: Event?, seq: Int) -> [Action] {
        let wasEmpty = isKnown && rows.isEmpty
        let event = event ?? Event(count: 0)
        let actions = change(event, nil, seq: seq)
        return wasEmpty && event.count == 0 ? [] : actions
    }

    /// Applies the answer to a request.
    ///
    /// - Parameter newest: the number of the newest event that the view got.
    package mutating func didAnswer(_ number: Int, _ answer: Answer, newest: Int) -> [Action] {
        guard let range = takeAsked(number) else { return [] }
        // The list has changed since the answer.
        guard answer.seq >= seq else { return askForMissing() }
        // The view may not have been told about changes from before it was attached.
        let isNew = !isKnown || answer.seq > newest || answer.count != rows.count
        let event = Event(count: answer.count, first: answer.first, rows: answer.rows)
        if answer.rows.isEmpty, range.lowerBound < answer.count {
            failure = .invalidMessage("the server sends no row from \(range.lowerBound) on; is that one too long?")
        }
        return change(event, isNew ? nil : [], seq: answer.seq)
    }

    package mutating func didFail(_ number: Int, _ error: RemoteError) -> [Action] {
        guard takeAsked(number) != nil else { return [] }
        failure = error
        return [tell([])]
    }

    /// Notes that no answer comes any more. Rows are asked for again once the view is attached.
    package mutating func didLoseConnection() {
        isAttached = false
        asked = nil
    }

    /// Asks for missing rows, since the view is attached again. A snapshot, if any, must be applied first.
    package mutating func didAttach() -> [Action] {
        isAttached = true
        return askForMissing()
    }
}

extension ListLife {
    private mutating func takeAsked(_ number: Int) -> Range<Int>? {
        guard let asked, asked.number == number else { return nil }
        self.asked = nil
        return asked.range
    }

    private mutating func change(_ event: Event, _ edits: [RowsEdit]?, seq: Int) -> [Action] {
        self.seq = seq
        isKnown = true
        if let edits { rows.apply(edits) } else { rows = RemoteRows(count: event.count) }
        if edits?.isEmpty != true { failure = nil }
        rows.fill(event.first, event.rows)
        letGo()
        return [tell(edits)] + askForMissing()
    }

    private func tell(_ edits: [RowsEdit]?) -> Action {
        .tell(RemoteListChange(rows: rows, edits: edits, failure: failure))
    }

    private mutating func askForMissing() -> [Action] {
        guard isAttached, asked == nil, failure == nil, let missing else { return [] }
        lastNumber &+= 1
        asked = (lastNumber, missing)
        return [.ask(missing, number: lastNumber)]
    }

    private mutating func letGo() {
        if keepsMore { rows.keepNear(around(shown), bound: Self.keptRows) }
    }

    private var shown: Range<Int> { window.clamped(to: 0..<rows.count) }

    /// The rows to ask for next: those of the window that aren't here, or if all are, those near the window; nil if none is
    /// missing.
    private var missing: Range<Int>? {
        guard isKnown else { return window.isEmpty ? Self.firstRows : window }
        guard keepsMore else { return rows.gap(in: shown) }
        guard !shown.isEmpty else { return nil }
        let near = around(shown)
        if let gap = rows.gap(in: shown) { return rows.gap(in: gap.lowerBound..<near.upperBound) }
        // Rows near the window are asked for in larger parts, and not for each row that is scrolled by.
        guard rows.gap(in: widened(shown, by: shown.count / 2)) != nil else { return nil }
        return rows.gap(in: shown.upperBound..<near.upperBound) ?? rows.gap(in: near.lowerBound..<shown.lowerBound)
    }

    private func around(_ range: Range<Int>) -> Range<Int> { widened(range, by: range.count) }

    private func widened(_ range: Range<Int>, by length: Int) -> Range<Int> {
        let end = rows.count - range.upperBound < length ? rows.count : range.upperBound + length
        return max(0, range.lowerBound - length)..<end
    }
}
