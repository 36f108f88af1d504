/// Why a view's session ended other than by its own `session/close`: the `reason` of `session/closed`.
package enum EndReason: String, Sendable {
    /// Another view closed it, nobody came back to it in time, or it wasn't needed any more.
    case closed
    /// It was presented, and is no longer.
    case dismissed
    /// It was pushed, and is no longer.
    case popped
    /// The view model failed to start.
    case failed
    /// The view did not read what was sent to it; the session goes on.
    case overflow
    /// The server ends.
    case serverShutdown
}
