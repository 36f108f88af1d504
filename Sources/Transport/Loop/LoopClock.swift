import LibC
import Queues

/// The clock of a loop's timers. Any thread may use it.
struct LoopClock: Sendable {
    let now: @Sendable () -> MonotonicTime

    static let monotonic = LoopClock(now: { MonotonicTime.now })

    private init(now: @escaping @Sendable () -> MonotonicTime) {
        self.now = now
    }

    /// Makes a clock that counts from now on.
    init(_ clock: some Clock<Duration>) {
        let elapsed = clock.stopwatch()
        now = { MonotonicTime(nanoseconds: elapsed().clampedNanoseconds) }
    }
}

/// A time of the monotonic clock in nanoseconds. That clock stands still while the machine sleeps.
package struct MonotonicTime: Comparable {
    package let nanoseconds: Int64

    static var now: MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }

    /// Returns the time after a duration. A time beyond the clock's range, which is 292 years, becomes its end.
    func advanced(by duration: Duration) -> MonotonicTime {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.clampedNanoseconds)
        return MonotonicTime(nanoseconds: overflow ? .max : sum)
    }

    package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

extension Duration {
    /// The duration in nanoseconds; 0 for a negative one, the largest number for one that is too long.
    var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return .max }
        let (sum, overflowsSum) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflowsSum ? .max : sum
    }

    /// The duration in milliseconds, rounded up; the largest number for one that is too long.
    var clampedMilliseconds: Int32 {
        let milliseconds = clampedNanoseconds / 1_000_000
        let isWhole = clampedNanoseconds % 1_000_000 == 0
        return Int32(clamping: isWhole ? milliseconds : milliseconds + 1)
    }
}
