// How a session ends that takes itself off the screen, or that nobody comes back to.
extension SessionState {
    /// Nothing new is taken.
    var isOver: Bool { end != nil || leaving != nil }

    /// Lets the running handler finish before the session ends, and gives back what waited. Nil when nothing runs.
    mutating func leave(_ reason: EndReason) -> [ViewEventJob]? {
        guard !isOver, queue.running != nil else { return nil }
        leaving = reason
        return queue.removeWaiting()
    }

    /// Keeps what ends a session that is being left. False when it isn't needed any more.
    mutating func keep(timer: Task<Void, Never>) -> Bool {
        guard end == nil, leaving != nil else { return false }
        expiry?.cancel()
        expiry = timer
        return true
    }

    /// Lets the session go on without views for another resume window, unless a view has come back.
    mutating func renew(expiry next: Task<Void, Never>) -> Bool {
        guard !isOver, views.isEmpty else { return false }
        expiry = next
        return true
    }
}
