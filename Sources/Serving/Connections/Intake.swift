import JSONRPC
import Sessions
import Transport
import ViewModelProtocol

/// The owner of an `Intake`: one client, on its stream's loop.
protocol IntakeOwner: AnyObject {
    var core: ServerCore { get }
    var stream: any ByteStream { get }
    var unfinishedInput: UnfinishedInput { get }
    /// Ends the connection with an error that answers no request. Called from any thread, at the end of a share.
    var refusal: @Sendable (RPCError) -> Void { get }
}

/// The part of a client's input that was read and isn't used up.
struct UnfinishedInput {
    let heldBytes: Int
    /// Whether the next byte begins a message.
    let isBetweenMessages: Bool
    /// Whether more is read of the client.
    let isRead: Bool
    /// Messages that were whole.
    let messageCount: Int
}

/// The patience with one client: the time until `initialize` has succeeded, the time for each message that has begun,
/// and the bytes of a message that isn't whole.
///
/// Nearly all messages come in one read, so a guard is made only where one doesn't.
struct Intake {
    private var initializeTimer: LoopTimer?
    private var inputGuard: InputGuard?
    /// A client that spawned the server harms nobody else by being slow.
    private var isPatient = false
    private var isTrusted = false
    /// Whether the last read left something.
    private(set) var isNoting = false

    /// The connection is made, on its loop. Its stream hasn't been started.
    mutating func begin(_ connection: some IntakeOwner, isPatient: Bool) {
        self.isPatient = isPatient
        if connection.stream.carriesMessages { connection.stream.inputGuard = theGuard(of: connection) }
        guard !isPatient else { return }
        let time = connection.core.limits.initializeTime
        let loop = connection.stream.loop
        initializeTimer = loop.schedule(after: time) { [refusal = connection.refusal] in
            loop.atEndOfTurn { refusal(.late("initializeTime", "initialize didn't succeed", within: time)) }
        }
    }

    /// `initialize` has succeeded.
    mutating func trust(_ limits: Limits) {
        isTrusted = true
        initializeTimer?.cancel()
        initializeTimer = nil
        inputGuard?.isTrusted = true
        inputGuard?.messageBytes = limits.messageBytes
    }

    /// Notes what a read left over.
    mutating func note(_ connection: some IntakeOwner) {
        let input = connection.unfinishedInput
        isNoting = !input.isBetweenMessages
        let awaited = isNoting && input.isRead ? input.messageCount : nil
        theGuard(of: connection).note(heldBytes: input.heldBytes, awaiting: awaited)
    }

    /// Notes how much of what was read waits for another process, which doesn't read.
    mutating func noteWaiting(_ bytes: Int, _ connection: some IntakeOwner) {
        if bytes > 0 || inputGuard != nil { theGuard(of: connection).note(waitingBytes: bytes) }
    }

    /// The connection takes no more input.
    mutating func end() {
        initializeTimer?.cancel()
        inputGuard?.end()
    }

    private mutating func theGuard(of connection: some IntakeOwner) -> InputGuard {
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
                "all clients together have sent more than \(limits.unfinishedBytes) bytes of messages that aren't whole",
                retryAfterMilliseconds: 1_000)
        }
    }

    fileprivate static func late(_ limit: String, _ what: String, within time: Duration) -> RPCError {
        limitExceeded(limit, "\(what) within \(time)")
    }
}
