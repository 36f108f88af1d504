import LibC

/// A counting semaphore: each `wait` blocks its thread until there is a `post` for it.
package final class Semaphore: Sendable {
    // POSIX lets any thread use a semaphore between `init` and `deinit`, and each caller retains this object meanwhile.
    nonisolated(unsafe) private let storage = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    package init() {
        sem_init(storage, 0, 0)
    }

    deinit {
        sem_destroy(storage)
        storage.deallocate()
    }

    package func post() {
        sem_post(storage)
    }

    package func wait() {
        while sem_wait(storage) != 0 {}
    }

    /// Waits for a post, for a limited time by the wall clock, the only one that POSIX has here.
    ///
    /// - Returns: false when nobody has posted within that time.
    @discardableResult
    package func wait(atMost limit: Duration) -> Bool {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let nanoseconds = limit.clampedNanoseconds % 1_000_000_000 + Int64(time.tv_nsec)
        time.tv_sec &+= Int(limit.clampedNanoseconds / 1_000_000_000 + nanoseconds / 1_000_000_000)
        time.tv_nsec = Int(nanoseconds % 1_000_000_000)
        while sem_timedwait(storage, &time) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }
}
