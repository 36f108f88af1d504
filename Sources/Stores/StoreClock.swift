/// The time by which stored sessions get old. It passes while a server has the store, and stands still while none has it.
///
/// Servers look at a clock regularly, and add what has passed since the look before. A clock that was set, that stood still
/// or that is another machine's adds little or nothing. So it can't make a session old that somebody has just used.
struct StoreClock {
    /// The most time that counts between two looks. Servers look more often.
    static let longestPassing = Duration.seconds(60)

    private var seen: Duration
    /// The time that has passed and isn't stored yet.
    private(set) var passed = Duration.zero

    init(at now: Duration) {
        seen = now
    }

    mutating func look(at now: Duration) {
        passed += max(.zero, min(now - seen, Self.longestPassing))
        seen = now
    }

    /// Takes the whole seconds that have passed, to be stored.
    mutating func takeSeconds() -> Int64 {
        let seconds = passed.components.seconds
        passed -= .seconds(seconds)
        return seconds
    }

    /// Returns this machine's time since some moment. Nobody can set it, and it stands still while the machine sleeps.
    static func uptime() -> Duration { start.duration(to: .now) }

    private static let start = SuspendingClock.now
}
