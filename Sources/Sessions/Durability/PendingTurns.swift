import JSON

/// An action that is called once, when something is stored or never will be, on any thread with no lock held.
package typealias StoreCompletion = @Sendable (StoreOutcome) -> Void

/// How much of a durable session is in the store: its turns as they are handed to the journal, and the answers that wait for
/// them. Pure rules, guarded by the `Session`.
struct PendingTurns {
    /// The view events of one client that are done.
    private struct Done {
        /// All numbers up to this one are done.
        var highest = 0
        /// The numbers beyond `highest` that are done: their events were cancelled while they waited.
        var early: Set<Int> = []
        /// The `highest` that is in the store.
        var stored = 0

        mutating func insert(_ number: Int) {
            early.insert(number)
            while early.remove(highest + 1) != nil { highest += 1 }
        }
    }

    /// An answer that may be given when the event's number, and all before it, are stored.
    private struct EarlyAnswer {
        let number: ClientNumber
        let answer: StoreCompletion
    }

    /// A turn, and everything that waits for it.
    struct Handed {
        let turn: StoredTurn
        /// Whether the turn differs from the one before, so that it must be stored.
        let isChange: Bool
        let answers: [StoreCompletion]
    }

    /// How far the first values of a restored view model are stored, such as that of a property that is new in the code. A
    /// value that is made at random would otherwise be another one in each life.
    private enum FirstValues: Equatable {
        case none
        case areUnhanded
        case areHanded(turn: Int)
    }

    private let session: String
    /// The newest number that was handed to the journal.
    private(set) var newest: Int
    private var lost: Int
    /// Whether the view model's start is part of a turn that was handed over.
    private var isStarted: Bool
    private var savedVersion: Int
    private var clients: [String: Done]
    /// The forgotten names of clients that are still in the store.
    private var forgotten: [String] = []
    private var earlyAnswers: [EarlyAnswer] = []
    /// The actions to call when everything up to their numbers is stored.
    private var waiters: [(number: Int, action: StoreCompletion)] = []
    /// The actions to call when the turns with their numbers are stored.
    private var turnWaiters: [(turn: Int, action: StoreCompletion)] = []
    /// Whether the state for the next turn is being read. It may count as unchanged then, though it isn't handed over yet.
    private var isReadingState = false
    /// The newest number that is in the store.
    private(set) var stored: Int
    private var handedTurns = 0
    private var storedTurns = 0
    /// Whether all that was handed over is stored.
    var isStored: Bool { handedTurns == storedTurns }
    private var firstValues = FirstValues.none
    /// Whether all first values are stored. Until then another life would have other ones.
    var hasStoredValues: Bool { firstValues == .none }
    /// Whether something that is to be handed over may come from elsewhere than a handler of this session.
    var hasEffectsOfOthers = false
    /// Whether notes have changed that aren't handed over.
    var hasUnhandedNotes = false
    /// Whether a job waits that hands over a turn when it ends.
    var hasSaveJob = false
    /// Whether a new session is in the store.
    private(set) var isMade = false
    /// The actions to call when a new session is in the store, or never will be.
    private var makeWaiters: [StoreCompletion] = []
    /// Whether only this life ends, and the session stays in the store.
    var staysStored = false

