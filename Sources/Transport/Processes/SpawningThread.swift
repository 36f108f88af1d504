import LibC
import Queues
import Synchronization

/// The thread that starts the processes which the kernel is to end with this one. It does so when the thread ends that has
/// started them, and other threads come and go: a loop's, when it is lent, is another one afterwards.
enum SpawningThread {
    private struct State {
        var hasThread = false
        var work = Deque<@Sendable () -> Void>()
    }

    private static let state = Mutex(State())
    private static let bell = Semaphore()

    /// Runs a short piece of work there, and blocks the calling thread meanwhile.
    ///
    /// - Throws: where the system has no thread to give; the error of the work.
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
