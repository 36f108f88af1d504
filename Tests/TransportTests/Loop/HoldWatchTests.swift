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
            let waits = Gate()
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
            var group: ObjectIdentifier { ObjectIdentifier(self) }
            func willHoldLoop(_ work: String, for duration: Duration) {
                holds.store(true, ordering: .relaxed)
                reports.record(
                    duration >= HoldWatchTests.maximumHold ? "\(work) holds" : "\(work) has held for only \(duration)")
            }
            func willHoldThread(_ work: String, for duration: Duration) { reports.record("\(work) holds a thread") }
            func moves(_ job: UnownedJob) -> Bool {
                guard let other, holds.load(ordering: .relaxed) else { return false }
                other.run(job, from: self)
                return true
            }
            func stillHoldsThread() { reports.record("still holds") }
            func didHoldThread() { reports.record("held") }
            func waits(forOneOf threads: Int) { waits.open() }
        }

        private func withWatchedLoop(
            reportedHold: Duration = .seconds(3_600), _ body: (EventLoop, HoldWatch, Source) async throws -> Void
        ) async throws {
            let watch = HoldWatch(maximumHold: maximumHold, reportedHold: reportedHold)
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
                #expect(await source.reports.elements(count: 2).sorted() == ["held", "work holds"])
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
                let source = Source(loop, other: WorkerPool(groupThreads: 20, watch: watch))
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

        /// Jobs that hold their threads until `end` is posted, all at the same time.
        private func holdAll(_ source: Source, count: Int, _ end: Semaphore) async -> [Task<Void, Never>] {
            let arrivals = Semaphore()
            let jobs = (0..<count).map { _ in
                Task(executorPreference: source) {
                    arrivals.post()
                    end.wait()
                }
            }
            // Only where each has a thread.
            await onThread { for _ in 0..<count { arrivals.wait() } }
            return jobs
        }

        private func withPool(
            groupThreads: Int, reportedHold: Duration = .seconds(3_600), _ body: (WorkerPool) async throws -> Void
        ) async throws {
            let watch = HoldWatch(maximumHold: maximumHold, reportedHold: reportedHold)
            // Its watch has a thread as soon as there is a loop.
            let loop = try EventLoop(name: "watched", watch: watch)
            try loop.start()
            try await body(WorkerPool(groupThreads: groupThreads, watch: watch))
            loop.stop()
            await loop.join()
        }

        @Test(.timeLimit(.minutes(5)))
        func `a pool has as many threads as jobs hold them`() async throws {
            try await withPool(groupThreads: 12) { pool in
                let end = Semaphore()
                let source = Source(pool)
                let jobs = await holdAll(source, count: 12, end)
                #expect(await source.reports.elements(count: 12).allSatisfy { $0 == "work holds a thread" })
                for _ in jobs { end.post() }
                for job in jobs { await job.value }
                #expect(await source.reports.elements(count: 24).count { $0 == "held" } == 12)
            }
        }

        @Test(.timeLimit(.minutes(5)))
        func `a job that doesn't end is told of, once, on a loop and in a pool`() async throws {
            let expected = ["held", "still holds"]
            try await withWatchedLoop(reportedHold: maximumHold * 2) { loop, _, source in
                let end = Semaphore()
                let held = hold(source, end)
                #expect(await source.reports.elements(count: 2) == ["work holds", "still holds"])
                end.post()
                await held.value
                #expect(await source.reports.elements(count: 3).sorted() == expected + ["work holds"])
            }
            try await withPool(groupThreads: 1, reportedHold: maximumHold * 2) { pool in
                let (end, source) = (Semaphore(), Source(pool))
                let held = hold(source, end)
                #expect(await source.reports.elements(count: 2) == ["work holds a thread", "still holds"])
                end.post()
                await held.value
                #expect(await source.reports.elements(count: 3).sorted() == expected + ["work holds a thread"])
            }
        }

        @Test(.timeLimit(.minutes(5)))
        func `jobs that are passed on from a pool are queued when the job that passed them has ended`() async throws {
            /// Runs nothing, and says when it was given something.
            final class Taker: JobRunner {
                let jobs = TestSupport.Recorder<(UnownedJob, any JobSource)>()
                var isRunner: Bool { false }
                func run(_ job: UnownedJob, from source: any JobSource) { jobs.record((job, source)) }
            }
            /// Passes its jobs on.
            final class Passer: TaskExecutor {
                let (pool, source, taker): (WorkerPool, Source, Taker)
                init(_ pool: WorkerPool, _ source: Source, _ taker: Taker) {
                    (self.pool, self.source, self.taker) = (pool, source, taker)
                }
                func enqueue(_ job: consuming ExecutorJob) { pool.pass(UnownedJob(job), from: source, to: taker) }
            }
            try await withPool(groupThreads: 3) { pool in
                let (source, taker) = (Source(pool), Taker())
                let passer = Passer(pool, source, taker)
                let first = Task(executorPreference: source) {
                    let passed = [Task(executorPreference: passer) {}, Task(executorPreference: passer) {}]
                    return (taker.jobs.elements.isEmpty, passed)
                }
                let (waits, passed) = await first.value
                #expect(waits)
                _ = await taker.jobs.elements(count: 2)
                // Elsewhere it is queued at once.
                let last = Task(executorPreference: passer) {}
                #expect(taker.jobs.elements.count == 3)
                for (job, source) in taker.jobs.elements {
                    job.runSynchronously(on: source.asUnownedTaskExecutor())
                }
                for task in passed + [last] { await task.value }
            }
        }

        @Test(.timeLimit(.minutes(5)))
        func `a group that holds all of its threads is told, its jobs wait in order, and those of others don't`()
            async throws
        {
            try await withPool(groupThreads: 3) { pool in
                let (end, source) = (Semaphore(), Source(pool))
                let held = await holdAll(source, count: 3, end)
                let order = TestSupport.Recorder<Int>()
                let waiting = (0..<5).map { number in Task(executorPreference: source) { order.record(number) } }
                await source.waits.wait()
                // More of others than the group has threads.
                let (otherEnd, other) = (Semaphore(), Source(pool))
                let others = await holdAll(other, count: 3, otherEnd)
                #expect(order.elements.isEmpty && !other.waits.isOpen)
                end.post()
                #expect(await order.elements(count: 5) == Array(0..<5))
                for _ in 0..<2 { end.post() }
                for _ in others { otherEnd.post() }
                for task in held + waiting + others { await task.value }
            }
        }
    }
}
