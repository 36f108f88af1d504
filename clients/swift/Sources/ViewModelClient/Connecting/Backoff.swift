/// How long a client waits before it tries again: twice as long each time, up to a limit.
package struct Backoff: Sendable, Equatable {
    package var first: Duration
    package var longest: Duration

    package init(first: Duration = .milliseconds(100), longest: Duration = .seconds(5)) {
        self.first = first
        self.longest = longest
    }

    /// - Parameter attempt: counts from 0.
    package func delay(_ attempt: Int) -> Duration {
        var delay = first
        for _ in 0..<attempt {
            guard delay < longest else { break }
            delay *= 2
        }
        return min(delay, longest)
    }
}
