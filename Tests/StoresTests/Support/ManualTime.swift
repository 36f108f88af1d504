import Synchronization

/// A clock that a test has pass.
final class ManualTime: Sendable {
    private let time = Mutex(Duration.zero)

    var now: @Sendable () -> Duration { { self.time.withLock { $0 } } }

    func pass(_ duration: Duration) {
        time.withLock { $0 += duration }
    }
}
