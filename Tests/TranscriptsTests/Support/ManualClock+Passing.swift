import TestSupport

extension ManualClock {
    /// A clock on which each sleep is over at once: time passes as soon as somebody waits for it.
    static func passing() -> ManualClock {
        let clock = ManualClock()
        clock.onSleep { [unowned clock] in _ = clock.wakeNext(upTo: .init(milliseconds: .max)) }
        return clock
    }
}
