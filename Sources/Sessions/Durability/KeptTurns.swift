import JSON

/// Called once, when something is stored or never will be. On any thread, with no lock held.
package typealias StoreAction = @Sendable (StoreOutcome) -> Void

/// How much of a durable session is in the store: its turns as they are handed to the journal, and the answers that wait for
/// them. Pure rules, guarded by the `Session`.
struct KeptTurns {
    /// The view events of one client that are done.
    private struct Done {
        /// All numbers up to this one are done.
        var highest = 0
        /// Those beyond that are done: they were cancelled while they waited.
        var early: Set<Int> = []
        /// As it is stored.
        var stored = 0

        mutating func insert(_ number: Int) {
            early.insert(number)
            while early.remove(highest + 1) != nil { highest += 1 }
        }
    }

    /// An answer that may be given when the event's number, and all before it, are stored.
    private struct EarlyAnswer {
        let number: ClientNumber
        let answer: StoreAction
    }

    /// A turn, and everything that waits for it.
    struct Handed {
        let turn: StoredTurn
        /// It differs from the turn before, so it must be stored.
        let isChange: Bool
        let answers: [StoreAction]
    }

    /// Values that a restored view model has for the first time, as those of a property that is new in the code. What is made at
    /// random would be another one in each life.
    private enum FirstValues: Equatable {
        case none
        case areUnhanded
        case areHanded(turn: Int)
    }

    private let session: String
    /// The newest number that was handed to the journal.
    private(set) var newest: Int
    private var lost: Int
    /// The view model's start is part of a turn.
    private var isStarted: Bool
    private var savedVersion: Int
    private var clients: [String: Done]
    /// Names that are still in the store.
    private var forgotten: [String] = []
    private var earlyAnswers: [EarlyAnswer] = []
    /// Each called when all up to its number is stored.
    private var waiters: [(number: Int, action: StoreAction)] = []
    /// Each called when the turn with its number is stored.
    private var turnWaiters: [(turn: Int, action: StoreAction)] = []
    /// The state of the next turn is being read: it may not count as changed any more, and isn't handed over.
    private var isReadingState = false
    /// The newest number that is in the store.
    private(set) var stored: Int
    private var handedTurns = 0
    private var storedTurns = 0
    /// All that was handed over is stored.
    var isStored: Bool { handedTurns == storedTurns }
    private var firstValues = FirstValues.none
    /// The view model has no value that an earlier life had otherwise, or a later one would.
    var hasStoredValues: Bool { firstValues == .none }
    /// Something that is to be handed over isn't known to be of a handler of this session.
    var hasEffectsOfOthers = false
    /// A job waits whose end hands over a turn.
    var hasSaveJob = false
    /// A session that wasn't restored is in the store.
    private(set) var isMade = false
    /// Each called when it is, or never will be.
    private var makeWaiters: [StoreAction] = []
    /// This life ends, and the session doesn't.
    var staysStored = false

    init(_ turn: StoredTurn) {
        session = turn.session
        (newest, stored, lost) = (turn.newest, turn.newest, turn.lost)
        (isStarted, savedVersion) = (turn.isStarted, turn.savedVersion)
        clients = Dictionary(
            turn.clients.map { ($0.client, Done(highest: $0.number, stored: $0.number)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The view model was restored, and has values that aren't in the store: the next turn has them.
    mutating func noteFirstValues() { firstValues = .areUnhanded }

    /// A client's name is forgotten, of which nothing is on its way.
    mutating func forget(_ client: String) {
        if clients.removeValue(forKey: client) != nil { forgotten.append(client) }
    }

    /// A view event was handled, or is never going to be.
    mutating func finish(_ number: ClientNumber) {
        clients[number.client, default: Done()].insert(number.number)
    }

    /// A view event that waited is answered without being handled.
    mutating func remove(_ number: ClientNumber, answer: @escaping StoreAction) {
        finish(number)
        earlyAnswers.append(EarlyAnswer(number: number, answer: answer))
    }

    /// Something waits to be handed over.
    func isDirty(_ log: SessionLog) -> Bool { log.newest > newest || !earlyAnswers.isEmpty || log.hasUnhandedUnsent }

    /// Everything since the last turn.
    ///
    /// - Parameters:
    ///   - savedVersion: of the view model's state; nil where it hasn't changed.
    ///   - isStarted: the view model's start has returned; nil where that hasn't changed.
    ///   - notes: nil where they haven't changed.
    mutating func hand(
        _ log: SessionLog, saved: [SavedValue], savedVersion: Int?, isStarted: Bool?, notes: SessionNotes?
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
        (newest, lost) = (turn.newest, turn.lost)
        (self.isStarted, self.savedVersion) = (isStarted, savedVersion)
        handedTurns += 1
        isReadingState = false
        if firstValues == .areUnhanded { firstValues = .areHanded(turn: handedTurns) }
        hasEffectsOfOthers = false
        let answers = earlyAnswers
        let ready = answers.filter { isDone($0.number) }
        earlyAnswers = answers.filter { !isDone($0.number) }
        return Handed(turn: turn, isChange: isChange, answers: ready.map(\.answer))
    }

    /// All of a client's events up to this one are done.
    func isDone(_ number: ClientNumber) -> Bool {
        (clients[number.client]?.highest ?? 0) >= number.number
    }

    /// Calls `action` when all up to `number`, which isn't stored, is.
    mutating func wait(for number: Int, _ action: @escaping StoreAction) {
        waiters.append((number, action))
    }

    /// The state of the next turn is about to be read.
    mutating func willReadState() { isReadingState = true }

    /// Calls `action` when the state that the view model has now is stored, where it isn't.
    ///
    /// - Parameter hasChanges: it isn't what was read last.
    /// - Returns: whether it is stored; and whether only a turn that is still to be handed over has it.
    mutating func waitForState(
        _ hasChanges: Bool, _ action: @escaping StoreAction
    ) -> (isStored: Bool, needsTurn: Bool) {
        let needsTurn = hasChanges || isReadingState
        guard needsTurn || !isStored else { return (true, false) }
        turnWaiters.append((needsTurn ? handedTurns + 1 : handedTurns, action))
        return (false, needsTurn)
    }

    /// Calls `action` when the session, which isn't stored, is.
    mutating func waitUntilMade(_ action: @escaping StoreAction) {
        makeWaiters.append(action)
    }

    /// The session is stored, or can't be. Returns who waited for it.
    mutating func didMake(_ outcome: StoreOutcome) -> [StoreAction] {
        isMade = outcome.isStored
        defer { makeWaiters = [] }
        return makeWaiters
    }

    /// A turn is stored. Returns what waited for it.
    mutating func didStore(_ turn: StoredTurn) -> [StoreAction] {
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

    /// The session has ended. Returns everything that waits for what is never stored.
    mutating func end() -> [StoreAction] {
        defer { (waiters, turnWaiters, earlyAnswers, makeWaiters) = ([], [], [], []) }
        return waiters.map(\.action) + turnWaiters.map(\.action) + earlyAnswers.map(\.answer) + makeWaiters
    }
}
