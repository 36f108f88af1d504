import Queues
import Serving
import Transport

/// Has the user's server release what it holds, for as long as the drain's grace.
struct UserShutDown: Sendable {
    let call: @Sendable () async -> Void
    let grace: Duration
    let warn: @Sendable (String) -> Void

    init(call: @escaping @Sendable () async -> Void, grace: Duration, warn: @escaping @Sendable (String) -> Void) {
        (self.call, self.grace, self.warn) = (call, grace, warn)
    }

    /// Once. The call has a thread of its own, since it may block, and Swift's pool may have none left.
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

    /// Ends with the process. Swift's pool where the system has no thread to give.
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
