package import JSONRPC
import ViewModelProtocol

/// The rules of one connection's course: which messages are taken now, and what follows each input.
///
/// A value without I/O, tested in every state with every input. `Connection` hands over each input as it happens, and carries
/// out the returned actions in order. An action may lead to the next input, which is handed over while the action runs.
package struct ConnectionLife: Equatable {
    /// The client's messages so far, which decide what the client may send next.
    package enum Stage: CaseIterable {
        /// Only `initialize` is answered.
        case connected
        case initialized
        /// `shutdown` was answered. Only `exit` may follow.
        case shutDown
    }

    /// How far the connection is on the way to its end.
    package enum Phase: CaseIterable {
        /// Messages are read and answered.
        case open
        /// The server is about to end. Nothing more is read; requests that were read are answered.
        case draining
        /// The client's input has ended. Requests that were read are answered, within the grace period.
        case answering
        /// A message was refused for good. Its answer is written, and nothing behind it is looked at.
        case refusing
        /// Nothing is answered any more. The output that waits is written, within the grace period.
        case flushing
        /// Everything is written, and the stream has been told to finish.
        case finishing
        case closed
    }

    /// An event in the course of a connection.
    package enum Input: CaseIterable {
        /// `initialize` succeeded.
        case initialize
        /// `shutdown` came.
        case shutdown
        /// `exit` came.
        case exit
        /// The client sends nothing more.
        case endOfInput
        /// The token was wrong, or the end of a message can't be found.
        case refusal
        /// The turn of the loop in which the refusal came has ended.
        case endOfTurn
        /// A session of the client goes on at another server.
        case loss
        /// The server is about to end.
        case drain
        /// The server has told its sessions' views that it ends.
        case conclude
        /// Every request that was read is answered, and every handler has returned.
        case quiet
        /// The client took longer than the grace period.
        case graceEnded
        /// No output waits any more.
        case written
        /// The system failed, and output may be lost. `close` follows.
        case failure
        /// The stream has closed.
        case close
    }

    /// A step that the connection takes.
    package enum Action: Equatable {
        /// Takes no more messages, not even those that were read already.
        case stopTakingMessages
        case stopReading
        /// Waits for the end of the loop's turn; the input `endOfTurn` follows.
        case awaitEndOfTurn
        /// Starts the grace period, unless its timer runs already; the input `graceEnded` follows.
        case startGraceTimer
        case stopGraceTimer
        /// Waits until the stream has written what the client takes without delay; the input `graceEnded` follows.
        case awaitWriting
        /// Checks whether nothing is owed to the client; the input `quiet` follows, now or as soon as that is so.
        case checkQuiet
        /// Cancels the requests that are not answered, and answers them with an error.
        case abandonRequests
        /// Writes the output; the input `written` follows, now or when the client has read enough.
        case flush
        case detachViews
        /// Closes the stream after the bytes that it has still to send.
        case finishStream
        case closeStream
        /// Tells the server that it needn't wait for this connection to drain.
        case reportQuiet
        /// Tells the connection's owner that it is closed, with the exit status of a process that served it alone.
        case reportClosed(status: Int32)
    }

    package private(set) var stage = Stage.connected
    package private(set) var phase = Phase.open
    private var hasFailed = false

    package init() {}

    /// Whether messages and other input of the client still have an effect.
    package var takesMessages: Bool {
        switch phase {
        case .open, .draining, .answering: true
        case .refusing, .flushing, .finishing, .closed: false
        }
    }

    /// Whether the client may be sent notifications that it hasn't asked for.
    package var isInitialized: Bool { stage == .initialized && takesMessages }

    /// The exit status of a process that serves this connection alone: 0 after `shutdown`, as in the Language Server
    /// Protocol; 74 (EX_IOERR of sysexits.h) where output may be lost; otherwise 1.
    var exitStatus: Int32 { hasFailed ? 74 : stage == .shutDown ? 0 : 1 }

    /// Takes an input, and returns the actions that follow, in order.
    package mutating func take(_ input: Input) -> [Action] {
        switch input {
        case .initialize:
            if takesMessages, stage == .connected { stage = .initialized }
            return []
        case .shutdown:
            if takesMessages { stage = .shutDown }
            return []
        case .exit, .conclude:
            return conclude()
        case .endOfInput:
            return endOfInput()
        case .refusal:
            guard takesMessages else { return [] }
            phase = .refusing
            return [.stopTakingMessages, .awaitEndOfTurn]
        case .endOfTurn:
            return phase == .refusing ? conclude() : []
        case .loss:
            return takesMessages ? [.stopTakingMessages] + conclude() : []
        case .drain:
            return drain()
        case .quiet:
            return quiet()
        case .graceEnded:
            return graceEnded()
        case .written:
            guard phase == .flushing else { return [] }
            phase = .finishing
            return [.detachViews, .finishStream]
        case .failure:
            hasFailed = true
            return []
        case .close:
            guard phase != .closed else { return [] }
            phase = .closed
            return [.stopGraceTimer, .detachViews, .reportQuiet, .reportClosed(status: exitStatus)]
        }
    }

    private mutating func endOfInput() -> [Action] {
        guard phase == .open || phase == .draining else { return [] }
        phase = .answering
        return [.startGraceTimer, .checkQuiet]
    }

    private mutating func drain() -> [Action] {
        switch phase {
        case .open:
            phase = .draining
            return [.stopReading, .checkQuiet]
        case .draining, .answering, .refusing, .flushing, .finishing: return [.checkQuiet]
        case .closed: return [.reportQuiet]
        }
    }

    private mutating func quiet() -> [Action] {
        switch phase {
        case .open: []
        case .answering: [.reportQuiet] + conclude()
        case .draining, .refusing, .flushing, .finishing, .closed: [.reportQuiet]
        }
    }

    private mutating func graceEnded() -> [Action] {
        switch phase {
        case .answering: abandon()
        case .flushing, .finishing: [.closeStream]
        case .open, .draining, .refusing, .closed: []
        }
    }

    /// Ends the wait for answers. The grace period covers the answers and their way to the client, so only what the client
    /// takes at once is still written.
    private mutating func abandon() -> [Action] {
        phase = .flushing
        return [.abandonRequests, .stopReading, .flush, .awaitWriting]
    }

    private mutating func conclude() -> [Action] {
        switch phase {
        case .open, .draining, .answering, .refusing:
            phase = .flushing
            return [.stopReading, .startGraceTimer, .flush]
        case .flushing: return [.flush]
        case .finishing, .closed: return []
        }
    }
}

