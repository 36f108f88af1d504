/// Why a session refused what a client asked of it.
package enum SessionError: Error, Sendable, Equatable {
    /// It has ended.
    case ended
    /// `member` of the params can't be taken.
    case invalid(member: String, reason: String)
    /// It was taken off before it was attached.
    case detached
    /// Neither the events nor a snapshot can be had; `oldest` is the oldest number that is kept, and `reason` says why a
    /// view model that makes snapshots made none.
    case replayUnavailable(oldest: Int, reason: String? = nil)
    case limitExceeded(limit: String, message: String)
}
