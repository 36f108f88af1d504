import JSON
import Queues
import ViewModels

/// All shared sessions that one session's view model has Views of. Pure rules, guarded by the `Session`.
///
/// What comes from them is taken in jobs of the session, one at a time, and so between two of its handlers.
struct SharedViews {
    /// Something that has come from a shared session.
    enum Arrival {
        /// The view is attached, and its events go on from there. With a snapshot they begin anew.
        case attached(SharedRecord.Cursor, snapshot: [JSONText]?)
        case event(JSONText, seq: Int)
        /// A number that is no event for the view model.
        case passed(seq: Int)
        case answer(number: Int, failure: (any Error)?)
    }

    /// An event of the session's own.
    struct Number: Hashable {
        let record: Int
        let number: Int
    }

    /// An answer to a client, which waits for events that were sent.
    private struct Waiter {
        let numbers: [Number]
        let action: Completion
    }

    /// Takes the end of the events that an answer waits for.
    typealias Completion = @Sendable (End) -> Void

    enum End {
        /// All are handled. The session's newest number is this by now.
        case handled(newest: Int)
        /// One wasn't, and nobody has taken its failure.
        case failed(any Error)
        /// The session has ended for good, once the handler had returned. What that has sent is on its way.
        case left
        /// This life of the session has ended.
        case ended
        /// The session goes on at another server, or in a later life.
        case lost
    }

    /// How many arrivals are taken in one job, so that handlers get their turn.
    static let maximumTaken = 64
    /// How many arrivals may wait before no more are read.
    static let maximumWaiting = 256

    /// What was stored of records, until their Views are opened.
    var restored: [SharedNotes] = []
    var records: [SharedRecord] = []
    var parts: [SharedPart] = []
    private var arrivals = Deque<(record: Int, arrival: Arrival)>()
    private var waiters: [Waiter] = []
    /// The events that the running handler has sent.
    private var unclaimed: [Number] = []
    /// The number of the job that takes arrivals now, or did last.
    private(set) var job = 0
    /// Whether a job is queued or runs.
    private(set) var hasJob = false
    /// How many arrivals the job that runs has taken.
    private var taken = 0
    /// Whether the notes have changed since they were handed to the store.
    var isChanged = false
    /// Whether they have changed in what need only be stored with what follows from it, such as how far events were taken.
    var hasMoved = false

    /// Whether nothing is on its way in either direction.
    var isQuiet: Bool { arrivals.isEmpty && !hasJob && records.allSatisfy(\.isQuiet) && waiters.isEmpty }

    var notes: [SharedNotes] { records.map(\.notes) + restored }

    var isFull: Bool { arrivals.count >= Self.maximumWaiting }

    /// Takes what is stored of a View; nil where nothing is.
    mutating func takeRestored(_ viewModel: String, _ arguments: JSONText) -> SharedNotes? {
        let index = restored.firstIndex { $0.viewModel == viewModel && $0.arguments == arguments }
        return index.map { restored.remove(at: $0) }
    }

    mutating func add(_ record: SharedRecord, _ part: SharedPart) {
        records.append(record)
        parts.append(part)
        isChanged = true
    }

    mutating func noteSent(_ number: Int, of record: Int) {
        unclaimed.append(Number(record: record, number: number))
        isChanged = true
    }

    /// Takes the numbers of the events that a handler has sent, which has returned.
    mutating func takeUnclaimed() -> [Number] {
        defer { unclaimed = [] }
        return unclaimed
    }

    /// The events on their way that the handler of a client's event has sent, in an earlier life, too.
    func numbers(for cause: ClientNumber) -> [Number] {
        records.indices.flatMap { index in
            records[index].numbers(for: cause).map { Number(record: index, number: $0) }
        }
    }

    mutating func append(_ arrival: Arrival, of record: Int) {
        switch arrival {
        case .event(_, let seq), .passed(let seq): records[record].didReceive(upTo: seq)
        case .attached, .answer: break
        }
        arrivals.append((record, arrival))
    }

    /// Notes that a job begins, or is queued.
    ///
    /// - Returns: false where there is one, or nothing has come.
    mutating func beginJob() -> Bool {
        guard !hasJob, !arrivals.isEmpty else { return false }
        hasJob = true
        return true
    }

    /// Notes that the opening takes the first arrivals.
    mutating func beginOpening() {
        hasJob = true
    }

    /// Takes an arrival; nil where the job is over.
    mutating func next() -> (record: Int, arrival: Arrival)? {
        if taken == 0 { job += 1 }
        guard taken < Self.maximumTaken, let next = arrivals.popFirst() else {
            taken = 0
            hasJob = false
            return nil
        }
        taken += 1
        return next
    }

    /// Returns the actions of clients whose events are over by the end of a job.
    mutating func didEnd(job: Int, newest: Int) -> [(end: End, action: Completion)] {
        for index in records.indices { records[index].removeAnswered(upToJob: job) }
        var ready: [(end: End, action: Completion)] = []
        var waiting: [Waiter] = []
        for waiter in waiters {
            guard !waiter.numbers.contains(where: { records[$0.record].isOnItsWay($0.number) }) else {
                waiting.append(waiter)
                continue
            }
            let failure = takeFailure(of: waiter.numbers)
            ready.append((failure.map { .failed($0) } ?? .handled(newest: newest), waiter.action))
        }
        waiters = waiting
        // Of an event that no client's answer waits for, nobody asks for the error.
        let awaited = Set(waiting.flatMap(\.numbers))
        for index in records.indices {
            records[index].dropFailures { !awaited.contains(Number(record: index, number: $0)) }
        }
        return ready
    }

    private mutating func takeFailure(of numbers: [Number]) -> (any Error)? {
        numbers.compactMap { records[$0.record].takeFailure(of: $0.number) }.first
    }

    /// Has `action` called once these events are over. Returns false where they are.
    mutating func wait(for numbers: [Number], _ action: @escaping Completion) -> Bool {
        guard numbers.contains(where: { records[$0.record].isOnItsWay($0.number) }) else { return false }
        waiters.append(Waiter(numbers: numbers, action: action))
        return true
    }

    /// Takes everything that waits, as the session has ended.
    mutating func end() -> (parts: [SharedPart], answers: [Completion]) {
        defer {
            waiters = []
            // The parts keep their places: another may be about to be opened.
            for index in parts.indices { parts[index].connection = NoConnection() }
        }
        arrivals = Deque()
        return (parts, waiters.map(\.action))
    }
}
