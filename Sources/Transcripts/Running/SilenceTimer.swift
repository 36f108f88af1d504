import Queues
import Transport

/// A timer that reports that nothing was heard for a while. `hear` only reads the clock, since it is called often.
///
/// Confined to its loop.
final class SilenceTimer {
    private let loop: EventLoop
    private let clock: any Clock<Duration>
    private let stopwatch: Stopwatch
    private let didHearNothing: () -> Void
    /// The time of the last `hear`, by the stopwatch, as are all times here.
    private(set) var lastHeard = Duration.zero
    private var patience: Duration?
    private var timer: Task<Void, Never>?
    /// The time at which `timer` fires, by the stopwatch. Something may have been heard by then.
    private var fires = Duration.zero

    /// Makes a timer, which waits for nothing yet.
    ///
    /// - Parameter didHearNothing: called on the loop each time that the patience has run out.
    init(_ loop: EventLoop, by clock: any Clock<Duration>, didHearNothing: @escaping () -> Void) {
        self.loop = loop
        self.clock = clock
        self.didHearNothing = didHearNothing
        stopwatch = Stopwatch(clock)
    }

    func hear() {
        lastHeard = stopwatch.elapsed
    }

    /// Sets the longest silence.
    ///
    /// - Parameter patience: how long the silence may last, counted from the last `hear`; nil for no limit.
    func watch(_ patience: Duration?) {
        self.patience = patience
        guard let patience else { return }
        let due = lastHeard + patience
        guard timer == nil || due < fires else { return }
        timer?.cancel()
        fires = due
        let bound = LoopBound(self, loop: loop)
        timer = loop.schedule(after: due - stopwatch.elapsed, by: clock) { bound.value.look() }
    }

    func stop() {
        patience = nil
        timer?.cancel()
        timer = nil
    }

    private func look() {
        timer = nil
        guard let patience else { return }
        if lastHeard + patience <= stopwatch.elapsed { didHearNothing() } else { watch(patience) }
    }
}
