/// How a session begins and when it ends by itself. Pure rules, guarded by the `Session`.
struct SessionLifetime {
    private var isOpened = false
    private var onReady: (@Sendable () -> Void)?
    /// Ends the session when no view comes back to it, or when a handler that takes its session off doesn't return.
    private var timer: Task<Void, Never>?
    /// Why the session ends as soon as its running handler, which took it off the screen, returns.
    private(set) var leaving: EndReason?
    /// When the last view left, by the session's time.
    var lastViewLeft: Duration?

    /// True for the first caller only.
    mutating func claimOpening() -> Bool {
        defer { isOpened = true }
        return !isOpened
    }

    /// Keeps an action until the view model is bound, or never will be.
    mutating func whenReady(_ action: @escaping @Sendable () -> Void) {
        onReady = action
    }

    /// The action, for the first caller only.
    mutating func takeOnReady() -> (@Sendable () -> Void)? {
        defer { onReady = nil }
        return onReady
    }

    mutating func leave(_ reason: EndReason) {
        leaving = reason
    }

    var hasTimer: Bool { timer != nil }

    mutating func setTimer(_ next: Task<Void, Never>) {
        timer?.cancel()
        timer = next
    }

    /// - Parameter next: follows the timer that has fired, and isn't cancelled, since it is the caller.
    mutating func replaceFiredTimer(with next: Task<Void, Never>) {
        timer = next
    }

    mutating func cancelTimer() {
        timer?.cancel()
        timer = nil
    }
}
