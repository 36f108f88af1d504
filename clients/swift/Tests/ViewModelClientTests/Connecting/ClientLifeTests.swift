import TestSupport
import Testing
import ViewModelClient

/// The rules of a client's life, in every state with every input.
@Suite(.inTurn) struct ClientLifeTests {
    /// A state of `ClientLife` and how it is reached, since some inputs depend on what was before.
    enum Situation: String, CaseIterable {
        case idle
        case opening
        case openingAgain
        case greeting
        case greetingAgain
        case greetingProgram
        case connected
        case connectedToProgram
        case connectedToEndedProgram
        case waiting
        case leaving
        case leavingProgram
        case leavingEndedProgram
        case endingProgram
        case closed
        case closedByError

        var life: ClientLife {
            var life = ClientLife(
                isProgram ? .program(["server"]) : .unix("server"),
                backoff: Backoff(first: .seconds(1), longest: .seconds(2)), patience: .seconds(30))
            for input in path { _ = input.apply(to: &life) }
            return life
        }

        private var isProgram: Bool { "\(self)".contains("Program") }

        private var path: [Input] {
            switch self {
            case .idle: []
            case .opening: [.start]
            case .openingAgain: Situation.waiting.path + [.didTimeOut]
            case .greeting, .greetingProgram: [.start, .didOpen]
            case .greetingAgain: Situation.openingAgain.path + [.didOpen]
            case .connected, .connectedToProgram: [.start, .didOpen, .didInitialize]
            case .connectedToEndedProgram: Situation.connected.path + [.didEndProgram]
            case .waiting: Situation.connected.path + [.didLose]
            case .leaving, .leavingProgram: Situation.connected.path + [.close]
            case .leavingEndedProgram: Situation.leaving.path + [.didEndProgram]
            case .endingProgram: Situation.connected.path + [.didFail]
            case .closed: [.close]
            case .closedByError: Situation.greeting.path + [.didFail]
            }
        }
    }

    enum Input: String, CaseIterable {
        case start, didOpen, didInitialize, didLose, didFail, didTimeOut, close, didShutDown, didEndProgram

        func apply(to life: inout ClientLife) -> [ClientLife.Action] {
            switch self {
            case .start: life.start()
            case .didOpen: life.didOpen()
            case .didInitialize: life.didInitialize()
            case .didLose: life.didLose(ClientLife.endOfConnection)
            case .didFail: life.didFail(.invalidMessage("nonsense"))
            case .didTimeOut: life.didTimeOut()
            case .close: life.close()
            case .didShutDown: life.didShutDown()
            case .didEndProgram: life.didEndProgram("it ended")
            }
        }
    }

    struct Row: Equatable, CustomStringConvertible {
        let situation: Situation
        let input: Input

        static let all = Situation.allCases.flatMap { situation in
            Input.allCases.map { Row(situation: situation, input: $0) }
        }

        var description: String { "\(situation), \(input)" }
    }

    /// The state and the actions after an input.
    typealias Outcome = (state: ClientLife.State, actions: [ClientLife.Action])

    private static let lost = ClientLife.endOfConnection
    private static let nonsense = RemoteError.invalidMessage("nonsense")
    private static let late = "server didn't answer within 30.0 seconds"

    private static func connect() -> Outcome {
        (.opening, [.report(.connecting), .startTimer(.seconds(30)), .open])
    }

    private static func wait(_ reason: String, _ seconds: Int) -> Outcome {
        let state = RemoteState.waiting(reason: reason, delay: .seconds(seconds))
        return (.waiting, [.disconnect(reason: reason), .report(state), .startTimer(.seconds(seconds))])
    }

    /// The connection goes; what it leaves is gone, too.
    private static func end(_ error: RemoteError?, _ reason: String) -> Outcome {
        let outcome = finish(error)
        return (outcome.state, [.stopTimer, .disconnect(reason: reason)] + outcome.actions)
    }

    /// The connection goes; the program is still there.
    private static func endLater(_ error: RemoteError?, _ reason: String) -> Outcome {
        (.ending(error), [.stopTimer, .disconnect(reason: reason)])
    }

    private static func finish(_ error: RemoteError?) -> Outcome {
        (.closed(error), [.fail(error ?? .closed), .report(.closed(error)), .finish])
    }

    private static let leave: Outcome = (.leaving, [.fail(.closed), .startTimer(.seconds(5)), .shutDown])

