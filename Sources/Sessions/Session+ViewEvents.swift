import Synchronization
import ViewModels

extension Session {
    /// Queues a view event from one of this session's views.
    ///
    /// - Parameter number: the client's own number for it, where it counts. A number that was taken before is answered in
    ///   its turn without being applied.
    /// - Returns: what `cancel(_:)` takes.
    package func submit(_ job: ViewEventJob, from view: Int, number: Int?) throws(SessionError) -> Int {
        let (id, next) = try state.withLock { state throws(SessionError) in
            guard !state.isOver, let client = state.views[view].map({ $0.client }) else { throw .ended }
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
            let isRepeated = try state.takeNumber(number, from: client)
            let job = isRepeated ? ViewEventJob(bytes: job.bytes, handle: {}, complete: job.complete) : job
            return (state.queue.append(job), state.queue.startNext())
        }
        run(next)
        return id
    }

    /// Queues work that doesn't come from a view; it is finished at once when the session has ended.
    func submit(_ job: ViewEventJob) -> Int {
        let queued = state.withLock { state in
            !state.isOver ? (id: state.queue.append(job), next: state.queue.startNext()) : nil
        }
        guard let queued else {
            job.finish(.sessionEnded)
            return HandlerQueue.noJob
        }
        run(queued.next)
        return queued.id
    }

    /// Gives up on a view event: one that waits is answered at once, one that runs is when its handler returns.
    package func cancel(_ id: Int) {
        switch state.withLock({ $0.queue.cancel(id) }) {
        case .removed(let job): job.finish(.cancelled)
        case .running(let task): task?.cancel()
        case .none: break
        }
    }

    private func run(_ next: HandlerQueue.Running?) {
        guard let next else { return }
        // Detached: it may be started from inside whatever ended the event before, whose task-local values, such as
        // `WorkDoneProgress.current`, aren't this one's.
        let task = Task.detached(executorPreference: executor) { await self.handle(next.job, next.id) }
        if state.withLock({ $0.queue.note(task, running: next.id) }) { task.cancel() }
    }

    private func handle(_ job: ViewEventJob, _ id: Int) async {
        var failure: (any Error)?
        do {
            try await call(job)
        } catch {
            failure = error
        }
        // What the handler sent may still be on its way, where another thread delivers it.
        afterPending { [failure] in self.finish(id, failure) }
    }

    /// Calls the handler with the task-local values that it needs; each costs, so nobody gets one for nothing.
    private func call(_ job: ViewEventJob) async throws {
        if let progress = job.progress {
            try await WorkDoneProgress.$current.withValue(progress) { try await callKnown(job) }
        } else {
            try await callKnown(job)
        }
    }

    private func callKnown(_ job: ViewEventJob) async throws {
        if isChild {
            try await Self.$handling.withValue(ObjectIdentifier(self)) { try await job.handle() }
        } else {
            try await job.handle()
        }
    }

    private func finish(_ id: Int, _ failure: (any Error)?) {
        let finished = state.withLock { state in
            state.queue.finish(id).map { ($0, state.log.newest) }
        }
        // Otherwise the session ended and answered it.
        if let (running, newest) = finished {
            running.job.finish(outcome(of: running, newest, failure))
        }
        if let reason = state.withLock({ $0.leaving }) { return end(reason) }
        run(state.withLock { $0.queue.startNext() })
    }

    private func outcome(
        of running: HandlerQueue.Running, _ newest: Int, _ failure: (any Error)?
    ) -> ViewEventJob.Outcome {
        if running.isCancelled { return .cancelled }
        return failure.map { .failed($0) } ?? .handled(newest: newest)
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
