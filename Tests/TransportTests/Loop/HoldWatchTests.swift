import Queues
import Synchronization
import TestSupport
import Testing
import Transport

extension TransportTests {
    /// In real time, since that is what is watched. Each test can only end when the watch does its work, and none asserts how
    /// long that takes.
    @Suite struct HoldWatchTests {
        private static let maximumHold = Duration.milliseconds(10)
        private let maximumHold = Self.maximumHold

        /// An executor whose jobs a loop runs.
        private final class Source: JobSource {
            let runner: any JobRunner
            let reports = TestSupport.Recorder<String>()
            /// Where jobs go once one has held its thread; nil: nowhere else.
            private let other: (any JobRunner)?
            private let holds = Atomic<Bool>(false)

            init(_ runner: any JobRunner, other: (any JobRunner)? = nil) {
                self.runner = runner
                self.other = other
            }

            func enqueue(_ job: consuming ExecutorJob) { runner.run(UnownedJob(job), from: self) }
            func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
            var runningWork: String { "work" }
            func willHoldThread(_ work: String) {
                holds.store(true, ordering: .relaxed)
                reports.record("\(work) holds")
            }
            func moves(_ job: UnownedJob) -> Bool {
                guard let other, holds.load(ordering: .relaxed) else { return false }
                other.run(job, from: self)
                return true
            }
            func didHoldThread(_ work: String, for duration: Duration) {
                reports.record(
                    duration >= HoldWatchTests.maximumHold ? "\(work) held" : "\(work) held for only \(duration)")
            }
        }

        private func withWatchedLoop(_ body: (EventLoop, HoldWatch, Source) async throws -> Void) async throws {
            let watch = HoldWatch(maximumHold: maximumHold)
            let loop = try EventLoop(name: "watched", watch: watch)
            try loop.start()
            do {
                try await body(loop, watch, Source(loop))
            } catch {
                loop.stop()
                await loop.join()
                throw error
            }
            loop.stop()
            await loop.join()
        }

        /// Blocks its thread until the semaphore is posted.
        private func hold(_ source: Source, _ semaphore: Semaphore) -> Task<Void, Never> {
            Task(executorPreference: source) { semaphore.wait() }
        }

        @Test(.timeLimit(.minutes(5)))
        func `a loop goes on in another thread while a job holds its own`() async throws {
            try await withWatchedLoop { loop, watch, source in
                let end = Semaphore()
                let held = hold(source, end)
                // Each of them runs only once the loop has another thread.
                _ = try await loop.run {}
                let timer = Gate()
                loop.schedule(after: .milliseconds(1)) { timer.open() }
                await timer.wait()
                #expect(watch.heldWork.map(\.name) == ["work"])
                end.post()
                await held.value
                #expect(await source.reports.elements(count: 2).sorted() == ["work held", "work holds"])
                #expect(watch.heldWork.isEmpty)
                _ = try await loop.run {}
            }
        }

        @Test(.timeLimit(.minutes(5)))
        func `jobs that hold their loop one after the other each lose it, and what they leave for it comes in order`()
            async throws
        {
            try await withWatchedLoop { loop, _, source in
                let order = TestSupport.Recorder<Int>()
                let ends = (0..<4).map { _ in Semaphore() }
                let held = ends.enumerated().map { number, end in
                    Task(executorPreference: source) {
                        end.wait()
                        for step in 0..<100 { loop.execute { order.record(number * 1_000 + step) } }
                    }
                }
                _ = try await loop.run {}
                for end in ends { end.post() }
                for task in held { await task.value }
                let found = await order.elements(count: 400)
                for number in 0..<4 {
                    let own = found.filter { $0 / 1_000 == number }
                    #expect(own == own.sorted() && own.count == 100)
                }
            }
        }

        @Test(.timeLimit(.minutes(5)))
        func `of many jobs that would hold their loop one after the other, only the first does`() async throws {
            try await withWatchedLoop { loop, watch, _ in
                let source = Source(loop, other: WorkerPool(maximumThreads: 20, watch: watch))
                let end = Semaphore()
                let begun = TestSupport.Recorder<Int>()
                // In one turn, so that all are queued before the first runs.
                let held = try await loop.run {
                    (0..<20).map { number in
                        Task(executorPreference: source) {
                            begun.record(number)
                            end.wait()
                        }
                    }
                }
                _ = await begun.elements(count: 20)
                #expect(watch.holdCount == 1)
                for _ in held { end.post() }
                for task in held { await task.value }
            }
        }

        /// The counter isn't guarded: the thread sanitizer, and a wrong sum, would find two threads that have the loop at once.
        @Test(.timeLimit(.minutes(5)))
        func `one thread at a time has the loop, however often it is taken`() async throws {
            try await withWatchedLoop { loop, _, source in
                final class Count { var value = 0 }
                let count = LoopBound(Count(), loop: loop)
                // Each holds its thread, so that the loop is taken from it while it goes in and out of the loop.
                let jobs = (0..<6).map { _ in
                    Task(executorPreference: source) {
                        let clock = ContinuousClock()
                        let until = clock.now + maximumHold * 4
                        var entered = 0
                        while clock.now < until {
                            if count.ifCurrent({ $0.value += 1 }) == nil { loop.execute { count.value.value += 1 } }
                            entered += 1
                        }
                        return entered
                    }
                }
                var expected = 0
                for job in jobs { expected += await job.value }
                let sum = try await loop.run { count.value.value }
                #expect(sum == expected)
            }
        }

        @Test(.timeLimit(.minutes(5)))
        func `a job knows its loop by number until it has lost it, and is never taken for the loop's thread`()
            async throws
        {
            try await withWatchedLoop { loop, _, source in
                let end = Semaphore()
                let seen = Task(executorPreference: source) {
                    let before = (loop.isCurrent, loop.isRunner, loop.jobNumber)
                    end.wait()
                    return (before, (loop.isCurrent, loop.isRunner, loop.jobNumber))
                }
                // Only a loop that goes on can post.
                loop.execute { end.post() }
                let (before, after) = await seen.value
                #expect(!before.0 && before.1 && before.2 != 0)
                #expect(!after.0 && !after.1 && after.2 == before.2)
            }
        }

        @Test(.timeLimit(.minutes(5)))
        func `a loop that is held can be stopped`() async throws {
            let loop = try EventLoop(name: "watched", watch: HoldWatch(maximumHold: maximumHold))
            try loop.start()
            let end = Semaphore()
            let source = Source(loop)
            let held = hold(source, end)
            _ = try await loop.run {}
            loop.stop()
            await loop.join()
            end.post()
            await held.value
        }

        @Test(.timeLimit(.minutes(5)))
        func `a pool has as many threads as jobs hold them, up to its maximum`() async throws {
            let watch = HoldWatch(maximumHold: maximumHold)
            let loop = try EventLoop(name: "watched", watch: watch)
            try loop.start()
            let pool = WorkerPool(maximumThreads: 12, watch: watch)
            let source = Source(pool)
            let (arrivals, end) = (Semaphore(), Semaphore())
            let jobs = (0..<12).map { _ in
                Task(executorPreference: source) {
                    arrivals.post()
                    end.wait()
                }
            }
            // All at the same time: only where each has a thread.
            await onThread { for _ in 0..<12 { arrivals.wait() } }
            let oneMore = Task(executorPreference: source) { arrivals.post() }
            for _ in 0..<12 { end.post() }
            for job in jobs { await job.value }
            await oneMore.value
            loop.stop()
            await loop.join()
        }
    }
}
