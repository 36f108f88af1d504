import Queues
import Synchronization
package import Transport

/// Gives memory back to the system once the process is idle after a peak, and has sessions without views end when too
/// much is allocated.
///
/// It has a task only while something happens. Any thread may call it.
package final class MemoryWatch: Sendable {
    /// The process, as the watch sees it.
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

    /// Less processor time than this part of the time is idle.
    private static let idleShare = 0.1
    private static let interval = Duration.seconds(1)
    /// When memory is nearly short.
    private static let shortInterval = Duration.milliseconds(100)

    /// How long a count is good.
    private static let latestTime = Duration.milliseconds(10)

    private let memoryBytes: Int
    private let unusedBytes: Int
    private let clock: any Clock<Duration>
    private let timers: any TaskExecutor
    private let process: Process
    /// Counting takes the longer the more pieces are free, and may be asked for at each session that is left.
    private let latest = Mutex<(time: ContinuousClock.Instant, usedBytes: Int)?>(nil)
    private let isRunning = Atomic<Bool>(false)
    private let isOver = Atomic<Bool>(false)

    /// - Parameters:
    ///   - memoryBytes: the bound on allocated memory.
    ///   - unusedBytes: the memory that may be unused when the process is idle.
    ///   - timers: where it looks, and measures the time between two looks, by the clock.
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

    /// More is allocated than may be, by the last look.
    package var isFull: Bool { isOver.load(ordering: .relaxed) }

    /// Whether anything in the process can hold so many bytes. True where the C library can't say.
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

    /// Something has begun or ended that takes memory.
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

    /// Returns whether nothing is left to be done.
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
        // With nobody to give way it looks again when something happens.
        return true
    }
}
