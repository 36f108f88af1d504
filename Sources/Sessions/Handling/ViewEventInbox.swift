/// A session's view events on their way to its view model: which are taken, which is handled now, and what the one task
/// that handles them does next. Pure rules, guarded by the `Session` and acted on by its `HandlerRunner`.
struct ViewEventInbox {
    /// The next step of the task that handles events.
    enum Step {
        case handle(HandlerQueue.Running)
        /// Nothing waits, or the last event isn't finished yet.
        case wait
        /// Another task goes on, where there is anything to do.
        case end
    }

    private(set) var queue = HandlerQueue()
    private(set) var task = HandlerTask()
    private(set) var clients = ClientNumbers()
    /// The view model is there.
    private(set) var isBound = false

    /// The view model is there from now on: the next task can run where it does.
    mutating func bind() {
        isBound = true
    }

    /// Checks a client's name before a view that carries it is attached.
    func check(_ client: String, _ limits: Limits) throws(SessionError) {
        guard clients.isKnown(client) || clients.count < limits.clients else {
            let message = "this session knows \(limits.clients) clients by name; attach without one, or reuse a name"
            throw .limitExceeded(limit: "clients", message: message)
        }
        guard client.utf8.count <= limits.clientBytes else {
            throw .invalid(member: "client", reason: "a name has at most \(limits.clientBytes) bytes")
        }
    }

    mutating func add(client: String) {
        clients.add(client)
    }

    /// Queues a view event, unless too many wait or its number can't be taken. An event whose number was taken before
    /// is answered in its turn without being handled.
    mutating func submit(
        _ job: ViewEventJob, number: Int?, from client: String?, _ limits: SharedLimits
    ) throws(SessionError) -> HandlerQueue.JobID {
        try checkRoom(for: job, limits)
        let isRepeated = try take(number, from: client)
        return queue.append(
            isRepeated ? ViewEventJob(job.call.name, bytes: job.bytes, handle: {}, complete: job.complete) : job)
    }

    /// Queues work of the session's own.
    mutating func submit(_ job: ViewEventJob) -> HandlerQueue.JobID {
        queue.append(job)
    }

    private func checkRoom(for job: ViewEventJob, _ limits: SharedLimits) throws(SessionError) {
        // One member at a time, since a copy of all limits costs more than the check.
        let (pendingEvents, pendingBytes) = (limits.values.pendingEvents, limits.values.pendingBytes)
        guard queue.waitingCount < pendingEvents else {
            let message = "\(pendingEvents) view events wait in this session; send more when they are answered"
            throw .limitExceeded(limit: "pendingEvents", message: message)
        }
        guard queue.waitingBytes + job.bytes <= pendingBytes || queue.waitingCount == 0 else {
            let message = "\(pendingBytes) bytes wait in this session; send more when some are done"
            throw .limitExceeded(limit: "pendingBytes", message: message)
        }
    }

    /// Returns whether the number was taken before.
    private mutating func take(_ number: Int?, from client: String?) throws(SessionError) -> Bool {
        guard let number else { return false }
        guard let client else {
            let reason = "only a view that named its client at session/open or session/attach may number its events"
            throw .invalid(member: "number", reason: reason)
        }
        guard number > 0 else { throw .invalid(member: "number", reason: "counts from 1") }
        switch clients.judge(number, from: client) {
        case .repeated:
            return true
        case .early(let expected):
            throw .invalid(member: "number", reason: "\(number) came where \(expected) is next; send that one first")
        case .new:
            clients.take(number, from: client)
            return false
        }
    }

    /// Cancels an event. Returns the job to answer, when it waited, or the task to cancel, when it runs and that
    /// is known.
    mutating func cancel(_ id: HandlerQueue.JobID) -> (removed: ViewEventJob?, running: Task<Void, Never>?) {
        switch queue.cancel(id) {
        case .removed(let job): (job, nil)
        case .running: (nil, task.cancel())
        case .none: (nil, nil)
        }
    }

    /// The event has been handled. Nil when it was answered before, since the session ended.
    mutating func finish(_ id: HandlerQueue.JobID) -> HandlerQueue.Running? {
        queue.finish(id)
    }

    /// Takes out all events, the one that runs first, for a session that ends, and returns the task that must
    /// be cancelled.
    mutating func removeAll() -> (jobs: [ViewEventJob], running: Task<Void, Never>?) {
        let (isRunning, jobs) = queue.removeAll()
        return (jobs, isRunning ? task.cancel() : nil)
    }

    /// Takes out the events that wait; the one that runs goes on.
    mutating func removeWaiting() -> [ViewEventJob] {
        queue.removeWaiting()
    }

    /// The next step of the task.
    ///
    /// - Parameter isNeeded: the session has views, so that the task stays when nothing waits.
    mutating func next(isNeeded: Bool) -> Step {
        guard !mustEndTask(isNeeded) else {
            task.end()
            return .end
        }
        return queue.startNext().map { .handle($0) } ?? .wait
    }

    /// Lets the task wait. False when there is something to do by now.
    mutating func wait(_ continuation: UnsafeContinuation<Void, Never>, isNeeded: Bool) -> Bool {
        guard !queue.canStart, !mustEndTask(isNeeded) else { return false }
        task.wait(continuation)
        return true
    }

    /// Called after each change that may give the task something to do, or end it.
    mutating func wake(isNeeded: Bool) -> HandlerTask.Wake {
        if queue.canStart { return task.wake(isBound: isBound) }
        return task.isWaiting && mustEndTask(isNeeded) ? task.wake(isBound: isBound) : .nothing
    }

    /// Notes the task that `wake(isNeeded:)` asked for. Returns true when it must be cancelled.
    mutating func note(_ started: Task<Void, Never>, number: Int) -> Bool {
        task.note(started, number: number)
    }

    private func mustEndTask(_ isNeeded: Bool) -> Bool {
        if task.isCancelled || task.isOutdated(isBound: isBound) { return true }
        return queue.running == nil && !queue.canStart && !isNeeded
    }
}

/// The highest number that was taken from each named client.
///
/// By it an event that is sent again after a cut isn't applied twice, and one that got lost isn't passed over.
struct ClientNumbers {
    enum Verdict {
        /// It is the next one: apply it.
        case new
        /// It was taken before: answer it without applying it.
        case repeated
        /// Events before it are missing.
        case early(expected: Int)
    }

    private var handled: [String: Int] = [:]

    var count: Int { handled.count }

    func highest(of client: String) -> Int {
        handled[client] ?? 0
    }

    func isKnown(_ client: String) -> Bool {
        handled[client] != nil
    }

    mutating func add(_ client: String) {
        handled[client, default: 0] += 0
    }

    func judge(_ number: Int, from client: String) -> Verdict {
        let highest = highest(of: client)
        if number <= highest { return .repeated }
        return number - highest == 1 ? .new : .early(expected: highest + 1)
    }

    mutating func take(_ number: Int, from client: String) {
        handled[client] = number
    }
}
