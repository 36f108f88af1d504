import CLinux
import Synchronization
import TestSupport
import Testing
import Transport

extension TransportTests {
    @Suite struct ThreadTimesTests {
        /// Starts a thread that does this, and waits until it is seen as expected, which it is in the end or never.
        ///
        /// - Returns: what was seen then, and what is seen a little later.
        private func watch(
            until isSeen: (ThreadTimes) -> Bool, _ body: @escaping @Sendable () -> Void
        ) throws -> (ThreadTimes, ThreadTimes) {
            let thread = Shared()
            try Transport.Thread.start("watched") {
                thread.number.store(clinux_thread_id(), ordering: .releasing)
                body()
            }
            while true {
                let number = thread.number.load(ordering: .acquiring)
                guard number != 0 else { continue }
                let first = ThreadTimes(of: number)
                if isSeen(first) { return (first, ThreadTimes(of: number)) }
            }
        }

        private final class Shared: Sendable {
            let number = Atomic<Int32>(0)
            let lock = Mutex(())
            let semaphore = Semaphore()
        }

        @Test(.timeLimit(.minutes(1)))
        func `the time that a thread waits for a lock counts a quarter, and the time that it waits in a call as it is`()
            async
        {
            await onThread {
                let shared = Shared()
                do {
                    let (locked, later) = try shared.lock.withLock { _ in
                        try watch(until: { $0.activity == .stalled }) { shared.lock.withLock { _ in } }
                    }
                    #expect(later.held(since: locked) == (later.now.nanoseconds - locked.now.nanoseconds) / 4)
                    let (asleep, later2) = try watch(until: { $0.activity == .waitingInCall }) {
                        shared.semaphore.wait()
                    }
                    #expect(later2.held(since: asleep) == later2.now.nanoseconds - asleep.now.nanoseconds)
                } catch {
                    Issue.record(error)
                }
                shared.semaphore.post()
            }
        }
    }
}
