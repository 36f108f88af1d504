/// The time that counts for what is stored: it passes while a server has the store, and stands still while none has it.
///
/// Whoever counts looks at a clock now and then, and adds what has passed since the look before. A clock that was set, that
/// stood still or that is another machine's adds little or nothing. So it makes nothing old that somebody has just used.
struct StoreClock {
    /// What counts between two looks at most. Servers look more often.
    static let longestPassing = Duration.seconds(60)

    private var seen: Duration
    /// What has passed and isn't stored yet.
    private(set) var passed = Duration.zero

    init(at now: Duration) {
        seen = now
    }

    mutating func look(at now: Duration) {
        passed += max(.zero, min(now - seen, Self.longestPassing))
        seen = now
    }

    /// Takes the whole seconds, which are to be stored.
    mutating func takeSeconds() -> Int64 {
        let seconds = passed.components.seconds
        passed -= .seconds(seconds)
        return seconds
    }

    /// The time of this machine since some moment. Nobody sets it, and it stands still while the machine sleeps.
    static func uptime() -> Duration { start.duration(to: .now) }

    private static let start = SuspendingClock.now
}
