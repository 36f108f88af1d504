/// When a test gives up: long after anything that works is done, also on a machine with other work to do.
struct Deadline {
    private let end: ContinuousClock.Instant

    init(_ patience: Duration = .seconds(60)) {
        end = .now + patience
    }

    /// What is left, for `poll`; 0 when it's over.
    var milliseconds: Int32 {
        let left = max(.zero, end - .now).components
        return Int32(left.seconds * 1_000 + left.attoseconds / 1_000_000_000_000_000)
    }

    var isOver: Bool { milliseconds == 0 }
}
