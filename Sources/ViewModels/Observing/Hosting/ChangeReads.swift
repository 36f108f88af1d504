/// How often a view model has notified, and how much of that has been sent. Rules only; `ChangeEvents` guards it.
///
/// One read at a time: of two, the earlier might be done later.
struct ChangeReads {
    enum Step {
        /// All that was asked for has been sent.
        case done
        /// Read the state, and pass this to `finish(_:)`.
        case read(Int)
        /// Somebody reads; ask again when that is done.
        case wait
    }

    /// Counts the changes.
    private(set) var noted = 0
    private var sent = 0
    private var isReading = false
    private var isScheduled = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Notes a change.
    ///
    /// - Returns: whether the caller must schedule a read.
    mutating func note() -> Bool {
        noted += 1
        defer { isScheduled = true }
        return !isScheduled
    }

    /// Notes a change that the caller itself sends.
    mutating func noteFirst() -> Int {
        noted += 1
        return noted
    }

    /// What was scheduled begins: a change from now on needs another.
    mutating func beginScheduled() {
        isScheduled = false
    }

    /// What to do so that all changes up to `change` are sent.
    mutating func next(upTo change: Int) -> Step {
        if sent >= change { return .done }
        if isReading { return .wait }
        isReading = true
        return .read(noted)
    }

    /// - Returns: who waits; the caller resumes them.
    mutating func finish(_ change: Int) -> [CheckedContinuation<Void, Never>] {
        sent = change
        isReading = false
        defer { waiting = [] }
        return waiting
    }

    /// - Returns: false when nobody reads any more, and the caller needn't wait.
    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
        if isReading { waiting.append(continuation) }
        return isReading
    }
}
