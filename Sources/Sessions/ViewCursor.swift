/// How far one view has come in a session's log. A view is nothing more to its session than this.
struct ViewCursor {
    /// Entries that may wait for a view that keeps up: more than most handlers send in one turn, and few to send to one
    /// that is slow.
    static let keepsUpCount = 64
    /// The same in bytes: as much as a connection hands to its stream before it waits for the client.
    static let keepsUpBytes = 256 << 10

    /// The number of the last entry that was handed to the view.
    private(set) var number: Int
    private(set) var waitingCount = 0
    /// Bytes of what waits for the view.
    private(set) var waitingBytes = 0
    /// More has waited than for a view that keeps up, and the view hasn't caught up since: it isn't given what newer events
    /// have superseded.
    private(set) var isBehind = false
    /// The view knows of entries it hasn't taken; it isn't told again before it has.
    var isTold = false

    /// - Parameter number: the last entry that the view has seen; the log can replay from there.
    init(after number: Int, in log: SessionLog) {
        self.number = number
        var last = number
        while let entry = log.next(after: last) {
            add(entry.content.bytes)
            last = entry.number
        }
    }

    /// An entry was appended.
    mutating func add(_ bytes: Int) {
        waitingCount += 1
        waitingBytes += bytes
        if waitingCount > Self.keepsUpCount || waitingBytes > Self.keepsUpBytes { isBehind = true }
    }

    /// An entry has gone from the log.
    mutating func didDrop(_ entry: SessionLog.Entry) {
        if entry.number > number { remove(entry) }
    }

    /// The next entry up to `last`; nil when the view has them all.
    mutating func next(upTo last: Int, in log: SessionLog) -> SessionLog.Entry? {
        guard let entry = log.next(after: number), entry.number <= last else { return nil }
        number = entry.number
        remove(entry)
        if waitingCount == 0 { isBehind = false }
        return entry
    }

    private mutating func remove(_ entry: SessionLog.Entry) {
        waitingCount -= 1
        waitingBytes -= entry.content.bytes
    }
}
