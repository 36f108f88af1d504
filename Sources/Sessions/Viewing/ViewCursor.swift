/// How far one view has come in a session's log.
struct ViewCursor {
    /// How many entries may wait for a view that keeps up: more than most handlers send in one turn, and few to send to
    /// a slow view.
    static let keepsUpCount = 64
    /// How many bytes may wait for a view that keeps up: as many as a connection hands to its stream before it waits for the
    /// client.
    static let keepsUpBytes = 256 << 10

    /// The number of the last entry that was handed to the view.
    private(set) var number: Int
    private(set) var waitingCount = 0
    /// The bytes of the entries that wait for the view.
    private(set) var waitingBytes = 0
    /// Whether more waited than a view that keeps up may have, and the view hasn't caught up since. It isn't given events that
    /// newer ones have superseded.
    private(set) var isBehind = false
    /// The newest number that the view was never given, or may not have been.
    private var skipped: Int
    /// Whether the viewer was woken for entries that it hasn't taken. It isn't woken again before it has.
    private var isAwake = false

    /// - Parameters:
    ///   - number: the number of the last entry that the view has seen. The log must be able to replay from there.
    ///   - isComplete: whether nothing up to `number` was left out.
    init(after number: Int, isComplete: Bool, in log: SessionLog) {
        self.number = number
        skipped = isComplete ? -1 : number
        var last = number
        while let entry = log.next(after: last) {
            add(entry.content.bytes)
            last = entry.number
        }
    }

    /// Whether something waits for the view.
    var isWaiting: Bool { waitingCount > 0 }

    func isBeyond(_ bytes: Int) -> Bool { waitingBytes > bytes }

    /// Counts an entry that was appended. Returns true when it is the only one that waits.
    @discardableResult
    mutating func add(_ bytes: Int) -> Bool {
        waitingCount += 1
        waitingBytes += bytes
        if waitingCount > Self.keepsUpCount || waitingBytes > Self.keepsUpBytes { isBehind = true }
        return waitingCount == 1
    }

    /// Returns true when the viewer must be woken, and counts that as done.
    mutating func wake() -> Bool {
        defer { isAwake = true }
        return !isAwake
    }

    /// Counts an entry that was dropped from the log. Returns true when it was the last that waited.
    mutating func didDrop(_ entry: SessionLog.Entry) -> Bool {
        guard entry.number > number else { return false }
        remove(entry)
        return waitingCount == 0
    }

    /// Takes the next entries up to `last`, at most about `maximumBytes` of them but at least one where there is any.
    ///
    /// - Parameter newest: the newest number that may be told.
    mutating func take(upTo last: Int, maximumBytes: Int, from log: SessionLog, newest: Int) -> ViewDelivery {
        var delivery = ViewDelivery()
        var bytes = 0
        while delivery.isEmpty || bytes < maximumBytes {
            let before = number
            guard let entry = next(upTo: last, in: log) else { break }
            bytes += entry.content.bytes
            let after = before == entry.number - 1 ? nil : before
            if after != nil { skipped = entry.number - 1 }
            delivery.append(
                ViewDelivery.Event(
                    number: entry.number,
                    content: content(of: entry, in: log),
                    after: after,
                    isFollowedAtOnce: log.isFollowedAtOnce(entry)))
        }
        delivery.hasMore = number < newest
        isAwake = delivery.hasMore
        return consume delivery
    }

    /// Returns an entry's content for this view. The change of a list is left out where the view may not have seen the list's
    /// previous event.
    private func content(of entry: SessionLog.Entry, in log: SessionLog) -> SessionLog.Content {
        guard let previous = log.previousOfList(entry.number), previous <= skipped,
            case .event(let payload) = entry.content
        else { return entry.content }
        return .event(SessionLog.withoutChanges(payload))
    }

    /// Takes the next entry up to `last`; nil when the view has them all.
    mutating func next(upTo last: Int, in log: SessionLog) -> SessionLog.Entry? {
        guard number < log.newest, let entry = log.next(after: number), entry.number <= last else { return nil }
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