    init(_ turn: StoredTurn) {
        session = turn.session
        (newest, stored, lost) = (turn.newest, turn.newest, turn.lost)
        (isStarted, savedVersion) = (turn.isStarted, turn.savedVersion)
        clients = Dictionary(
            turn.clients.map { ($0.client, Done(highest: $0.number, stored: $0.number)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Notes that the restored view model has values that aren't in the store. The next turn has them.
    mutating func noteFirstValues() { firstValues = .areUnhanded }

    /// Forgets the name of a client of which nothing is on its way to the store.
    mutating func forget(_ client: String) {
        if clients.removeValue(forKey: client) != nil { forgotten.append(client) }
    }

    /// Notes that a view event was handled, or never will be.
    mutating func finish(_ number: ClientNumber) {
        clients[number.client, default: Done()].insert(number.number)
    }

    /// Notes that a view event which waited is answered without being handled. `answer` is called when that may be told.
    mutating func remove(_ number: ClientNumber, answer: @escaping StoreCompletion) {
        finish(number)
        earlyAnswers.append(EarlyAnswer(number: number, answer: answer))
    }

    /// Whether something waits to be handed over.
    func isDirty(_ log: SessionLog) -> Bool {
        log.newest > newest || !earlyAnswers.isEmpty || log.hasUnhandedUnsent || hasUnhandedNotes
    }

    /// Makes a turn of everything since the last one. It counts as handed over from now on.
    ///
    /// - Parameters:
    ///   - savedVersion: the version of the view model's state; nil where the state hasn't changed.
    ///   - isStarted: whether the view model's start has returned; nil where that hasn't changed.
    ///   - notes: the session's notes; nil where they haven't changed.
    ///   - moved: notes that are stored only where something else has changed.
    mutating func hand(
        _ log: SessionLog, saved: [SavedValue], savedVersion: Int?, isStarted: Bool?, notes: SessionNotes?,
        moved: SessionNotes? = nil
    ) -> Handed {
        let (isStarted, savedVersion) = (isStarted ?? self.isStarted, savedVersion ?? self.savedVersion)
        var turn = StoredTurn(
            session: session, newest: log.newest, lost: log.oldest - 1, hasAllEvents: log.hasAllEvents,
            isStarted: isStarted, savedVersion: savedVersion)
        var number = newest
        while let entry = log.next(after: number) {
            number = entry.number
            turn.entries.append(StoredEntry(number: number, key: entry.key, content: entry.content))
        }
        turn.saved = saved
        turn.notes = notes
        turn.clients = forgotten.map { ClientNumber(client: $0, number: 0) }
        forgotten = []
        for (client, done) in clients where done.highest > done.stored {
            turn.clients.append(ClientNumber(client: client, number: done.highest))
        }
        let isChange =
            turn.newest != newest || turn.lost != lost || isStarted != self.isStarted || !saved.isEmpty
            || !turn.clients.isEmpty || notes != nil
        if isChange, notes == nil { turn.notes = moved }
        (newest, lost) = (turn.newest, turn.lost)
        (self.isStarted, self.savedVersion) = (isStarted, savedVersion)
        handedTurns += 1
        isReadingState = false
        if firstValues == .areUnhanded { firstValues = .areHanded(turn: handedTurns) }
        hasEffectsOfOthers = false
        hasUnhandedNotes = false
        let answers = earlyAnswers
        let ready = answers.filter { isDone($0.number) }
        earlyAnswers = answers.filter { !isDone($0.number) }
        return Handed(turn: turn, isChange: isChange, answers: ready.map(\.answer))
    }

    /// Whether all of a client's events up to this one are done.
    func isDone(_ number: ClientNumber) -> Bool {
        (clients[number.client]?.highest ?? 0) >= number.number
    }

    /// Calls `action` when everything up to `number` is stored. Called where that isn't the case yet.
    mutating func wait(for number: Int, _ action: @escaping StoreCompletion) {
        waiters.append((number, action))
    }

    /// Notes that the state for the next turn is about to be read.
    mutating func willReadState() { isReadingState = true }

    /// Calls `action` when the present state of the view model is stored, unless it is already.
    ///
    /// - Parameter hasChanges: whether the state differs from what was read last.
    /// - Returns: whether the state is stored; and whether a turn that has it must still be handed over.
    mutating func waitForState(
        _ hasChanges: Bool, _ action: @escaping StoreCompletion
    ) -> (isStored: Bool, needsTurn: Bool) {
        let needsTurn = hasChanges || isReadingState
        guard needsTurn || !isStored else { return (true, false) }
        turnWaiters.append((needsTurn ? handedTurns + 1 : handedTurns, action))
        return (false, needsTurn)
    }

    /// Calls `action` when the new session is stored. Called where that isn't the case yet.
    mutating func waitUntilMade(_ action: @escaping StoreCompletion) {
        makeWaiters.append(action)
    }

    /// Notes that the new session is stored, or can't be. Returns the actions that waited for that.
    mutating func didMake(_ outcome: StoreOutcome) -> [StoreCompletion] {
        isMade = outcome.isStored
        defer { makeWaiters = [] }
        return makeWaiters
    }

    /// Notes that a turn is stored. Returns the actions that waited for it.
    mutating func didStore(_ turn: StoredTurn) -> [StoreCompletion] {
        storedTurns += 1
        if case .areHanded(let turn) = firstValues, turn <= storedTurns { firstValues = .none }
        stored = max(stored, turn.newest)
        for number in turn.clients { clients[number.client]?.stored = number.number }
        let readers = turnWaiters.filter { $0.turn <= storedTurns }.map(\.action)
        turnWaiters.removeAll { $0.turn <= storedTurns }
        guard hasStoredValues else { return readers }
        let ready = waiters.filter { $0.number <= stored }
        waiters.removeAll { $0.number <= stored }
        return ready.map(\.action) + readers
    }

    /// Returns all actions that wait, once the session has ended: what they wait for is never stored.
    mutating func end() -> [StoreCompletion] {
        defer { (waiters, turnWaiters, earlyAnswers, makeWaiters) = ([], [], [], []) }
        return waiters.map(\.action) + turnWaiters.map(\.action) + earlyAnswers.map(\.answer) + makeWaiters
    }
}
