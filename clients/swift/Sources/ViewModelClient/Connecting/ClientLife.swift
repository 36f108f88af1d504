import Transport

/// The rules of a client's connection: which state follows which input, and which actions.
///
/// A value without a socket, a task or a clock. Each input is a function that changes the state and returns actions for the
/// owner, to be performed in order. An input that means nothing in the current state returns none, since answers and timers may
/// come late.
package struct ClientLife {
    /// The state of the client between its start and its end.
    package enum State: Equatable {
        /// The client isn't started.
        case idle
        /// A stream is being opened.
        case opening
        /// `initialize` was sent and isn't answered yet.
        case greeting
        case connected
        /// The connection is lost, and the next attempt follows after the backoff.
        case waiting
        /// This side has closed the client: `shutdown` was sent, and the stream is still open.
        case leaving
        /// The connection is gone for good, but the program that was started still runs. The error is nil if this side closed
        /// the client.
        case ending(RemoteError?)
        /// Nothing is left. The error is nil if this side closed the client.
        case closed(RemoteError?)
    }

    /// An action for the client's owner.
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
        /// Call `didTimeOut` after this time. This replaces an earlier timer.
        case startTimer(Duration)
        case stopTimer
        /// End every view and fail every request.
        case fail(RemoteError)
        /// Everything is over: tell those who wait for the end.
        case finish
    }

    /// The reason for a connection that ended without giving another.
    package static let endOfConnection = "the server ended the connection"
    /// The reason for a connection whose server has become silent.
    package static let silence = "the server doesn't answer"
    /// The longest time that the server may take to answer `shutdown`.
    static let longestLeave = Duration.seconds(5)

    package private(set) var state = State.idle

    /// The server's name for people.
    private let name: String
    /// Whether the server outlives a connection.
    private let isLasting: Bool
    private let backoff: Backoff
    private let patience: Duration
    /// The number of attempts since the last connection.
    private var attempts = 0
    /// Whether the server has been reached once.
    private var wasReached = false
    /// Whether a program was started that hasn't ended.
    private var isProgramRunning = false
    /// Whether the program that was started is silent. The client waits for it, since its sessions would be lost with it.
    package private(set) var isSilent = false
    /// Why the server's store can't be used, for people; nil while nothing waits for it.
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
    /// Starts the client: begins to connect.
    package mutating func start() -> [Action] {
        switch state {
        case .idle: return connect()
        // The client was closed before it was started.
        case .closed(let error): return [.fail(error ?? .closed)]
        default: return []
        }
    }

    /// Notes that a stream to the server is open.
    package mutating func didOpen() -> [Action] {
        guard state == .opening else { return [] }
        state = .greeting
        isProgramRunning = !isLasting
        return [.initialize]
    }

    /// Notes that the server has answered `initialize` as it should.
    package mutating func didInitialize() -> [Action] {
        guard state == .greeting else { return [] }
        state = .connected
        attempts = 0
        wasReached = true
        storeTrouble = nil
        return [.stopTimer, .report(.connected), .resume]
    }

    /// Notes that the connection, or the attempt to make one, is over.
    ///
    /// - Parameter reason: the reason, for people.
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

    /// Notes that the server is silent: it owes an answer, and hasn't answered a `ping` either.
    package mutating func didGrowSilent() -> [Action] {
        guard state == .connected, !isSilent else { return [] }
        guard !isLasting else { return didLose(Self.silence) }
        isSilent = true
        return [.report(.silent)]
    }

    /// Notes that the server has sent or taken bytes.
    package mutating func didHear() -> [Action] {
        guard isSilent else { return [] }
        isSilent = false
        return state == .connected ? [.report(storeTrouble.map { .storeUnavailable(reason: $0) } ?? .connected)] : []
    }

    /// Notes why requests or events wait for the server's store; nil if they don't wait any more.
    package mutating func didLearn(storeTrouble trouble: String?) -> [Action] {
        guard state == .connected, trouble != storeTrouble else { return [] }
        storeTrouble = trouble
        return isSilent ? [] : [.report(trouble.map { .storeUnavailable(reason: $0) } ?? .connected)]
    }

    /// Notes that the server rejects the client, or has broken the protocol, so that another attempt would fail in the same
    /// way.
    package mutating func didFail(_ error: RemoteError) -> [Action] {
        switch state {
        case .opening, .greeting, .connected: disconnect("\(error)", for: error)
        case .leaving: disconnect("\(error)", for: nil)
        case .idle, .waiting, .ending, .closed: []
        }
    }

    /// Notes that the time of `startTimer` has passed.
    package mutating func didTimeOut() -> [Action] {
        switch state {
        case .opening, .greeting: didLose("\(name) didn't answer within \(patience)")
        case .waiting: connect()
        case .leaving: didLose(Self.endOfConnection)
        case .idle, .connected, .ending, .closed: []
        }
    }

    /// Closes the client in good order, so that the server ends the sessions that no other client holds.
    package mutating func close() -> [Action] {
        switch state {
        case .idle, .opening, .greeting, .waiting: return disconnect("\(RemoteError.closed)", for: nil)
        case .connected:
            state = .leaving
            return [.fail(.closed), .startTimer(min(patience, Self.longestLeave)), .shutDown]
        case .leaving, .ending, .closed: return []
        }
    }

    /// Notes that the server has answered `shutdown`, with a result or an error.
    package mutating func didShutDown() -> [Action] {
        state == .leaving ? [.exit] : []
    }

    /// Notes that the program that was started has ended. Its stream may still hold its last output: the owner reads that
    /// first, and then reports the loss of the connection.
    ///
    /// - Parameter words: how the program ended, for people.
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

    /// Returns the error with how the program ended, which says more than that its connection did.
    private func explained(_ error: RemoteError?) -> RemoteError? {
        guard let programEnd else { return error }
        return switch error {
        case .unreachable(Self.endOfConnection): .unreachable("\(programEnd) before it answered")
        case .connectionLost(Self.endOfConnection): .connectionLost(programEnd)
        default: error
        }
    }
}
