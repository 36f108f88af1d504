/// A client's share of its loop: a number of messages, after which it is the other clients' turn. Pure rules for the client's
/// `Connection`.
///
/// A message that leaves work behind, as a view event does, ends the share too: the work is done before the next message is
/// taken.
package struct MessageShare {
    private enum Phase {
        case taking
        /// The share is over, and no message is left. The next share may begin when the loop's `readyWorkNumber` isn't this
        /// one.
        case over(UInt64)
        /// The share is over, and messages are left; `takeNext` follows.
        case waiting
    }

    /// The messages in a share: enough that a change of clients costs little beside them.
    package static let messages = 32
    /// The bytes of messages left over beyond which nothing more is read.
    package static let keptBytes = 64 << 10
    /// The length of a read in bytes beyond which a client yields to clients that have sent less.
    package static let longBytes = 16 << 10

    private var phase = Phase.taking
    private var messagesLeft = Self.messages
    /// Whether no message may be taken now.
    package private(set) var isYielding = false
    /// Whether the stream is paused, as so many bytes were left over.
    private var pausesStream = false
    /// Whether the client's input has ended after the messages that are left.
    var hasReachedEnd = false
    /// Whether the server ends when the messages that are left are taken.
    var isLast = false

    package init() {}

    package var isWaiting: Bool { if case .waiting = phase { true } else { false } }

    /// Goes on as bytes have come: begins a new share where the work of the last share's messages has run.
    ///
    /// - Parameters:
    ///   - readyWork: the loop's `readyWorkNumber`.
    ///   - heldBytes: the bytes of the messages that are left.
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

    /// Counts a message.
    ///
    /// - Parameter leavesWork: whether handlers have still to run.
    package mutating func didTakeMessage(leavesWork: Bool) {
        messagesLeft &-= 1
        if messagesLeft <= 0 || leavesWork { isYielding = true }
    }

    /// Interrupts the share, as the message that was taken waits for something. The messages behind it wait until `takeNext`.
    mutating func wait() {
        phase = .waiting
        isYielding = true
    }

    /// Ends the share, as all messages that could be taken are. Called where `isYielding` is true.
    ///
    /// - Parameter leavesMessages: whether others are left.
    /// - Returns: whether `takeNext` must be called after the loop's ready work.
    package mutating func end(leavesMessages: Bool, readyWork: UInt64) -> Bool {
        guard !isWaiting else { return false }
        phase = leavesMessages ? .waiting : .over(readyWork)
        return leavesMessages
    }

    /// Begins the next share.
    package mutating func takeNext() {
        phase = .taking
        isYielding = false
        messagesLeft = Self.messages
    }

    /// Goes on with the share, with messages that were left for a reason other than its end.
    package mutating func resume() {
        isYielding = false
    }

    /// Notes that no message is left. Returns whether the stream was paused for them and can go on.
    package mutating func didTakeAll() -> Bool {
        defer { pausesStream = false }
        return pausesStream
    }
}
