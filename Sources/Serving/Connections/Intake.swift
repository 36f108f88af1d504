import JSONRPC
import Sessions
import Transport
import ViewModelProtocol

/// The limits on one client's input: the time until `initialize` has succeeded, the time for each message that has begun, and
/// the bytes of an unfinished message.
///
/// Nearly all messages come in one read, so an `InputGuard` is made only where one doesn't.
struct Intake {
    private var initializeTimer: LoopTimer?
    private var inputGuard: InputGuard?
    /// Whether the client may be slow, as it started the server and harms nobody else.
    private var isPatient = false
    private var isTrusted = false

    /// Begins to watch a new connection. Called on its loop, before its stream is started.
    mutating func begin(_ connection: Connection, isPatient: Bool) {
        self.isPatient = isPatient
        if connection.stream.carriesMessages { connection.stream.inputGuard = theGuard(of: connection) }
        guard !isPatient else { return }
        let time = connection.core.limits.initializeTime
        let loop = connection.stream.loop
        initializeTimer = loop.schedule(after: time) { [refusal = connection.refusal] in
            loop.atEndOfTurn { refusal(.late("initializeTime", "initialize didn't succeed", within: time)) }
        }
    }

    /// Raises the limits, as `initialize` has succeeded.
    mutating func trust(_ limits: Limits) {
        isTrusted = true
        initializeTimer?.cancel()
        initializeTimer = nil
        inputGuard?.isTrusted = true
        inputGuard?.messageBytes = limits.messageBytes
    }

    /// Notes the unfinished message that a read has left.
    ///
    /// - Returns: whether there is one.
    mutating func note(_ connection: Connection) -> Bool {
        let peer = connection.peer
        let isUnfinished = !peer.isBetweenMessages
        let awaited = isUnfinished && !peer.isPaused ? peer.messageCount : nil
        theGuard(of: connection).note(heldBytes: peer.heldBytes, awaiting: awaited)
        return isUnfinished
    }

    /// Notes how many of the bytes that were read wait for another server, which doesn't read them.
    mutating func noteWaiting(_ bytes: Int, _ connection: Connection) {
        if bytes > 0 || inputGuard != nil { theGuard(of: connection).note(waitingBytes: bytes) }
    }

    /// Stops watching, as the connection takes no more input.
    mutating func end() {
        initializeTimer?.cancel()
        inputGuard?.end()
    }

    private mutating func theGuard(of connection: Connection) -> InputGuard {
        if let inputGuard { return inputGuard }
        let limits = connection.core.limits
        let time = isPatient ? Duration.seconds(Int32.max) : limits.messageTime
        let made = InputGuard(
            loop: connection.stream.loop, budget: connection.core.inputBudget,
            messageBytes: isTrusted ? limits.messageBytes : min(limits.initialBytes, limits.messageBytes),
            messageTime: time
        ) { [refusal = connection.refusal] in refusal(.fault($0, limits)) }
        made.isTrusted = isTrusted
        inputGuard = made
        return made
    }
}

extension RPCError {
    fileprivate static func fault(_ fault: InputGuard.Fault, _ limits: Limits) -> RPCError {
        switch fault {
        case .late: late("messageTime", "the message that was begun isn't whole", within: limits.messageTime)
        case .tooMuch:
            limitExceeded(
                "unfinishedBytes",
                "all clients together have sent more than \(limits.unfinishedBytes) bytes of messages that aren't whole"
            )
        }
    }

    fileprivate static func late(_ limit: String, _ what: String, within time: Duration) -> RPCError {
        limitExceeded(limit, "\(what) within \(time)")
    }
}
