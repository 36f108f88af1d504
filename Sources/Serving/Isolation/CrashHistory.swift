/// The times when the processes of one client ended by themselves, and the rule whether another one may be started.
///
/// A value. Times count from any fixed point.
package struct CrashHistory {
    /// How long a crash counts against the client.
    static let window = Duration.seconds(60)

    private var times: [Duration] = []

    package init() {}

    /// Adds a crash.
    ///
    /// - Parameter maximum: how many are remembered; more make no difference.
    package mutating func note(_ time: Duration, maximum: Int) {
        times.append(time)
        times.removeFirst(max(0, times.count - max(1, maximum)))
    }

    /// Returns how long no process may be started; nil where one may be started now.
    ///
    /// - Parameter maximum: the crashes within a window from which on none is started.
    package func wait(at time: Duration, maximum: Int) -> Duration? {
        let recent = times.filter { time - $0 < Self.window }
        guard recent.count >= max(1, maximum), let oldest = recent.first else { return nil }
        return Self.window - (time - oldest)
    }

    /// Returns whether all crashes are too old to count.
    package func isOver(at time: Duration) -> Bool { times.allSatisfy { time - $0 >= Self.window } }
}
