import LibC

extension EventLoop {
    /// Rounds after `stop` for work that queues more work.
    private static let roundsAtStop = 64

    /// The thread's main function.
    func run() {
        clinux_name_thread(name)
        clinux_set_current_loop(Unmanaged.passUnretained(self).toOpaque())
        let executor = asUnownedTaskExecutor()
        takeMail()
        while !core.isStopping {
            if core.waitAndDispatch(mailbox: Mailbox.registration) { takeMail() }
            core.fireTimers()
            core.finishTurn(executor)
        }
        end(executor)
    }

    private func takeMail() {
        var mail: [Mailbox.Mail] = []
        swap(&core.emptiedMail, &mail)
        mailbox.take(into: &mail)
        for work in mail {
            switch work {
            case .job(let job): core.append(.job(job))
            case .closure(let closure): core.append(.closure(closure))
            case .stop: core.isStopping = true
            }
        }
        mail.removeAll(keepingCapacity: mail.capacity <= LoopCore.keptCapacity)
        core.emptiedMail = mail
    }

    private func end(_ executor: UnownedTaskExecutor) {
        runRemaining(executor)
        for registrant in core.table.registrants { registrant.loopWillEnd() }
        runRemaining(executor)
        core.dropAll()
        let waiters = mailbox.end()
        core.poller = PollPoller()
        clinux_set_current_loop(nil)
        for waiter in waiters { waiter() }
    }

    private func runRemaining(_ executor: UnownedTaskExecutor) {
        for _ in 0..<Self.roundsAtStop {
            takeMail()
            guard core.hasWork else { return }
            core.finishTurn(executor)
        }
    }
}
