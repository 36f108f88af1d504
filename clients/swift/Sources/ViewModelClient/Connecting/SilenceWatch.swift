/// Notices a server that says nothing while it owes an answer. Pure: its owner asks it once a second as long as anything is
/// unanswered, and tells it of all that comes.
package struct SilenceWatch {
    /// What follows from the silence so far.
    package enum Step: Equatable {
        case wait
        /// A server that is there answers this at once, whatever its handlers do.
        case ping
        case giveUp
    }

    static let interval = Duration.seconds(1)
    private static let pingTime = 5
    private static let wholeTime = 10

    /// Seconds of silence. The first may be a part of one, so that the whole is never longer than `wholeTime`.
    private var seconds = 0
    /// Seconds in which something was unanswered, since the last ping: its answer says why, also where much else comes.
    private var unansweredSeconds = 0

    package init() {}

    /// From now on something is unanswered.
    package mutating func begin() {
        (seconds, unansweredSeconds) = (0, 0)
    }

    /// Something has come.
    package mutating func didHear() {
        seconds = 0
    }

    /// A second has passed.
    package mutating func didWait() -> Step {
        seconds += 1
        unansweredSeconds += 1
        if seconds == Self.wholeTime { return .giveUp }
        guard unansweredSeconds >= Self.pingTime, seconds < Self.wholeTime else { return .wait }
        unansweredSeconds = 0
        return .ping
    }
}
