/// Why a session refused what a client asked of it.
package enum SessionError: Error, Sendable, Equatable {
    /// It has ended.
    case ended
    /// `member` of the params can't be taken.
    case invalid(member: String, reason: String)
    /// Neither the events nor a snapshot can be had; `oldest` is the oldest number that is kept.
    case replayUnavailable(oldest: Int)
    case limitExceeded(limit: String, message: String)
}
