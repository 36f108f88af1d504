import Transport

/// The life of a client as rules: which connection state follows which input, and what is to be done about it.
///
/// A value without a socket, a task or a clock. Each input is one function; it changes the state and returns the
/// actions for the owner, in the order in which they must be performed. An input that means nothing in the present
/// state returns none: answers and timers may come late.
package struct ClientLife {
    /// Where the client stands between its start and its end.
    package enum State: Equatable {
        /// Not started.
        case idle
        /// A stream is being opened.
        case opening
        /// `initialize` is sent and not answered.
        case greeting
        case connected
        /// The connection is lost and the next attempt is due after the backoff.
        case waiting
        /// Closed from this side: `shutdown` is sent, the stream is still there.
        case leaving
        /// The connection is gone for good, the program that was started is not. Nil: closed from this side.
        case ending(RemoteError?)
        /// Nothing is left. Nil: closed from this side.
        case closed(RemoteError?)
    }

    /// What the client's owner is to do.
    package enum Action: Equatable {
        /// Report this state to the client's owner.
        case report(RemoteState)
        /// Open a stream to the server; answered by `didOpen` or `didLose`.
        case open
        /// Send `initialize`; answered by `didInitialize`, `didLose` or `didFail`.
        case initialize
        /// Go on with a new connection: attach the views again, and send the requests that wait.
        case resume
        /// Close the connection. Unanswered requests wait for the next one, or fail for this reason.
        case disconnect(reason: String)
        /// Send `shutdown`; answered by `didShutDown`.
        case shutDown
        /// Send `exit` and close the stream after it.
        case exit
        /// Call `didTimeOut` after this time, instead of after any time given before.
        case startTimer(Duration)
        case stopTimer
        /// End every view and fail every request.
        case fail(RemoteError)
        /// Everything is over: tell those who wait for the end.
        case finish
    }

    /// The reason of a connection that ended without any other.
    package static let endOfConnection = "the server ended the connection"
    /// The reason of a connection whose other end says nothing.
    package static let silence = "the server doesn't answer"
    /// The longest time that a server may take to answer `shutdown`.
    static let longestLeave = Duration.seconds(5)

    package private(set) var state = State.idle

    /// The server, for people.
    private let name: String
    /// Whether the server outlives a connection.
    private let isLasting: Bool
    private let backoff: Backoff
    private let patience: Duration
    /// Attempts since the last connection.
    private var attempts = 0
    /// Whether the server has been reached once.
    private var wasReached = false
    /// Whether a program was started that hasn't ended.
    private var isProgramRunning = false
    /// The program that was started doesn't answer. It is waited for, since with it its sessions would go.
    package private(set) var isSilent = false
    /// Why the server's store can't be used, for people; nil as long as nothing waits for it.
    package private(set) var storeTrouble: String?
    /// How the program that was started has ended, in words.
    private var programEnd: String?

    package init(_ target: ClientTarget, backoff: Backoff, patience: Duration) {
        name = target.description
        isLasting = target.isLasting
        self.backoff = backoff
        self.patience = patience
    }

    package var isConnected: Bool { state == .connected }

    /// The error for a request that is made now; nil while a request may still be answered.
    package var end: RemoteError? {
        switch state {
        case .leaving: .closed
        case .ending(let error), .closed(let error): error ?? .closed
        default: nil
        }
    }
}

// The inputs.
extension ClientLife {
    /// The client is to connect.
    package mutating func start() -> [Action] {
        switch state {
        case .idle: return connect()
        // Closed before it was started.
        case .closed(let error): return [.fail(error ?? .closed)]
        default: return []
        }
    }

    /// There is a stream to the server, of a program that was started or of a server that runs on its own.
    package mutating func didOpen() -> [Action] {
        guard state == .opening else { return [] }
        state = .greeting
        isProgramRunning = !isLasting
        return [.initialize]
    }

    /// The server has answered `initialize` as it should.
    package mutating func didInitialize() -> [Action] {
        guard state == .greeting else { return [] }
        state = .connected
        attempts = 0
        wasReached = true
        storeTrouble = nil
        return [.stopTimer, .report(.connected), .resume]
    }

