import Queues
import Synchronization
package import Transport

/// Returns memory to the system once the process is idle after a peak, and ends sessions without views when too much is
/// allocated.
///
/// A task of the watch runs only while there is something to do. Any thread may call it.
package final class MemoryWatch: Sendable {
    /// The functions by which the watch reads and trims the memory of the process.
    package struct Process: Sendable {
        package var memory: @Sendable () -> ProcessMemory
        package var processorSeconds: @Sendable () -> Double
        package var trim: @Sendable () -> Void

        package init(
            memory: @escaping @Sendable () -> ProcessMemory = { ProcessMemory.now },
            processorSeconds: @escaping @Sendable () -> Double = { ProcessUsage.now.processorSeconds },
            trim: @escaping @Sendable () -> Void = { ProcessMemory.trim() }
        ) {
            self.memory = memory
            self.processorSeconds = processorSeconds
            self.trim = trim
        }
    }

    /// The share of processor time below which the process counts as idle.
    private static let idleShare = 0.1
    private static let interval = Duration.seconds(1)
    /// The time between two looks while more than half of the allowed memory is in use.
    private static let shortInterval = Duration.milliseconds(100)

    /// How long the latest count of used bytes stays valid.
    private static let latestTime = Duration.milliseconds(10)

    private let memoryBytes: Int
    private let unusedBytes: Int
    private let clock: any Clock<Duration>
    private let timers: any TaskExecutor
    private let process: Process
    /// The latest count of used bytes and its time. It is used again for a while, as counting takes longer the more pieces
    /// are free.
    private let latest = Mutex<(time: ContinuousClock.Instant, usedBytes: Int)?>(nil)
    private let isRunning = Atomic<Bool>(false)
    private let isOver = Atomic<Bool>(false)

    /// - Parameters:
    ///   - memoryBytes: the bound on allocated memory.
    ///   - unusedBytes: the memory that may be unused when the process is idle.
    ///   - timers: runs the looks at the memory, and waits between two of them, by `clock`.
    package init(
        memoryBytes: Int, unusedBytes: Int, timers: any TaskExecutor = globalConcurrentExecutor,
        clock: any Clock<Duration> = ContinuousClock(), process: Process = Process()
    ) {
        self.memoryBytes = memoryBytes
        self.unusedBytes = unusedBytes
        self.clock = clock
        self.timers = timers
        self.process = process
    }

    /// Whether more memory was allocated at the last look than is allowed.
    package var isFull: Bool { isOver.load(ordering: .relaxed) }

    /// Returns whether more than so many bytes are allocated, so that something in the process may hold them. True where the
    /// C library can't say.
    package func mayHold(_ bytes: Int) -> Bool {
        let now = ContinuousClock.now
        let used = latest.withLock { latest in
            if let latest, now - latest.time < Self.latestTime { return latest.usedBytes }
            let used = process.memory().usedBytes
            latest = (now, used)
            return used
        }
        return used == 0 || used > bytes
    }

    /// Begins to look at the memory until there is nothing more to do, unless the watch does so already. Called when
    /// something that takes memory has begun or ended.
    ///
    /// - Parameters:
    ///   - didLook: called with the bytes that are allocated.
    ///   - makeRoom: has sessions without views end; returns how many.
    ///   - didTrim: called with the bytes that went back to the system.
    package func note(
        didLook: @escaping @Sendable (Int) -> Void = { _ in }, makeRoom: @escaping @Sendable () -> Int,
        didTrim: @escaping @Sendable (Int) -> Void
    ) {
        guard !isRunning.exchange(true, ordering: .relaxed) else { return }
        Task.detached(executorPreference: timers) { [self] in
            var seconds = process.processorSeconds()
            while true {
                let interval = process.memory().usedBytes > memoryBytes / 2 ? Self.shortInterval : Self.interval
                guard (try? await timers.sleep(for: interval, by: clock)) != nil else { break }
                let before = seconds
                seconds = process.processorSeconds()
                let isIdle = seconds - before < Self.idleShare * (interval / .seconds(1))
                if look(isIdle: isIdle, didLook, makeRoom, didTrim) { break }
            }
            isRunning.store(false, ordering: .relaxed)
        }
    }

    /// Looks at the memory once, and frees what can be freed. Returns whether nothing is left to be done.
    private func look(
        isIdle: Bool, _ didLook: @Sendable (Int) -> Void, _ makeRoom: @Sendable () -> Int,
        _ didTrim: @Sendable (Int) -> Void
    ) -> Bool {
        let memory = process.memory()
        didLook(memory.usedBytes)
        let isFull = memory.usedBytes > memoryBytes
        isOver.store(isFull, ordering: .relaxed)
        if isFull, makeRoom() > 0 { return false }
        guard isIdle else { return false }
        if memory.unusedBytes > unusedBytes {
            process.trim()
            didTrim(memory.unusedBytes)
        }
        // Where no session can give way, the watch looks again at the next `note`.
        return true
    }
}
