import Dispatch
import TestSupport
import Testing

/// Gives each test a thread of its own, where it may block on a pipe without keeping others from the few threads that
/// all tests share.
///
/// A few of them run at a time. Each starts programs, and hundreds of programs at once take minutes for what takes one of them
/// a second: whatever says that something takes long says it.
struct OwnThread: TestTrait, SuiteTrait, TestScoping {
    /// False for a suite whose tests run one after the other: one that waited for each of its turns would be the last to end.
    var waitsItsTurn = true

    /// Each test of a suite, not the suite as a whole.
    var isRecursive: Bool { true }

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        if waitsItsTurn { await Turns.programs.begin() }
        defer { if waitsItsTurn { Turns.programs.end() } }
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
    /// May block, and starts programs.
    static var ownThread: Self { OwnThread() }

    /// The same for a suite that is `serialized`.
    static var ownThreadAtOnce: Self { OwnThread(waitsItsTurn: false) }
}
