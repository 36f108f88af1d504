import Queues

/// The view event that a session handles now and those that wait: one at a time, in the order in which they came.
///
/// Pure rules; every job that is returned is run or answered by the caller.
struct HandlerQueue {
    /// Names an event within its session.
    typealias JobID = Int

    struct Running {
        let id: JobID
        let job: ViewEventJob
        var isCancelled = false
    }

    enum Cancellation {
        /// It waited, is out of the queue now, and must be answered.
        case removed(ViewEventJob)
        /// It runs: cancel its task. It is answered when it returns.
        case running
        /// It is answered already.
        case none
    }

    /// Names no event; `cancel` does nothing with it.
    static let noJob = 0

    private(set) var running: Running?
    /// The first waiting event; nearly always the only one, for which there is no array.
    private var next: (id: JobID, job: ViewEventJob)?
    private var others = Deque<(id: JobID, job: ViewEventJob)>()
    private var lastID = 0
    /// How many events were ever begun.
    private(set) var startedCount = 0
    /// The bytes of all events that wait.
    private(set) var waitingBytes = 0

    var waitingCount: Int { next == nil ? 0 : 1 + others.count }

    /// An event waits, and none runs.
    var canStart: Bool { running == nil && next != nil }

    mutating func append(_ job: ViewEventJob) -> JobID {
        lastID += 1
        if next == nil { next = (lastID, job) } else { others.append((lastID, job)) }
        waitingBytes += job.bytes
        return lastID
    }

    /// Begins the next event; nil when one runs already or none waits.
    mutating func startNext() -> Running? {
        guard running == nil, let next = popFirst() else { return nil }
        running = Running(id: next.id, job: next.job)
        startedCount += 1
        return running
    }

    private mutating func popFirst() -> (id: JobID, job: ViewEventJob)? {
        guard let first = next else { return nil }
        next = others.popFirst()
        waitingBytes -= first.job.bytes
        return first
    }

    /// Ends the event that runs. Nil when it was answered before, because the session ended.
    mutating func finish(_ id: JobID) -> Running? {
        guard running?.id == id else { return nil }
        defer { running = nil }
        return running
    }

    mutating func cancel(_ id: JobID) -> Cancellation {
        if running?.id == id {
            running?.isCancelled = true
            return .running
        }
        if next?.id == id { return popFirst().map { .removed($0.job) } ?? .none }
        guard let removed = others.remove(where: { $0.id == id }) else { return .none }
        waitingBytes -= removed.job.bytes
        return .removed(removed.job)
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
