@_exported public import class Transcripts.VirtualClock

/// A clock that stands still until a test moves it, so that no test waits for time to pass.
package typealias ManualClock = VirtualClock

extension VirtualClock {
    /// A clock on which each sleep is over at once: time passes as soon as a task waits for it.
    package static func passing() -> VirtualClock {
        let clock = VirtualClock()
        clock.onSleep { [unowned clock] in _ = clock.wakeNext(upTo: .init(milliseconds: .max)) }
        return clock
    }

    /// Waits until at least `count` tasks sleep on this clock.
    package func sleepers(_ count: Int) async {
        await until { sleeperCount >= count }
    }
}
