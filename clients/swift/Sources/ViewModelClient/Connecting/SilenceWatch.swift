/// The rules by which a client notices a server that owes an answer and is silent. A value without a clock: its owner calls it
/// every second while anything is unanswered, and whenever something comes.
package struct SilenceWatch {
    /// What to do about the silence so far.
    package enum Step: Equatable {
        case wait
        /// Send a `ping`, which a live server answers at once, whatever its handlers do.
        case ping
        case giveUp
    }

    static let interval = Duration.seconds(1)
    private static let pingTime = 5
    private static let wholeTime = 10

    /// The seconds of silence. The first may be shorter, so that the silence is never longer than `wholeTime`.
    private var seconds = 0
    /// The seconds since the last `ping` in which something was unanswered. They count even while other messages come, as the
    /// answer to a `ping` shows why the server doesn't answer.
    private var unansweredSeconds = 0

    package init() {}

    /// Begins to watch, since something is unanswered from now on.
    package mutating func begin() {
        (seconds, unansweredSeconds) = (0, 0)
    }

    /// Notes that something has come.
    package mutating func didHear() {
        seconds = 0
    }

    /// Notes that a second has passed, and returns what to do.
    package mutating func didWait() -> Step {
        seconds += 1
        unansweredSeconds += 1
        if seconds == Self.wholeTime { return .giveUp }
        guard unansweredSeconds >= Self.pingTime, seconds < Self.wholeTime else { return .wait }
        unansweredSeconds = 0
        return .ping
    }
}
