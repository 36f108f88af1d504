@_exported public import class Transcripts.VirtualClock

/// A clock that stands still until a test moves it, so that no test waits for time to pass.
package typealias ManualClock = VirtualClock

extension VirtualClock {
    /// Waits until at least `count` tasks sleep on this clock.
    package func sleepers(_ count: Int) async {
        await until { sleeperCount >= count }
    }
}
