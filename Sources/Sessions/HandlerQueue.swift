import Queues

/// Which view event a session handles now and which wait: one at a time, in the order in which they came.
///
/// Pure rules; the `Session` starts, cancels and answers as it is told.
struct HandlerQueue {
    /// Names an event within its session.
    typealias JobID = Int

    struct Running {
        let id: JobID
        let job: ViewEventJob
        var isCancelled = false
    }

    enum Cancellation {
        /// It waited; it is out of the queue and must be answered.
        case removed(ViewEventJob)
        /// It runs: cancel what it does. It is answered when it returns.
        case running
        /// It is answered already.
        case none
    }

    /// Names no event; `cancel` does nothing with it.
    static let noJob = 0

    private(set) var running: Running?
    /// The first that waits; nearly always the only one, for which there is no array.
    private var next: (id: JobID, job: ViewEventJob)?
    private var others = Deque<(id: JobID, job: ViewEventJob)>()
    private var lastID = 0
    /// Events that were ever begun.
    private(set) var startedCount = 0
    /// Of the events that wait.
    private(set) var waitingBytes = 0

    var waitingCount: Int { next == nil ? 0 : 1 + others.count }

    /// One waits, and none runs.
    var canStart: Bool { running == nil && next != nil }

    mutating func append(_ job: ViewEventJob) -> JobID {
        lastID += 1
        if next == nil { next = (lastID, job) } else { others.append((lastID, job)) }
        waitingBytes += job.bytes
        return lastID
    }

    /// The event to run now; nil when one runs already or none waits.
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

    /// The event has run. Nil when it was answered in the meantime, because the session ended.
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

    /// Takes everything out, in order, for a session that ends; the first is what runs, where anything does.
    mutating func removeAll() -> (isRunning: Bool, jobs: [ViewEventJob]) {
        defer { running = nil }
        return (running != nil, (running.map { [$0.job] } ?? []) + removeWaiting())
    }

    /// Takes out all but the one that runs, in order.
    mutating func removeWaiting() -> [ViewEventJob] {
        var jobs: [ViewEventJob] = []
        while let next = popFirst() { jobs.append(next.job) }
        return jobs
    }
}
