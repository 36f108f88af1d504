// What happens when nothing does.
extension TranscriptRunner {
    /// How long nothing may come now; nil: for ever.
    var patience: Duration? {
        switch phase {
        case .playing where wait != nil: nil
        case .playing where options.player.isUpdating && (!player.isOwedAnAnswer || canWake): options.quietTime
        case .playing: options.timeout
        // A client that stays is none of the transcript's business.
        case .finished: options.player.side == .client ? options.timeout : nil
        case .closing, .done: nil
        }
    }

    /// On a busy machine what came in time may still wait for its turn of the loop.
    func didHearNothing() {
        let before = silence.lastHeard
        settle { [self] in
            guard silence.lastHeard == before else { return silence.watch(patience) }
            endSilence()
        }
    }

    private func endSilence() {
        if phase == .finished { return pass() }
        guard phase == .playing else { return }
        silence.hear()
        if options.player.isUpdating, player.isOwedAnAnswer, canWake {
            _ = options.clock?.wakeNext(upTo: .init(milliseconds: .max))
            return silence.watch(patience)
        }
        take { (player) throws(TranscriptError) in
            try player.receiveNothing().map { action in
                guard case .fail(let failure) = action else { return action }
                return .fail(explained(failure))
            }
        }
    }

    /// Somebody sleeps on the clock, longer than the transcript says so far.
    private var canWake: Bool { options.clock?.nextWake != nil }

    /// Says what somebody waits for in vain.
    private func explained(_ failure: PlayerFailure) -> PlayerFailure {
        var failure = failure
        if let timeout = options.timeout { failure.reason += "; waited for \(timeout)" }
        guard let clock = options.clock, let wake = clock.nextWake?.offset.wholeMilliseconds else { return failure }
        let now = clock.now.offset.wholeMilliseconds
        failure.reason += "; the clock stands at \(now) ms, and an \"at\" of \(wake) would wake who sleeps on it"
        return failure
    }
}
