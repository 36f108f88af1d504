import Queues

/// The time since the stopwatch was made, by any clock.
struct Stopwatch: Sendable {
    private let measure: @Sendable () -> Duration

    init(_ clock: any Clock<Duration>) {
        measure = clock.stopwatch()
    }

    var elapsed: Duration { measure() }

    var milliseconds: Int { elapsed.wholeMilliseconds }
}

extension Duration {
    /// The whole milliseconds, rounded down; `Int.max` for a duration that is too long.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000)
        return overflows ? .max : Int(clamping: product &+ attoseconds / 1_000_000_000_000_000)
    }
}
