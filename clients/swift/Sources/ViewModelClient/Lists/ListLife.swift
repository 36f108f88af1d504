package import ViewModels

/// The rules of a list at a client: which rows are here, which are asked for, and when. Pure: an owner does the actions
/// in their order, and reports what comes.
///
/// Rows of one number are never under the count of another. An answer is of the number that it says, and all events up
/// to that came before it.
package struct ListLife<Row: Sendable> {
    /// What the list's owner is to do.
    package enum Action {
        /// Ask for these rows; answered by `didAnswer` or `didFail` with the number, unless the connection is lost.
        case ask(Range<Int>, number: Int)
        /// Tell the server that nobody waits for this answer any more.
        case giveUp(number: Int)
        /// Tell those who look at the list.
        case tell(RemoteListChange<Row>)
    }

    /// What an event says of the list.
    package struct Event {
        let count: Int
        /// Nil where any row may be another.
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

    /// What the server answers to a request for rows.
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

    /// Those that are asked for where nothing is known of the list, and nothing shown.
    static var firstRows: Range<Int> { 0..<100 }
    /// The most rows that are shown.
    static var longestWindow: Int { 1_000 }
    /// The most rows that are kept. No less than the window with as much on either side.
    static var keptRows: Int { 4_000 }

    package private(set) var rows = RemoteRows<Row>()
    /// The reason why rows that are shown don't come. It is tried again when something is shown or has changed.
    package private(set) var failure: RemoteError?
    /// Whether anybody has told how many rows there are.
    private var isKnown: Bool
    /// The number of the newest event or answer that is in it.
    private var seq = 0
    private var isAttached: Bool
    private var window = 0..<0
    /// Whether rows near the window are asked for and kept, too.
    private let keepsMore: Bool
    /// The request on its way.
    private var asked: (number: Int, range: Range<Int>)?
    private var lastNumber = 0

    /// - Parameter isKnown: whether all events of the session will be, or were, reported: the list is empty then.
    package init(isKnown: Bool, isAttached: Bool) {
        self.isKnown = isKnown
        self.isAttached = isAttached
        keepsMore = true
    }

    /// The list of somebody who wants these rows alone, all of one moment, and asks at least once.
    package init(only range: Range<Int>, isAttached: Bool) {
        isKnown = false
        self.isAttached = isAttached
        keepsMore = false
        window = range
    }
}

// The inputs.
extension ListLife {
    /// The list is looked at for the first time.
    package mutating func start() -> [Action] {
        askForMissing()
    }

    /// These rows are to be here from now on, a thousand at most, and as many on either side.
    package mutating func show(_ range: Range<Int>) -> [Action] {
        let first = max(0, range.lowerBound)
        let count = min(Self.longestWindow, max(0, range.upperBound) - first)
        // Beyond what any list has.
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

    /// An event of the list came, with this number.
    package mutating func take(_ event: Event, seq: Int) -> [Action] {
        // An answer may have told it before.
        guard seq > self.seq else { return [] }
        let edits = event.edits.flatMap { rows.count(after: $0) == event.count ? $0 : nil }
        return change(event, edits, seq: seq)
    }

    /// There is a new beginning: a snapshot with this event of the list, or without any, which is an empty list.
    package mutating func begin(_ event: Event?, seq: Int) -> [Action] {
        let wasEmpty = isKnown && rows.isEmpty
        let event = event ?? Event(count: 0)
        let actions = change(event, nil, seq: seq)
        return wasEmpty && event.count == 0 ? [] : actions
    }

    /// - Parameter newest: the number of the newest event that the view got.
    package mutating func didAnswer(_ number: Int, _ answer: Answer, newest: Int) -> [Action] {
        guard let range = takeAsked(number) else { return [] }
        // A change of the list came since.
        guard answer.seq >= seq else { return askForMissing() }
        // Of what happened before it was attached, a view may have been told nothing.
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

    /// No answer comes any more; rows are asked for again once the view is attached.
    package mutating func didLoseConnection() {
        isAttached = false
        asked = nil
    }

    /// The view is attached again. A snapshot was reported before.
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

    /// Those that are shown and not here; where there are none, those near.
    private var missing: Range<Int>? {
        guard isKnown else { return window.isEmpty ? Self.firstRows : window }
        guard keepsMore else { return rows.gap(in: shown) }
        guard !shown.isEmpty else { return nil }
        let near = around(shown)
        if let gap = rows.gap(in: shown) { return rows.gap(in: gap.lowerBound..<near.upperBound) }
        // Not for each row that is scrolled by.
        guard rows.gap(in: widened(shown, by: shown.count / 2)) != nil else { return nil }
        return rows.gap(in: shown.upperBound..<near.upperBound) ?? rows.gap(in: near.lowerBound..<shown.lowerBound)
    }

    private func around(_ range: Range<Int>) -> Range<Int> { widened(range, by: range.count) }

    private func widened(_ range: Range<Int>, by length: Int) -> Range<Int> {
        let end = rows.count - range.upperBound < length ? rows.count : range.upperBound + length
        return max(0, range.lowerBound - length)..<end
    }
}
