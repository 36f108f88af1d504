/// Time that has passed on whatever clock, since it was made.
struct Stopwatch: Sendable {
    private let elapsed: @Sendable () -> Duration

    init(_ clock: any Clock<Duration>) {
        elapsed = Self.start(clock)
    }

    var milliseconds: Int {
        let (seconds, attoseconds) = elapsed().components
        return Int(seconds) &* 1_000 &+ Int(attoseconds / 1_000_000_000_000_000)
    }

    private static func start<C: Clock>(_ clock: C) -> @Sendable () -> Duration where C.Duration == Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
