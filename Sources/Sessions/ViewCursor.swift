/// How far one view has come in a session's log. A view is nothing more to its session than this.
struct ViewCursor {
    /// The number of the last event that was handed to the view.
    private(set) var number: Int
    /// All bytes up to and including that event.
    private var end: Int
    /// The view knows of events it hasn't taken; it isn't told again before it has.
    var isTold = false

    /// - Parameter number: the last event that the view has seen; those after it must be kept.
    init(after number: Int, in log: SessionLog) {
        self.number = number
        end = log[number + 1].map { $0.end - $0.payload.count } ?? log.bytes
    }

    /// Bytes of events that wait for the view.
    func waitingBytes(in log: SessionLog) -> Int {
        log.bytes - end
    }

    /// The next event up to `last`; nil when the view has them all.
    mutating func next(upTo last: Int, in log: SessionLog) -> SessionLog.Entry? {
        guard number < last, let entry = log[number + 1] else { return nil }
        number = entry.number
        end = entry.end
        return entry
    }
}
