extension EventLoop {
    /// Suspends until the loop has ended: all it ran has run, its descriptors are closed. At once when it has ended or was
    /// stopped before it was started. Not from the loop itself, which would wait for its own end.
    package func join() async {
        precondition(!isCurrent, "The event loop \"\(name)\" can't wait for its own end")
        await withCheckedContinuation { continuation in
            mailbox.whenEnded { continuation.resume() }
        }
    }

    /// As `join() async`, blocking the calling thread.
    package func join() {
        precondition(!isCurrent, "The event loop \"\(name)\" can't wait for its own end")
        let end = Semaphore()
        mailbox.whenEnded { end.post() }
        end.wait()
    }
}
