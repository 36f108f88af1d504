import Dispatch
import Testing

/// Gives each test a thread of its own, where it may block on a pipe without keeping others from the few threads that
/// all tests share.
struct OwnThread: TestTrait, SuiteTrait, TestScoping {
    /// Each test of a suite, not the suite as a whole.
    var isRecursive: Bool { true }

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Executor()) { try await function() }
    }

    private final class Executor: TaskExecutor {
        private let queue = DispatchQueue(label: "test")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }
}

extension Trait where Self == OwnThread {
    /// May block.
    static var ownThread: Self { OwnThread() }
}
