import Transport

extension TranscriptRunner {
    /// So many turns of the loop let what was written arrive at the other end, and what that sets going get as far as it can.
    private static let settlingTurns = 8

    /// Moves the clock on, once all is quiet: to whoever sleeps until before the next line, then to that line.
    func letTimePass() {
        guard let clock = options.clock, !isTimePassing, mayPass(clock) else { return }
        isTimePassing = true
        settle { [self] in
            isTimePassing = false
            guard mayPass(clock) else { return }
            if clock.wakeNext(upTo: horizon) { return letTimePass() }
            guard let time = wait else { return }
            wait = nil
            clock.advance(to: .init(milliseconds: time))
            take { (player) throws(TranscriptError) in try player.advance(to: time) }
        }
    }

    private func mayPass(_ clock: TranscriptClock) -> Bool {
        guard phase == .playing || phase == .finished else { return false }
        return wait != nil || clock.nextWake.map { $0 <= horizon } ?? false
    }

    /// Nothing that comes later may happen yet. When all is played, whatever keeps the other side from its end may.
    private var horizon: TranscriptClock.Instant {
        player.frontier.map { .init(milliseconds: $0) } ?? .init(milliseconds: .max)
    }

    /// Calls `body` once all that can happen now has.
    func settle(_ body: @escaping () -> Void) {
        settle(Self.settlingTurns, body)
    }

    private func settle(_ turns: Int, _ body: @escaping () -> Void) {
        loop.atEndOfTurn { [self] in
            if turns == 0 { body() } else { settle(turns - 1, body) }
        }
    }
}
