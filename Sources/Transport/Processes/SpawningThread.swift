import LibC
import Queues
import Synchronization

/// The thread that starts the processes which the kernel is to end with this one. The kernel ends them when the thread that
/// started them ends. Other threads come and go: when a job keeps its loop's thread, the loop goes on in another one.
enum SpawningThread {
    private struct State {
        var hasThread = false
        var work = Deque<@Sendable () -> Void>()
    }

    private static let state = Mutex(State())
    private static let bell = Semaphore()

    /// Runs a short piece of work on that thread, and blocks the calling thread meanwhile.
    ///
    /// - Throws: the error of the work, or an error where the system has no thread left.
    static func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(SystemError) -> Value
    ) throws(SystemError) -> Value {
        let result = Mutex<Result<Value, SystemError>?>(nil)
        let end = Semaphore()
        try state.withLock { state throws(SystemError) in
            if !state.hasThread { try Thread.start("spawn", runAll) }
            state.hasThread = true
            state.work.append {
                let value: Result<Value, SystemError>
                do throws(SystemError) { value = .success(try work()) } catch { value = .failure(error) }
                result.withLock { $0 = value }
                end.post()
            }
        }
        bell.post()
        end.wait()
        guard let value = result.withLock({ $0 }) else { throw SystemError(code: ECHILD, call: "start") }
        return try value.get()
    }

    @Sendable private static func runAll() {
        while true {
            bell.wait()
            state.withLock { $0.work.popFirst() }?()
        }
    }
}
