import LibC
import Synchronization

/// A thread that waits for descriptors and timers, and on which Swift tasks run.
///
/// Reading, handling and writing of a connection happen on the thread of its loop: a task with this executor preference, and
/// the default actors it calls, run here without a hop. A turn of the loop is:
///
/// 1. wait (`epoll_wait` or `poll`), not at all when there is work;
/// 2. call back what became ready, then the timers that are due;
/// 3. run jobs and `execute`d work, also what these add, until there is none (or `LoopCore.jobsPerTurn` have run);
/// 4. run what was asked for the end of the turn, then let each stream write, once, all that the turn gave it.
///
/// A thread that blocks in a job blocks all connections of its loop. The loop keeps itself alive from `start` until it ends.
package final class EventLoop: TaskExecutor, Sendable {
    /// For logs, and the thread's name (of which the kernel keeps 15 bytes).
    package let name: String
    package let pollerKind: PollerKind

    // Only the loop's thread uses what it refers to: every way in is behind `isCurrent` or `preconditionIsCurrent`, but
    // for `init` and `run`, before and after which nobody else has it.
    nonisolated(unsafe) let core: LoopCore
    let mailbox: Mailbox

    /// Fails when no descriptors are left. SIGPIPE is ignored from here on, since a write to a pipe without a reader is the end
    /// of that stream, not of the process; so is SIGXFSZ, which says the like of a file.
    package init(name: String, poller: PollerKind = .default) throws(SystemError) {
        clinux_ignore_failed_writes()
        self.name = name
        pollerKind = poller
        mailbox = try Mailbox()
        core = LoopCore(poller: try poller.makePoller())
    }

    /// True on this loop's thread. Costs one load.
    package var isCurrent: Bool {
        clinux_current_loop() == UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    }

    /// Stops the process when called off the loop: a programming error that would be a data race.
    package func preconditionIsCurrent(file: StaticString = #fileID, line: UInt = #line) {
        precondition(
            isCurrent, "This belongs to the event loop \"\(name)\" and was used off it", file: file, line: line)
    }

    /// The number of the job or callback that runs now: each Swift job, each executed closure, each readiness callback and
    /// each timer counts one up. So code knows whether it was suspended in between. 0 off the loop.
    package var jobNumber: UInt64 {
        isCurrent ? core.jobNumber : 0
    }

    /// Spawns the thread. Once; work that was queued before runs then. Stops the process when the system has no thread to
    /// give.
    package func start() {
        mailbox.willStart()
        var thread = pthread_t()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let context = Unmanaged.passRetained(self).toOpaque()
        let code = pthread_create(&thread, &attributes, Self.threadMain, context)
        precondition(code == 0, "\(SystemError(code: code, call: "pthread_create", subject: name))")
    }

    private static let threadMain: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        guard let context else { return nil }
        Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue().run()
        return nil
    }

    /// Ends the loop: jobs and work queued so far still run, and what they queue (within reason); then open streams, listeners
    /// and watchers are closed, and the thread ends. Work queued later is dropped, jobs queued later never run, since they
    /// may rely on the loop's thread. Any thread; again, or before `start`, is fine.
    package func stop() {
        mailbox.requestStop()
    }

    /// Runs `work` on the loop, never inline, in order with what the same thread queued before. Any thread. From the loop it
    /// costs an array's append, from elsewhere a lock, and a wake when the loop had nothing queued.
    package func execute(_ work: @escaping @Sendable () -> Void) {
        if isCurrent {
            core.append(.closure(work))
        } else {
            mailbox.post(.closure(work))
        }
    }

    /// Runs now the jobs and closures that are queued, and those that they queue, as far as one turn goes. For a callback
    /// that takes one message after the other, and wants what the first set going to get as far as it can before it takes the
    /// next. On the loop only; inside a job, or inside itself, it does nothing.
    package func runReadyWork() {
        preconditionIsCurrent()
        core.runNested(asUnownedTaskExecutor())
    }

    /// Runs `work` once, after the jobs and callbacks of this turn and before the loop waits again. On the loop only. What is
    /// added from such work runs at the end of the next turn, which comes without waiting.
    package func atEndOfTurn(_ work: @escaping () -> Void) {
        preconditionIsCurrent()
        core.atEndOfTurn(.run(work))
    }

    /// As the other, without a closure to make, for who asks in most turns.
    package func atEndOfTurn(call handler: any TurnEndHandler) {
        preconditionIsCurrent()
        core.atEndOfTurn(.call(handler))
    }

    /// Like `execute`, for values that stay on the loop. On the loop only.
    func executeHere(_ work: @escaping () -> Void) {
        preconditionIsCurrent()
        core.append(.closure(work))
    }
}
