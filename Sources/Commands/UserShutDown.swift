import Queues
import Serving
import Transport

/// Lets the user's server release its resources, within the grace for draining.
struct UserShutDown: Sendable {
    let call: @Sendable () async -> Void
    let grace: Duration
    let warn: @Sendable (String) -> Void

    init(call: @escaping @Sendable () async -> Void, grace: Duration, warn: @escaping @Sendable (String) -> Void) {
        (self.call, self.grace, self.warn) = (call, grace, warn)
    }

    /// Calls the user's `shutDown`, and waits for its end or the end of the grace. The call has a thread of its own, since it
    /// may block, and Swift's pool may have no thread left.
    func run(timers: EventLoop) async {
        let hasEnded = Latch(count: 1)
        let timer = timers.schedule(after: grace) { [grace, warn] in
            warn("shutDown() has not ended within \(grace), which is the limit drainGrace")
            hasEnded.open()
        }
        let work = Task.detached(executorPreference: Self.makeThread()) { [call] in
            await call()
            timer.cancel()
            hasEnded.open()
        }
        await hasEnded.wait()
        work.cancel()
    }

    /// Returns an executor with a thread that ends with the process, or Swift's pool if the system has no thread left.
    private static func makeThread() -> any TaskExecutor {
        do {
            let loop = try EventLoop(name: "ending")
            try loop.start()
            return loop
        } catch {
            return globalConcurrentExecutor
        }
    }
}
