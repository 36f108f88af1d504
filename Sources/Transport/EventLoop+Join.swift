#if canImport(Glibc)
import Glibc
#endif

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
        // A semaphore may be posted and waited for on any thread; it is freed after the one post was seen.
        nonisolated(unsafe) let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
        defer {
            sem_destroy(semaphore)
            semaphore.deallocate()
        }
        mailbox.whenEnded { sem_post(semaphore) }
        while sem_wait(semaphore) != 0 {}
    }
}
