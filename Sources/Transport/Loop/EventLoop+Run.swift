import LibC
import Synchronization

extension EventLoop {
    /// The most rounds after `stop` for work that queues more work.
    private static let roundsAtStop = 64

    /// Runs the loop. This is the main function of its thread, and of each thread that takes the loop over, then from the
    /// middle of a turn.
    func run(continuing: Bool = false) {
        clinux_set_current_loop(Unmanaged.passUnretained(self).toOpaque())
        lease.thread.store(clinux_thread_id(), ordering: .relaxed)
        if continuing {
            core.moveHoldingJobs()
            guard core.finishTurn(of: self) else { return }
        } else {
            takeMail()
        }
        while !core.isStopping {
            if core.waitAndDispatch(mailbox: Mailbox.registration) { takeMail() }
            core.fireTimers()
            // Where another thread has the loop, this one has returned from the job that had kept it.
            guard core.finishTurn(of: self) else { return }
        }
        end()
    }

    /// Queues all work that other threads have posted.
    func takeMail() {
        var mail: [Mailbox.Mail] = []
        swap(&core.emptiedMail, &mail)
        mailbox.take(into: &mail)
        for work in mail {
            switch work {
            case .job(let job, let source): core.append(.job(job, from: source))
            case .closure(let closure): core.append(.closure(closure))
            case .stop: core.isStopping = true
            }
        }
        mail.removeAll(keepingCapacity: mail.capacity <= LoopCore.keptCapacity)
        core.emptiedMail = mail
    }

    /// Ends the loop. Where another thread takes the loop over meanwhile, that thread runs this from the start.
    private func end() {
        guard runRemaining() else { return }
        for registrant in core.table.registrants { registrant.loopWillEnd() }
        guard runRemaining() else { return }
        watch?.remove(self)
        core.dropAll()
        let waiters = mailbox.end()
        core.poller = PollPoller()
        clinux_set_current_loop(nil)
        for waiter in waiters { waiter() }
    }

    private func runRemaining() -> Bool {
        for _ in 0..<Self.roundsAtStop {
            takeMail()
            guard core.hasWork else { return true }
            guard core.finishTurn(of: self) else { return false }
        }
        return true
    }
}
