import Queues

/// View events that are handled one at a time, in the order in which they came: the one that is handled now, and those
/// that wait.
///
/// Pure rules; every job that is returned is run or answered by the caller.
struct HandlerQueue {
    /// The number of an event within its session.
    typealias JobID = Int

    struct Running {
        let id: JobID
        let job: ViewEventJob
        /// Why the event's task was cancelled.
        var interruption: Interruption?
    }

    enum Interruption {
        case cancelled
        /// A newer event of its kind took its place.
        case superseded
    }

    enum Cancellation {
        /// The event waited. It is out of the queue now, and must be answered.
        case removed(ViewEventJob)
        /// The event runs. Its task must be cancelled; it is answered when its handler returns.
        case running
        /// The event is answered already.
        case none
    }

    /// The number of no event; `cancel` does nothing with it.
    static let noJob = 0

    private(set) var running: Running?
    /// The first waiting event, nearly always the only one, which needs no array.
    private var next: (id: JobID, job: ViewEventJob)?
    private var others = Deque<(id: JobID, job: ViewEventJob)>()
    /// The bytes of all events that wait.
    private(set) var waitingBytes = 0
    /// The newest event of each kind that supersedes.
    private var superseding: [String: JobID] = [:]
    /// The newest event, where it may not begin before a time by the session's clock.
    private var debounced: (id: JobID, until: Duration)?
    /// Whether `endDebounce` will be called.
    private var hasTimer = false
    /// Whether only the opening job may begin, until `open()`.
    private var isShut: Bool
    private(set) var opening = noJob

    init(isShut: Bool = false) {
        self.isShut = isShut
    }

    var waitingCount: Int { next == nil ? 0 : 1 + others.count }

    /// Whether an event waits that can be begun, and none runs.
    var canStart: Bool {
        guard running == nil, let next, !isShut || next.id == opening else { return false }
        return debounced?.id != next.id
    }

    /// Adds an event at the end.
    ///
    /// - Parameter id: greater than any before.
    mutating func append(_ job: ViewEventJob, _ id: JobID) {
        if next == nil { next = (id, job) } else { others.append((id, job)) }
        waitingBytes += job.request.bytes
        // An event that waits behind a debounced one ends the debounce.
        if debounced != nil { debounced = nil }
    }

    /// Puts the opening job of a shut queue before all events that wait, as they need what it makes.
    mutating func append(opening job: ViewEventJob, _ id: JobID) {
        var waiting: [(id: JobID, job: ViewEventJob)] = []
        while let next = popFirst() { waiting.append(next) }
        opening = id
        append(job, id)
        for (id, job) in waiting { append(job, id) }
    }

    /// Opens the queue, once the opening job has made the view model.
    mutating func open() { isShut = false }

    /// Begins the next event; returns nil when one runs already or none can be begun.
    mutating func startNext() -> Running? {
        guard canStart, let next = popFirst() else { return nil }
        running = Running(id: next.id, job: next.job)
        return running
    }

    private mutating func popFirst() -> (id: JobID, job: ViewEventJob)? {
        guard let first = next else { return nil }
        next = others.popFirst()
        waitingBytes -= first.job.request.bytes
        return first
    }

    /// Ends the event that runs. Returns nil when it was answered before, because the session ended.
    mutating func finish(_ id: JobID) -> Running? {
        running?.id == id ? running.take() : nil
    }

    mutating func cancel(_ id: JobID, _ interruption: Interruption = .cancelled) -> Cancellation {
        if running?.id == id {
            running?.interruption = interruption
            return .running
        }
        if next?.id == id { return popFirst().map { .removed($0.job) } ?? .none }
        guard let removed = others.remove(where: { $0.id == id }) else { return .none }
        waitingBytes -= removed.job.request.bytes
        return .removed(removed.job)
    }

    /// Returns the first event, running or waiting, for which `condition` is true.
    func first(where condition: (JobID, ViewEventJob) -> Bool) -> (id: JobID, job: ViewEventJob)? {
        if let running, condition(running.id, running.job) { return (running.id, running.job) }
        if let next, condition(next.id, next.job) { return next }
        return (0..<others.count).lazy.map { others[$0] }.first { condition($0.id, $0.job) }
    }

    /// Takes out all events in order, for a session that ends; the first is the one that runs, where one does.
    mutating func removeAll() -> (isRunning: Bool, jobs: [ViewEventJob]) {
        defer { running = nil }
        return (running != nil, (running.map { [$0.job] } ?? []) + removeWaiting())
    }

    /// Takes out the events that wait, in order.
    mutating func removeWaiting() -> [ViewEventJob] {
        var jobs: [ViewEventJob] = []
        while let next = popFirst() { jobs.append(next.job) }
        return jobs
    }
}

/// Events that supersede those of their kind.
extension HandlerQueue {
    /// Returns the newest event of this kind, which the next one supersedes if it still waits or runs; `noJob` where there was
    /// none.
    func newest(ofKind kind: String) -> JobID { superseding[kind] ?? Self.noJob }

    mutating func note(_ id: JobID, ofKind kind: String) {
        superseding[kind] = id
    }

    /// Has the event that was appended last wait until a time, unless another one comes behind it.
    ///
    /// - Returns: whether `endDebounce(now:)` must be called at that time.
    mutating func debounce(_ id: JobID, until time: Duration) -> Bool {
        debounced = (id, time)
        defer { hasTimer = true }
        return !hasTimer
    }

    /// Ends the debounce, where its time has come.
    ///
    /// - Returns: the time after which this must be called again, since newer events have come; nil where none is
    ///   debounced any more.
    mutating func endDebounce(now: Duration) -> Duration? {
        if let debounced, debounced.until > now { return debounced.until - now }
        (debounced, hasTimer) = (nil, false)
        return nil
    }
}
