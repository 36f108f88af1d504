import FoundationEssentials
import LibC
import Synchronization
import TestSupport
import Transport

/// Runs the loop of a simulation, which posts `end` when it is over.
///
/// However long that takes: a busy machine gives a thread its time late, or other tests have it. Only where the loop's
/// thread sleeps and sleeps, though nothing else is there that could wake it, the simulation hangs. The process can't go on
/// then, since the loop has all jobs that belong to no executor.
///
/// - Parameters:
///   - loop: has a name that no other loop has at the time.
///   - again: how the seed is run alone.
func runSimulation(on loop: EventLoop, until end: Transport.Semaphore, again: String) async throws {
    let failure = Mutex<SystemError?>(nil)
    // On a thread that is no task's: a task that the loop resumed would stay on it.
    await onThread {
        GlobalJobs.stay(on: loop)
        defer { GlobalJobs.leave(loop) }
        do throws(SystemError) { try loop.start() } catch { return failure.withLock { $0 = error } }
        var sleep = ThreadSleep(ofThreadNamed: loop.name)
        while !end.wait(atMost: .seconds(1)) {
            if sleep.look() > 60 { fatalError("it hangs; run it alone: \(again)") }
        }
        loop.stop()
        loop.join()
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
}

/// Whether a thread of this process sleeps, by what the kernel says of it.
private struct ThreadSleep {
    private let name: String
    private var state = ""
    private var looks = 0

    /// - Parameter name: of which a kernel keeps 15 bytes.
    init(ofThreadNamed name: String) {
        self.name = String(name.prefix(15))
    }

    /// Returns at how many looks, one after the other, it was in the same sleep.
    mutating func look() -> Int {
        let now = Self.sleep(ofThreadNamed: name)
        looks = now != nil && now == state ? looks + 1 : 0
        state = now ?? ""
        return looks
    }

    /// The state and how often it has gone to sleep; nil where it runs or waits for a processor.
    private static func sleep(ofThreadNamed name: String) -> String? {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        for task in tasks {
            guard let status = try? String(contentsOfFile: "/proc/self/task/\(task)/status", encoding: .utf8) else {
                continue
            }
            let lines = status.split(separator: "\n")
            guard lines.first == "Name:\t\(name)", lines.contains(where: { $0.hasPrefix("State:\tS") }) else {
                continue
            }
            return lines.first { $0.hasPrefix("voluntary_ctxt_switches") }.map { "\(task) \($0)" }
        }
        return nil
    }
}
