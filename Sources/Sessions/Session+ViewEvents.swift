import Synchronization

extension Session {
    /// Queues a view event from one of this session's views.
    ///
    /// - Parameter number: the client's own number for it, where it counts. A number that was taken before is answered in
    ///   its turn without being applied.
    /// - Returns: what `cancel(_:)` takes.
    package func submit(_ job: ViewEventJob, from view: Int, number: Int?) throws(SessionError) -> Int {
        let (id, wake) = try state.withLock { state throws(SessionError) in
            guard !state.isOver, let index = state.views.index(of: view) else { throw .ended }
            let limits = context.limits.values
            guard state.queue.waitingCount < limits.pendingEvents else {
                throw .limitExceeded(
                    limit: "pendingEvents",
                    message:
                        "\(limits.pendingEvents) view events wait in this session; send more when they are answered")
            }
            let bytes = state.queue.waitingBytes + job.bytes
            guard bytes <= limits.pendingBytes || state.queue.waitingCount == 0 else {
                let message = "\(limits.pendingBytes) bytes wait in this session; send more when some are done"
                throw .limitExceeded(limit: "pendingBytes", message: message)
            }
            let isRepeated = try state.takeNumber(number, from: state.views[at: index].client)
            let job = isRepeated ? ViewEventJob(bytes: job.bytes, handle: {}, complete: job.complete) : job
            return (state.queue.append(job), state.wakeHandlers())
        }
        obey(wake)
        return id
    }

    /// Queues work that doesn't come from a view; it is finished at once when the session has ended.
    func submit(_ job: ViewEventJob) -> Int {
        let queued = state.withLock { state in
            !state.isOver ? (id: state.queue.append(job), wake: state.wakeHandlers()) : nil
        }
        guard let queued else {
            job.finish(.sessionEnded)
            return HandlerQueue.noJob
        }
        obey(queued.wake)
        return queued.id
    }

    /// Gives up on a view event: one that waits is answered at once, one that runs is when its handler returns.
    package func cancel(_ id: Int) {
        let (cancellation, task) = state.withLock { state in
            let cancellation = state.queue.cancel(id)
            if case .running = cancellation { return (cancellation, state.handlers.cancel()) }
            return (cancellation, nil)
        }
        if case .removed(let job) = cancellation { job.finish(.cancelled) }
        task?.cancel()
    }
}

extension SessionState {
    /// Returns whether the event was taken before.
    fileprivate mutating func takeNumber(_ number: Int?, from client: String?) throws(SessionError) -> Bool {
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
}