    /// Every row, or the test fails: one in which nothing happens is in `ignored`.
    private static func outcome(_ row: Row) -> Outcome? {
        let closed = "\(RemoteError.closed)"
        return switch (row.situation, row.input) {
        case (.idle, .start): connect()
        case (.idle, .close): end(nil, closed)

        case (.opening, .didOpen): (.greeting, [.initialize])
        case (.opening, .didLose): end(.unreachable(lost), lost)
        case (.opening, .didFail): end(nonsense, "\(nonsense)")
        case (.opening, .didTimeOut): end(.unreachable(late), late)
        case (.opening, .close): end(nil, closed)

        case (.openingAgain, .didOpen): (.greeting, [.initialize])
        // The second attempt in a row that failed.
        case (.openingAgain, .didLose): wait(lost, 2)
        case (.openingAgain, .didFail): end(nonsense, "\(nonsense)")
        case (.openingAgain, .didTimeOut): wait(late, 2)
        case (.openingAgain, .close): end(nil, closed)

        case (.greeting, .didInitialize): (.connected, [.stopTimer, .report(.connected), .resume])
        case (.greeting, .didLose): end(.unreachable(lost), lost)
        case (.greeting, .didFail): end(nonsense, "\(nonsense)")
        case (.greeting, .didTimeOut): end(.unreachable(late), late)
        case (.greeting, .close): end(nil, closed)

        case (.greetingAgain, .didInitialize): (.connected, [.stopTimer, .report(.connected), .resume])
        case (.greetingAgain, .didLose): wait(lost, 2)
        case (.greetingAgain, .didFail): end(nonsense, "\(nonsense)")
        case (.greetingAgain, .didTimeOut): wait(late, 2)
        case (.greetingAgain, .close): end(nil, closed)

        case (.greetingProgram, .didInitialize): (.connected, [.stopTimer, .report(.connected), .resume])
        case (.greetingProgram, .didLose): endLater(.unreachable(lost), lost)
        case (.greetingProgram, .didFail): endLater(nonsense, "\(nonsense)")
        case (.greetingProgram, .didTimeOut): endLater(.unreachable(late), late)
        case (.greetingProgram, .close): endLater(nil, closed)

        case (.connected, .didLose): wait(lost, 1)
        case (.connected, .didFail): end(nonsense, "\(nonsense)")
        case (.connected, .close): leave

        case (.connectedToProgram, .didLose): endLater(.connectionLost(lost), lost)
        case (.connectedToProgram, .didFail): endLater(nonsense, "\(nonsense)")
        case (.connectedToProgram, .close): leave

        // How the program ended is the better reason.
        case (.connectedToEndedProgram, .didLose):
            (.closed(.connectionLost("it ended")), end(.connectionLost("it ended"), lost).actions)
        case (.connectedToEndedProgram, .didFail): end(nonsense, "\(nonsense)")
        case (.connectedToEndedProgram, .close): leave

        case (.waiting, .didTimeOut): connect()
        case (.waiting, .close): end(nil, closed)

        case (.leaving, .didLose), (.leavingEndedProgram, .didLose): end(nil, lost)
        case (.leaving, .didFail), (.leavingEndedProgram, .didFail): end(nil, "\(nonsense)")
        case (.leaving, .didTimeOut), (.leavingEndedProgram, .didTimeOut): end(nil, lost)
        case (.leaving, .didShutDown), (.leavingProgram, .didShutDown), (.leavingEndedProgram, .didShutDown):
            (.leaving, [.exit])

        case (.leavingProgram, .didLose), (.leavingProgram, .didTimeOut): endLater(nil, lost)
        case (.leavingProgram, .didFail): endLater(nil, "\(nonsense)")

        case (.endingProgram, .didEndProgram): finish(nonsense)

        // It was closed before it was started.
        case (.closed, .start): (.closed(nil), [.fail(.closed)])
        case (.closedByError, .start): (.closed(nonsense), [.fail(nonsense)])
        default: nil
        }
    }

