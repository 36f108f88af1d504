import Queues
import Transport

/// The time of a play: reports when the next line is due, and moves the virtual clock of the other side.
///
/// Real time is waited for. A virtual clock is moved when everything is quiet: from sleeper to sleeper up to the next line's
/// time, then to that time. Confined to its loop.
final class PlayTime {
    /// The number of rounds that `settle` waits. Enough for a message to arrive at the other end of a connection in memory, and
    /// for the tasks that it sets off to finish or sleep.
    private static let settlingRounds = 6

    private let loop: EventLoop
    private let clock: any Clock<Duration>
    private let virtualClock: VirtualClock?
    private let stopwatch: Stopwatch
    private let horizon: () -> VirtualClock.Instant?
    private let didPass: () -> Void
    private let lineIsDue: (_ milliseconds: Int) -> Void
    private var timer: Task<Void, Never>?
    /// The time at which the next line is due, in milliseconds since the play began; nil if none is waited for.
    private var awaited: Int?
    private var isSettling = false
    private var isDisturbed = false

    /// Makes the time of a play, which begins now.
    ///
    /// - Parameters:
    ///   - clock: measures real time.
    ///   - virtualClock: the clock of the other side; nil if that uses real time.
    ///   - horizon: returns the time beyond which the virtual clock may not be moved now; nil if it may not be moved at all.
    ///   - didPass: called on the loop each time that `isPassing` ends.
    ///   - lineIsDue: called on the loop at the awaited time.
    init(
        _ loop: EventLoop, clock: any Clock<Duration>, virtualClock: VirtualClock?,
        horizon: @escaping () -> VirtualClock.Instant?, didPass: @escaping () -> Void,
        lineIsDue: @escaping (_ milliseconds: Int) -> Void
    ) {
        self.loop = loop
        self.clock = clock
        self.virtualClock = virtualClock
        self.horizon = horizon
        self.didPass = didPass
        self.lineIsDue = lineIsDue
        stopwatch = Stopwatch(clock)
        let bound = LoopBound(self, loop: loop)
        virtualClock?.onSleep { loop.execute { bound.value.pass() } }
    }

    /// The milliseconds since the play began.
    var milliseconds: Int { virtualClock?.now.offset.wholeMilliseconds ?? stopwatch.milliseconds }

    /// Whether the player waits for the time of its next line.
    var isAwaited: Bool { awaited != nil }

    /// Whether the virtual clock is about to move, once everything is quiet. Until then silence means nothing.
    var isPassing: Bool { isSettling }

    /// Whether a task sleeps on the virtual clock.
    var hasSleeper: Bool { virtualClock?.nextWake != nil }

    /// Calls `lineIsDue` at this time, and not at one that was asked for before. A virtual clock reaches it by `pass`.
    func wait(until time: Int) {
        awaited = time
        guard virtualClock == nil else { return }
        timer?.cancel()
        let bound = LoopBound(self, loop: loop)
        timer = loop.schedule(after: .milliseconds(time) - stopwatch.elapsed, by: clock) { bound.value.reach() }
    }

    /// Moves the virtual clock once everything is quiet. Called each time that something happens.
    func pass() {
        guard let virtualClock, mayPass(virtualClock) else { return }
        isDisturbed = isSettling
        guard !isSettling else { return }
        isSettling = true
        settle { [self] in
            isSettling = false
            if isDisturbed { pass() } else { moveOn(virtualClock) }
            if !isSettling { didPass() }
        }
    }

    /// Moves the virtual clock to the first sleeper's time, however late that is.
    func wakeNext() {
        _ = virtualClock?.wakeNext(upTo: .init(milliseconds: .max))
    }

    /// Calls `body` once everything that was set off has got as far as it can.
    ///
    /// A round is two turns of the loop and a trip through the pool that runs all other tasks. A busy machine slows it down as
    /// much as the work that it waits for, so no real time is involved.
    func settle(_ body: @escaping () -> Void) {
        settle(Self.settlingRounds, body)
    }

    /// Stops all calls. Must be called once, last.
    func stop() {
        awaited = nil
        timer?.cancel()
        virtualClock?.onSleep(nil)
    }

    private func settle(_ rounds: Int, _ body: @escaping () -> Void) {
        loop.atEndOfTurn { [self] in
            guard rounds > 0 else { return body() }
            loop.atEndOfTurn { [self] in
                let next = LoopBound({ [self] in settle(rounds - 1, body) }, loop: loop)
                Task.detached { [loop] in loop.execute { next.value() } }
            }
        }
    }

    private func mayPass(_ clock: VirtualClock) -> Bool {
        guard let horizon = horizon() else { return false }
        return awaited != nil || clock.nextWake.map { $0 <= horizon } ?? false
    }

    private func moveOn(_ clock: VirtualClock) {
        guard mayPass(clock), let horizon = horizon() else { return }
        if clock.wakeNext(upTo: horizon) { return pass() }
        guard let time = awaited else { return }
        clock.advance(to: .init(milliseconds: time))
        reach()
    }

    private func reach() {
        awaited = nil
        lineIsDue(milliseconds)
    }
}
