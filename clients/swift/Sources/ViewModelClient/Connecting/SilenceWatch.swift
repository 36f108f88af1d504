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

    package init() {}

    /// Something has come.
    package mutating func didHear() {
        seconds = 0
    }

    /// A second has passed.
    package mutating func didWait() -> Step {
        seconds += 1
        return switch seconds {
        case Self.pingTime: .ping
        case Self.wholeTime: .giveUp
        default: .wait
        }
    }
}