    /// The connection, or the attempt to make one, is over.
    ///
    /// - Parameter reason: for people.
    package mutating func didLose(_ reason: String) -> [Action] {
        switch state {
        case .opening, .greeting, .connected: break
        case .leaving: return disconnect(reason, for: nil)
        case .idle, .waiting, .ending, .closed: return []
        }
        guard wasReached else { return disconnect(reason, for: .unreachable(reason)) }
        guard isLasting else { return disconnect(reason, for: .connectionLost(reason)) }
        state = .waiting
        let delay = backoff.delay(attempts)
        attempts += 1
        return [.disconnect(reason: reason), .report(.waiting(reason: reason, delay: delay)), .startTimer(delay)]
    }

    /// The server says nothing, though it owes an answer and was asked for one more.
    package mutating func didGrowSilent() -> [Action] {
        guard state == .connected, !isSilent else { return [] }
        guard !isLasting else { return didLose(Self.silence) }
        isSilent = true
        return [.report(.silent)]
    }

    /// A server that was silent says something.
    package mutating func didHear() -> [Action] {
        guard isSilent else { return [] }
        isSilent = false
        return state == .connected ? [.report(storeTrouble.map { .storeUnavailable(reason: $0) } ?? .connected)] : []
    }

    /// What was asked for waits for the server's store, for this reason; nil: not any more.
    package mutating func didLearn(storeTrouble trouble: String?) -> [Action] {
        guard state == .connected, trouble != storeTrouble else { return [] }
        storeTrouble = trouble
        return isSilent ? [] : [.report(trouble.map { .storeUnavailable(reason: $0) } ?? .connected)]
    }

    /// The server doesn't let the client in, or has broken the protocol: another attempt would end in the same way.
    package mutating func didFail(_ error: RemoteError) -> [Action] {
        switch state {
        case .opening, .greeting, .connected: disconnect("\(error)", for: error)
        case .leaving: disconnect("\(error)", for: nil)
        case .idle, .waiting, .ending, .closed: []
        }
    }

    /// The time of `startTimer` has passed.
    package mutating func didTimeOut() -> [Action] {
        switch state {
        case .opening, .greeting: didLose("\(name) didn't answer within \(patience)")
        case .waiting: connect()
        case .leaving: didLose(Self.endOfConnection)
        case .idle, .connected, .ending, .closed: []
        }
    }

    /// The client is to end in good order, so that the server ends the sessions that nobody else holds.
    package mutating func close() -> [Action] {
        switch state {
        case .idle, .opening, .greeting, .waiting: return disconnect("\(RemoteError.closed)", for: nil)
        case .connected:
            state = .leaving
            return [.fail(.closed), .startTimer(min(patience, Self.longestLeave)), .shutDown]
        case .leaving, .ending, .closed: return []
        }
    }

    /// The server has answered `shutdown`, however it did.
    package mutating func didShutDown() -> [Action] {
        state == .leaving ? [.exit] : []
    }

    /// The program that was started has ended. Its stream may still hold what it wrote last: the owner reads that, and
    /// reports the loss of the connection then.
    ///
    /// - Parameter words: how it ended, for people.
    package mutating func didEndProgram(_ words: String) -> [Action] {
        isProgramRunning = false
        programEnd = words
        return finishIfGone()
    }
}

extension ClientLife {
    private mutating func connect() -> [Action] {
        state = .opening
        return [.report(.connecting), .startTimer(patience), .open]
    }

    private mutating func disconnect(_ reason: String, for error: RemoteError?) -> [Action] {
        state = .ending(error)
        return [.stopTimer, .disconnect(reason: reason)] + finishIfGone()
    }

    private mutating func finishIfGone() -> [Action] {
        guard case .ending(let error) = state, !isProgramRunning else { return [] }
        let end = explained(error)
        state = .closed(end)
        return [.fail(end ?? .closed), .report(.closed(end)), .finish]
    }

    /// How a program ended says more than that its connection did.
    private func explained(_ error: RemoteError?) -> RemoteError? {
        guard let programEnd else { return error }
        return switch error {
        case .unreachable(Self.endOfConnection): .unreachable("\(programEnd) before it answered")
        case .connectionLost(Self.endOfConnection): .connectionLost(programEnd)
        default: error
        }
    }
}