    /// The inputs that mean nothing in a situation, since they can't come or come too late.
    private static let ignored: [Situation: Set<Input>] = [
        .idle: [.didOpen, .didInitialize, .didLose, .didFail, .didTimeOut, .didShutDown, .didEndProgram],
        .opening: [.start, .didInitialize, .didShutDown, .didEndProgram],
        .openingAgain: [.start, .didInitialize, .didShutDown, .didEndProgram],
        // The end of a program is followed by that of its connection.
        .greeting: [.start, .didOpen, .didShutDown, .didEndProgram],
        .greetingAgain: [.start, .didOpen, .didShutDown, .didEndProgram],
        .greetingProgram: [.start, .didOpen, .didShutDown, .didEndProgram],
        .connected: [.start, .didOpen, .didInitialize, .didTimeOut, .didShutDown, .didEndProgram],
        .connectedToProgram: [.start, .didOpen, .didInitialize, .didTimeOut, .didShutDown, .didEndProgram],
        .connectedToEndedProgram: [.start, .didOpen, .didInitialize, .didTimeOut, .didShutDown, .didEndProgram],
        .waiting: [.start, .didOpen, .didInitialize, .didLose, .didFail, .didShutDown, .didEndProgram],
        .leaving: [.start, .didOpen, .didInitialize, .close, .didEndProgram],
        .leavingProgram: [.start, .didOpen, .didInitialize, .close, .didEndProgram],
        .leavingEndedProgram: [.start, .didOpen, .didInitialize, .close, .didEndProgram],
        .endingProgram: [
            .start, .didOpen, .didInitialize, .didLose, .didFail, .didTimeOut, .close, .didShutDown,
        ],
        .closed: [.didOpen, .didInitialize, .didLose, .didFail, .didTimeOut, .close, .didShutDown, .didEndProgram],
        .closedByError: [
            .didOpen, .didInitialize, .didLose, .didFail, .didTimeOut, .close, .didShutDown, .didEndProgram,
        ],
    ]

    @Test(arguments: Row.all) func `every input in every state`(row: Row) throws {
        var life = row.situation.life
        let before = life.state
        let actions = row.input.apply(to: &life)
        let isIgnored = Self.ignored[row.situation]?.contains(row.input) ?? false
        let expected: Outcome?
        switch (Self.outcome(row), isIgnored) {
        case (let outcome?, false): expected = outcome
        case (nil, true): expected = (before, [])
        default: expected = nil
        }
        let outcome = try #require(expected, "this row is missing in the table, or is there twice")
        #expect(life.state == outcome.state)
        #expect(actions == outcome.actions)
    }

    @Test func `the situations cover all states`() {
        let states = Set(Situation.allCases.map { "\($0.life.state)".prefix { $0 != "(" } })
        #expect(states == ["idle", "opening", "greeting", "connected", "waiting", "leaving", "ending", "closed"])
    }

    @Test func `a program that didn't answer is told by how it ended`() {
        var life = Situation.greetingProgram.life
        _ = life.didEndProgram("it ended")
        _ = life.didLose(ClientLife.endOfConnection)
        #expect(life.state == .closed(.unreachable("it ended before it answered")))
    }

    @Test func `a connection sets the waits back to the first`() {
        var life = Situation.waiting.life
        for _ in 0..<3 {
            _ = life.didTimeOut()
            _ = life.didLose("lost")
        }
        for input: Input in [.didTimeOut, .didOpen, .didInitialize, .didLose] { _ = input.apply(to: &life) }
        _ = life.didTimeOut()
        let actions = life.didLose("lost")
        #expect(actions.last == .startTimer(.seconds(2)))
    }

    @Test(arguments: Situation.allCases) func `who asks is told the end, and only then`(situation: Situation) {
        let expected: RemoteError? =
            switch situation {
            case .leaving, .leavingProgram, .leavingEndedProgram, .closed: .closed
            case .endingProgram, .closedByError: Self.nonsense
            default: nil
            }
        #expect(situation.life.end == expected)
        #expect(situation.life.isConnected == "\(situation)".hasPrefix("connected"))
    }
}

@Suite(.inTurn) struct BackoffTests {
    @Test(arguments: [(0, 100), (1, 200), (2, 400), (5, 3_200), (6, 5_000), (7, 5_000), (1_000_000, 5_000)])
    func `each wait is twice the one before, up to a limit`(attempt: Int, milliseconds: Int) {
        #expect(Backoff().delay(attempt) == .milliseconds(milliseconds))
    }

    @Test func `no wait stays none`() {
        #expect(Backoff(first: .zero, longest: .zero).delay(10) == .zero)
    }
}
