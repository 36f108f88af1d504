import Glibc

/// The machine's clocks, in nanoseconds from no particular moment.
package enum Clock {
    @inline(__always)
    package static func now() -> Int { read(CLOCK_MONOTONIC) }

    /// Goes on only while this thread is at work.
    package static func threadTime() -> Int { read(CLOCK_THREAD_CPUTIME_ID) }

    @inline(__always)
    private static func read(_ clock: clockid_t) -> Int {
        var time = timespec()
        clock_gettime(clock, &time)
        return time.tv_sec &* 1_000_000_000 &+ time.tv_nsec
    }
}
