import LibC

extension EventLoop {
    /// Runs `work` on the calling thread as the loop's own would, before that is started: what `work` opens and queues is
    /// there when the thread comes, without a hop to it and back. For whoever made the loop, while nobody else knows it.
    ///
    /// Swift's tasks that prefer this loop wait for its thread, and so does whatever is read and written.
    package func prepare<Value, Failure>(_ work: () throws(Failure) -> Value) throws(Failure) -> Value {
        mailbox.preconditionNotStarted()
        let outer = clinux_current_loop()
        clinux_set_current_loop(Unmanaged.passUnretained(self).toOpaque())
        defer { clinux_set_current_loop(outer) }
        return try work()
    }

    /// Is posted when the first turn of the loop is over, and what it wrote is with the kernel. Before `start`.
    package func endOfFirstTurn() -> Semaphore {
        let end = Semaphore()
        prepare {
            // Streams write after what is called at a turn's end, so this waits for another one, which comes at once.
            atEndOfTurn { [self] in atEndOfTurn { end.post() } }
        }
        return end
    }
}
