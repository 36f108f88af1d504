import Transport

/// Tells when nothing was heard for a while. Hearing costs a look at the clock, and sets no timer anew.
///
/// Confined to its loop.
final class SilenceTimer {
    private let loop: EventLoop
    private let didHearNothing: () -> Void
    private(set) var lastHeard = ContinuousClock.now
    private var patience: Duration?
    private var timer: LoopTimer?
    /// When `timer` fires; it then looks how long it has really been.
    private var fires = ContinuousClock.now

    /// - Parameter didHearNothing: called on the loop, each time that the patience was over.
    init(_ loop: EventLoop, didHearNothing: @escaping () -> Void) {
        self.loop = loop
        self.didHearNothing = didHearNothing
    }

    func hear() {
        lastHeard = .now
    }

    /// - Parameter patience: how long it may be silent, from what was heard last; nil: for ever.
    func watch(_ patience: Duration?) {
        self.patience = patience
        guard let patience else { return }
        let due = lastHeard + patience
        guard timer == nil || due < fires else { return }
        timer?.cancel()
        fires = due
        let bound = LoopBound(self, loop: loop)
        timer = loop.schedule(after: due - .now) { bound.value.look() }
    }

    func stop() {
        patience = nil
        timer?.cancel()
        timer = nil
    }

    private func look() {
        timer = nil
        guard let patience else { return }
        if lastHeard + patience <= .now { didHearNothing() } else { watch(patience) }
    }
}
