/// When the processes of one client ended by themselves, and whether another one may be started.
///
/// A value; times count from any fixed point.
struct CrashHistory {
    /// How long a crash counts.
    static let window = Duration.seconds(60)

    private var times: [Duration] = []

    /// - Parameter maximum: how many are remembered; more make no difference.
    mutating func note(_ time: Duration, maximum: Int) {
        times.append(time)
        times.removeFirst(max(0, times.count - max(1, maximum)))
    }

    /// How long nothing may be started; nil where it may.
    ///
    /// - Parameter maximum: crashes in a window.
    func wait(at time: Duration, maximum: Int) -> Duration? {
        let recent = times.filter { time - $0 < Self.window }
        guard recent.count >= max(1, maximum), let oldest = recent.first else { return nil }
        return Self.window - (time - oldest)
    }

    /// Whether it makes a difference any more.
    func isOver(at time: Duration) -> Bool { times.allSatisfy { time - $0 >= Self.window } }
}
