import Synchronization

/// The bound on a server's unfinished input: the bytes of messages and requests whose end hasn't come.
///
/// When there are too many bytes, the connection that holds the most gives way; a trusted one only where no other is left. So
/// a client that holds little is never locked out, however many connections hold much. Any thread may use the budget.
package final class InputBudget: Sendable {
    private struct Holder {
        var bytes: Int
        var isTrusted: Bool
        let giveWay: @Sendable () -> Void
    }

    private struct State {
        var holders: [ObjectIdentifier: Holder] = [:]
        var bytes = 0
    }

    private let maximumBytes: Int
    private let state = Mutex(State())

    /// - Parameter maximumBytes: the most bytes that all connections may hold together.
    package init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// The bytes that are held now.
    package var bytes: Int { state.withLock { $0.bytes } }

    /// Sets the bytes that a guard's connection holds now; 0 when it holds none or is gone.
    ///
    /// - Parameter giveWay: called once, on the thread of this call or of a later one, when the connection must give way. The
    ///   connection holds nothing from then on.
    fileprivate func set(
        _ bytes: Int, of holder: InputGuard, isTrusted: Bool, giveWay: @autoclosure () -> @Sendable () -> Void
    ) {
        let id = ObjectIdentifier(holder)
        let leaving = state.withLock { state in
            let before = state.holders[id]
            state.bytes += bytes - (before?.bytes ?? 0)
            if bytes == 0 {
                state.holders[id] = nil
                return [@Sendable () -> Void]()
            }
            state.holders[id] = Holder(
                bytes: bytes, isTrusted: isTrusted, giveWay: before?.giveWay ?? giveWay())
            return removeLargest(&state)
        }
        for giveWay in leaving { giveWay() }
    }

    private func removeLargest(_ state: inout State) -> [@Sendable () -> Void] {
        var leaving: [@Sendable () -> Void] = []
        while state.bytes > maximumBytes,
            let largest = state.holders.max(by: { !Self.givesWay($0.value, before: $1.value) })
        {
            state.bytes -= largest.value.bytes
            state.holders[largest.key] = nil
            leaving.append(largest.value.giveWay)
        }
        return leaving
    }

    private static func givesWay(_ one: Holder, before other: Holder) -> Bool {
        one.isTrusted == other.isTrusted ? one.bytes > other.bytes : other.isTrusted
    }
}

/// The guard on one connection's unfinished input: how long a message may become, how long it may take, and its part of the
/// server's budget.
///
/// Confined to its loop. `onFault` is called at the end of a turn, and so never from inside a message.
package final class InputGuard {
    package enum Fault: Sendable, Equatable {
        /// The message that was begun isn't complete after the time that a message has.
        case late
        /// The server holds too much unfinished input, and this connection the most of it.
        case tooMuch
    }

    private let loop: EventLoop
    private let budget: InputBudget
    private let messageTime: Duration
    private let onFault: @Sendable (Fault) -> Void
    /// The longest message in bytes. May be raised while a message is handled.
    @exclusivity(unchecked) package var messageBytes: Int
    /// Whether the client has shown that it may be here.
    package var isTrusted = false
    /// The number of the unfinished message, and the time at which it began; nil where there is none.
    private var awaited: (message: Int, since: MonotonicTime)?
    private var timer: LoopTimer?
    private var heldBytes = 0
    private var waitingBytes = 0
    private var isOver = false

    /// - Parameters:
    ///   - messageTime: the time from the first byte of a message to its last.
    ///   - onFault: called at most once, on the loop. The owner then ends the connection.
    package init(
        loop: EventLoop, budget: InputBudget, messageBytes: Int, messageTime: Duration,
        onFault: @escaping @Sendable (Fault) -> Void
    ) {
        self.loop = loop
        self.budget = budget
        self.messageBytes = messageBytes
        self.messageTime = messageTime
        self.onFault = onFault
    }

    /// Notes the state after a read.
    ///
    /// - Parameters:
    ///   - bytes: the bytes of the input that was read and isn't used up.
    ///   - message: the number of the message whose end is awaited; nil between two messages, and while this side doesn't
    ///     read.
    package func note(heldBytes bytes: Int, awaiting message: Int?) {
        guard !isOver else { return }
        watch(message)
        guard bytes != heldBytes else { return }
        heldBytes = bytes
        count()
    }

    /// Notes how many bytes were read and wait for somebody else to take them. They count like those of an unfinished
    /// message.
    package func note(waitingBytes bytes: Int) {
        guard !isOver, bytes != waitingBytes else { return }
        waitingBytes = bytes
        count()
    }

    private func count() {
        budget.set(heldBytes + waitingBytes, of: self, isTrusted: isTrusted, giveWay: giveWay())
    }

    /// Ends the guard, as the connection is closed or takes no more input.
    package func end() {
        guard !isOver else { return }
        isOver = true
        timer?.cancel()
        if heldBytes + waitingBytes > 0 { budget.set(0, of: self, isTrusted: isTrusted, giveWay: giveWay()) }
    }

    private func giveWay() -> @Sendable () -> Void {
        let bound = LoopBound(self, loop: loop)
        return { [loop] in loop.execute { bound.value.report(.tooMuch) } }
    }

    private func watch(_ message: Int?) {
        guard let message else { return awaited = nil }
        guard awaited?.message != message else { return }
        awaited = (message, loop.now)
        // One timer for many messages, as most are complete long before it fires.
        if timer == nil { fire(after: messageTime) }
    }

    private func fire(after time: Duration) {
        let bound = LoopBound(self, loop: loop)
        timer = loop.schedule(after: time) { bound.value.checkTime() }
    }

    private func checkTime() {
        timer = nil
        guard let awaited else { return }
        let left = awaited.since.advanced(by: messageTime).nanoseconds - loop.now.nanoseconds
        if left > 0 { fire(after: .nanoseconds(left)) } else { report(.late) }
    }

    private func report(_ fault: Fault) {
        loop.atEndOfTurn { [self] in
            guard !isOver else { return }
            end()
            onFault(fault)
        }
    }
}
