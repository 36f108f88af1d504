import LibC
import Synchronization
import Transport

/// Swift's tasks without an executor of their own, such as those of `Task { … }`, brought to the loop that they are started
/// on: the pool of threads would run them in another order each time.
///
/// By the runtime's own hook for that, which is there once for the process. Tasks that are started elsewhere go to the pool,
/// as before.
enum GlobalJobs {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    /// The loops of simulations, by their addresses.
    private static let loops = Mutex<[UInt: EventLoop]>([:])

    /// False where the runtime has no such hook.
    static let isInstalled: Bool = {
        guard let symbol = dlsym(nil, "swift_task_enqueueGlobal_hook") else { return false }
        symbol.assumingMemoryBound(to: Hook?.self).pointee = { job, original in
            guard let current = clinux_current_loop(),
                let loop = loops.withLock({ $0[UInt(bitPattern: current)] })
            else { return original(job) }
            loop.enqueue(ExecutorJob(job))
        }
        return true
    }()

    /// From here on until `leave`, tasks that are started on the loop stay there.
    static func stay(on loop: EventLoop) {
        precondition(isInstalled, "this runtime has no swift_task_enqueueGlobal_hook")
        loops.withLock { $0[address(of: loop)] = loop }
    }

    static func leave(_ loop: EventLoop) {
        loops.withLock { $0[address(of: loop)] = nil }
    }

    private static func address(of loop: EventLoop) -> UInt {
        UInt(bitPattern: Unmanaged.passUnretained(loop).toOpaque())
    }
}
