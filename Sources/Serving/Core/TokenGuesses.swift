import Synchronization

/// The wrong tokens that clients carry: what the log says of them, and how long their answers wait. Pure.
///
/// Somebody who mistypes one is answered at once. Once there are many, each wrong one is answered late, so that a connection
/// has one guess a second at most, and the bounds on connections are those on guesses. A right one never waits.
struct TokenGuesses {
    /// Within `window` so many are answered at once.
    static let freeCount = 10
    static let window = Duration.seconds(10)
    private static let lateness = Duration.seconds(1)

    private var beginning: Duration?
    private var count = 0

    /// How long the answer to the newest waits.
    var delay: Duration { count > Self.freeCount ? Self.lateness : .zero }

    /// A client has carried a wrong token.
    ///
    /// - Parameter now: counts from any fixed point.
    /// - Returns: words for the log; nil where enough is said.
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
