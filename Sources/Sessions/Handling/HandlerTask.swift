/// The one task that calls a session's handlers, one after the other. Pure; the `HandlerRunner` starts, resumes and
/// cancels it as it is returned here.
///
/// One task for all events, which waits between them, since a task for each and its hops to the view model's actor cost
/// several times as much. It is started by the first event and ends when the session has no views, so a session that
/// nobody uses has none.
struct HandlerTask {
    private enum Phase {
        case none
        /// Handles, or is about to look for what is next.
        case running
        /// Nothing is to be done.
        case waiting(UnsafeContinuation<ViewEventInbox.Step, Never>)
    }

    /// The effect of waking it, which its `HandlerRunner` carries out with no lock held.
    enum Wake {
        case nothing
        /// Start a task under this number.
        case start(number: Int)
        /// It goes on with this step, which is begun already.
        case resume(UnsafeContinuation<ViewEventInbox.Step, Never>, ViewEventInbox.Step)
    }

    private var phase = Phase.none
    private var number = 0
    private var startedBound = false
    private(set) var task: Task<Void, Never>?
    /// The number of the last task that was cancelled: it takes nothing more, since a task stays cancelled.
    private var cancelled = -1

    /// There is something to do: a task is to be started under the number that is returned. Nil where there is one.
    ///
    /// - Parameter isBound: whether the view model is there, so that a task can run where it does.
    mutating func start(isBound: Bool) -> Int? {
        guard isOver else { return nil }
        number += 1
        startedBound = isBound
        phase = .running
        return number
    }

    /// A task that waits is about to go on.
    mutating func resume() -> UnsafeContinuation<ViewEventInbox.Step, Never>? {
        guard case .waiting(let continuation) = phase else { return nil }
        phase = .running
        return continuation
    }

    var isOver: Bool {
        if case .none = phase { true } else { false }
    }

    var isWaiting: Bool {
        if case .waiting = phase { true } else { false }
    }

    /// This task was started before the view model was there, so it doesn't run in the view model's isolation: it ends,
    /// and the next one does.
    func isOutdated(isBound: Bool) -> Bool { startedBound != isBound }

    /// It takes nothing more.
    var isCancelled: Bool { cancelled == number }

    /// Notes the task that `start` asked for, which may be over by now. Returns true when it must be cancelled.
    mutating func note(_ task: Task<Void, Never>, number: Int) -> Bool {
        if number == self.number, !isOver { self.task = task }
        return cancelled == number
    }

    /// Lets it take nothing more. Returns the task to cancel, where it is known yet; else `note` will return true.
    mutating func cancel() -> Task<Void, Never>? {
        cancelled = number
        return task
    }

    mutating func wait(_ continuation: UnsafeContinuation<ViewEventInbox.Step, Never>) {
        phase = .waiting(continuation)
    }

    mutating func end() {
        phase = .none
        task = nil
    }
}
