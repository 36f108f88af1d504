/// When the processes of one client ended by themselves, and whether another one may be started.
///
/// A value; times count from any fixed point.
package struct CrashHistory {
    /// How long a crash counts.
    static let window = Duration.seconds(60)

    private var times: [Duration] = []

    package init() {}

    /// - Parameter maximum: how many are remembered; more make no difference.
    package mutating func note(_ time: Duration, maximum: Int) {
        times.append(time)
        times.removeFirst(max(0, times.count - max(1, maximum)))
    }

    /// How long nothing may be started; nil where it may.
    ///
    /// - Parameter maximum: crashes in a window.
    package func wait(at time: Duration, maximum: Int) -> Duration? {
        let recent = times.filter { time - $0 < Self.window }
        guard recent.count >= max(1, maximum), let oldest = recent.first else { return nil }
        return Self.window - (time - oldest)
    }

    /// Whether it makes a difference any more.
    package func isOver(at time: Duration) -> Bool { times.allSatisfy { time - $0 >= Self.window } }
}