/// The messages that are taken in each stage.
extension ConnectionLife {
    /// The verdict on a message.
    package enum Verdict {
        case allowed
        case refused(RPCError)
        /// The message is a notification, which has no answer, so the reason goes to the log.
        case dropped(reason: String)
    }

    package func judgeRequest(_ method: Method) -> Verdict {
        guard takesMessages else { return .refused(Self.shutDown) }
        switch (stage, method.allowance) {
        case (.connected, .first): return .allowed
        case (.connected, _): return .refused(Self.notInitialized)
        case (.initialized, _) where method.kind == .notification:
            return .refused(RPCError(.invalidRequest, "\(method.name) is a notification; send it without an id"))
        case (.initialized, .initialized): return .allowed
        case (.initialized, _):
            return .refused(RPCError(.invalidRequest, "this connection is initialized already"))
        case (.shutDown, _): return .refused(Self.shutDown)
        }
    }

    package func judgeNotification(_ method: Method) -> Verdict {
        if method.allowance == .always { return .allowed }
        guard isInitialized else { return .dropped(reason: "\(method.name) came when only requests or exit may") }
        guard method.kind != .request else {
            return .dropped(reason: "\(method.name) was sent without an id, so it did nothing; send it as a request")
        }
        return .allowed
    }

    /// Returns the answer to a request for a method that doesn't exist.
    package func refusalOfUnknown(_ name: String) -> RPCError {
        guard takesMessages else { return Self.shutDown }
        return switch stage {
        case .connected: Self.notInitialized
        case .initialized: RPCError(.methodNotFound, "there is no method \"\(name)\"")
        case .shutDown: Self.shutDown
        }
    }

    private static let notInitialized = RPCError(
        .serverNotInitialized, "send initialize first, and wait for its answer")
    private static let shutDown = RPCError(.invalidRequest, "this connection was shut down; only exit may follow")
}
