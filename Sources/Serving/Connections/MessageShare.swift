/// A client's share of its loop: so many messages, then the other clients have theirs. Pure rules for its `Connection`.
///
/// A message that leaves work behind, as a view event does, ends the share too: the work is done before the next message is
/// taken.
package struct MessageShare {
    private enum Phase {
        case taking
        /// No message is left. The next may be taken when the loop's `readyWorkNumber` isn't this one.
        case over(UInt64)
        /// Messages are left, and `takeNext` is to come.
        case waiting
    }

    /// Enough that a change of clients costs little beside them.
    package static let messages = 32
    /// Beyond so many bytes of messages that are left no more are read.
    package static let keptBytes = 64 << 10
    /// So many bytes wait for the messages of clients that have sent less.
    package static let longBytes = 16 << 10

    private var phase = Phase.taking
    private var messagesLeft = Self.messages
    /// No message may be taken now.
    package private(set) var isYielding = false
    /// The stream is paused since so much was left.
    private var pausesStream = false
    /// The client's input has ended behind the messages that are left.
    var hasReachedEnd = false
    /// The server ends when the messages that are left are taken.
    var isLast = false

    package init() {}

    package var isWaiting: Bool { if case .waiting = phase { true } else { false } }

    /// Bytes have come: goes on where the work of the messages before them has run.
    ///
    /// - Parameters:
    ///   - readyWork: the loop's `readyWorkNumber`.
    ///   - heldBytes: of the messages that are left.
    /// - Returns: whether the stream must be paused.
    package mutating func begin(_ byteCount: Int, readyWork: UInt64, heldBytes: @autoclosure () -> Int) -> Bool {
        switch phase {
        case .over(readyWork): return false
        case .taking, .over: takeNext()
        case .waiting:
            guard !pausesStream, heldBytes() > Self.keptBytes else { return false }
            pausesStream = true
            return true
        }
        if byteCount > Self.longBytes { isYielding = true }
        return false
    }

    /// - Parameter leavesWork: handlers have yet to run.
    package mutating func didTakeMessage(leavesWork: Bool) {
        messagesLeft &-= 1
        if messagesLeft <= 0 || leavesWork { isYielding = true }
    }

    /// The message that was taken needs what isn't there yet, and the messages behind it wait. `takeNext` is to come.
    mutating func wait() {
        phase = .waiting
        isYielding = true
    }

    /// All messages that could be taken are. Called where it is yielding.
    ///
    /// - Parameter leavesMessages: others are left.
    /// - Returns: whether `takeNext` must be called after the loop's ready work.
    package mutating func end(leavesMessages: Bool, readyWork: UInt64) -> Bool {
        guard !isWaiting else { return false }
        phase = leavesMessages ? .waiting : .over(readyWork)
        return leavesMessages
    }

    /// The next share begins.
    package mutating func takeNext() {
        phase = .taking
        isYielding = false
        messagesLeft = Self.messages
    }

    /// Goes on where the share was, with messages that were left for another reason.
    package mutating func resume() {
        isYielding = false
    }

    /// No message is left. Returns whether the stream needn't be paused any more.
    package mutating func didTakeAll() -> Bool {
        defer { pausesStream = false }
        return pausesStream
    }
}
