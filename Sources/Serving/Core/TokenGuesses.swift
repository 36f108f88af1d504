import Synchronization
import ViewModels

/// The rule for wrong tokens that clients send: what the log says of them, and how long their answers wait. A value without
/// side effects.
///
/// A few mistyped tokens are answered at once. Beyond `freeCount` in a `window`, each wrong token is answered late, so that a
/// connection has at most one guess a second, and the limits on connections bound the guesses. A right token never waits.
struct TokenGuesses {
    /// The number of wrong tokens within `window` that are answered at once.
    static let freeCount = 10
    static let window = Duration.seconds(10)
    private static let lateness = Duration.seconds(1)

    private var beginning: Duration?
    private var count = 0

    /// How long the answer to the newest wrong token waits.
    var delay: Duration { count > Self.freeCount ? Self.lateness : .zero }

    /// Counts a wrong token.
    ///
    /// - Parameter now: the time since any fixed point.
    /// - Returns: words for the log; nil where the log has enough of them.
    mutating func note(at now: Duration) -> String? {
        var before = 0
        if beginning.map({ now - $0 >= Self.window }) ?? true {
            before = count
            (beginning, count) = (now, 0)
        }
        count += 1
        if count == 1, before > Self.freeCount { return "a wrong token, after \(before) within ten seconds" }
        if count <= Self.freeCount { return "a wrong token" }
        guard count == Self.freeCount + 1 else { return nil }
        return "a wrong token; further ones within ten seconds are counted, and each is answered a second late"
    }
}

extension ServerCore {
    /// Takes note of a client's wrong token.
    ///
    /// - Returns: how long the client is to wait for its answer.
    func noteWrongToken(of client: String) -> Duration {
        let (words, delay) = guesses.withLock { ($0.note(at: elapsed()), $0.delay) }
        var lines = LineCount()
        if let words { log.log(.warning, of: client, &lines, words) }
        return delay
    }
}
