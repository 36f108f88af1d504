/// The state of the one task that calls the handlers of a lane, one after the other. Pure; the `HandlerRunner` starts, resumes
/// and cancels the task as the functions here return it.
///
/// There is one task for all events, which waits between them: a task for each event, with its hops to the view model's actor,
/// would cost several times as much. The task is started by the first event and ends when the session has no views, so a
/// session that nobody uses has none.
struct HandlerTask {
    private enum Phase {
        case none
        /// The task handles an event, or is about to look for the next one.
        case running
        /// The task waits, as nothing is to be done.
        case waiting(UnsafeContinuation<ViewEventInbox.Step, Never>)
    }

    /// The effect of waking the task, which its `HandlerRunner` carries out with no lock held.
    enum Wake {
        case nothing
        /// A task is started under this number.
        case start(number: Int)
        /// The task goes on with this step, which is begun already.
        case resume(UnsafeContinuation<ViewEventInbox.Step, Never>, ViewEventInbox.Step)
    }

    private var phase = Phase.none
    private var number = 0
    private var startedBound = false
    private(set) var task: Task<Void, Never>?
    /// The number of the last task that was cancelled. Such a task takes nothing more, since it stays cancelled.
    private var cancelled = -1

    /// Begins a task, where there is none, as there is something to do. Returns the number to start it under; nil where there
    /// is a task.
    ///
    /// - Parameter isBound: whether the view model is there, so that a task can run where it does.
    mutating func start(isBound: Bool) -> Int? {
        guard isOver else { return nil }
        number += 1
        startedBound = isBound
        phase = .running
        return number
    }

    /// Begins to resume a task that waits; nil where none waits.
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

    /// Whether the task was started before the view model was there, and so doesn't run in the view model's isolation. It ends
    /// then, and the next one runs there.
    func isOutdated(isBound: Bool) -> Bool { startedBound != isBound }

    /// Whether the task was cancelled, and takes nothing more.
    var isCancelled: Bool { cancelled == number }

    /// Notes the task that `start` asked for, which may be over by now. Returns true when it must be cancelled.
    mutating func note(_ task: Task<Void, Never>, number: Int) -> Bool {
        if number == self.number, !isOver { self.task = task }
        return cancelled == number
    }

    /// Cancels the task, which takes nothing more. Returns it, where it is known yet; otherwise `note` will return true.
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
