/// The time since it was made, by any clock.
struct Stopwatch: Sendable {
    private let measure: @Sendable () -> Duration

    init(_ clock: any Clock<Duration>) {
        measure = Self.start(clock)
    }

    var elapsed: Duration { measure() }

    var milliseconds: Int { elapsed.wholeMilliseconds }

    private static func start<C: Clock>(_ clock: C) -> @Sendable () -> Duration where C.Duration == Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}

extension Duration {
    /// Rounded down; `Int.max` for a duration that is too long.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000)
        return overflows ? .max : Int(clamping: product &+ attoseconds / 1_000_000_000_000_000)
    }
}
