import Transport

/// A timer for one action at a time, on any clock. Confined to its loop.
final class ClientTimer {
    private let clock: any Clock<Duration>
    private let loop: EventLoop
    private var task: Task<Void, Never>?
    /// The number of the last `start` or `stop`. The action of an earlier start isn't called any more.
    private var number = 0

    init(_ clock: any Clock<Duration>, on loop: EventLoop) {
        self.clock = clock
        self.loop = loop
    }

    /// Calls `action` once, on the loop, after `delay`; an earlier action isn't called any more.
    func start(_ delay: Duration, _ action: @escaping () -> Void) {
        stop()
        let (number, bound) = (number, LoopBound((self, action), loop: loop))
        task = Task { [clock, loop] in
            do {
                try await clock.sleep(for: delay)
            } catch {
                return
            }
            loop.execute {
                let (timer, action) = bound.value
                if timer.number == number { action() }
            }
        }
    }

    func stop() {
        task?.cancel()
        task = nil
        number += 1
    }
}
