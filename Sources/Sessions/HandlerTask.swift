/// The one task that calls a session's handlers, one after the other, as its session knows it. Pure; the `Session` starts,
/// wakes and cancels as it is told.
///
/// One for all events, which waits between them: one for each, with its hops to the view model's actor and back, took 12,000
/// instructions, and this takes 3,800. It is started by the first event and ends when the session has no views, so a session
/// that nobody uses has none.
struct HandlerTask {
    private enum Phase {
        case none
        /// Handles, or is about to look for what is next.
        case running
        /// Nothing is to be done; resume it when there is.
        case waiting(UnsafeContinuation<Void, Never>)
    }

    /// What its session has to do.
    enum Wake {
        case nothing
        /// Start a task, which `number` names.
        case start(number: Int)
        case resume(UnsafeContinuation<Void, Never>)
    }

    private var phase = Phase.none
    private var number = 0
    private var startedBound = false
    private(set) var task: Task<Void, Never>?
    /// The number of the last one that was cancelled: it takes nothing more, since a task stays cancelled.
    private var cancelled = -1

    /// There is something to do.
    ///
    /// - Parameter isBound: whether the view model is there, so that a task can run where it does.
    mutating func wake(isBound: Bool) -> Wake {
        switch phase {
        case .none:
            number += 1
            startedBound = isBound
            phase = .running
            return .start(number: number)
        case .running:
            return .nothing
        case .waiting(let continuation):
            phase = .running
            return .resume(continuation)
        }
    }

    private var isOver: Bool {
        if case .none = phase { true } else { false }
    }

    var isWaiting: Bool {
        if case .waiting = phase { true } else { false }
    }

    /// It was started before the view model was there: another one, which runs where that does, goes on.
    func isOutdated(isBound: Bool) -> Bool { startedBound != isBound }

    /// It takes nothing more.
    var isCancelled: Bool { cancelled == number }

    /// Notes the task that `wake()` asked for, which may be over by now. Returns true when it must be cancelled.
    mutating func note(_ task: Task<Void, Never>, number: Int) -> Bool {
        if number == self.number, !isOver { self.task = task }
        return cancelled == number
    }

    /// Cancels what it does now. Returns the task, where it is known yet; else `note` will say that it must be cancelled.
    mutating func cancel() -> Task<Void, Never>? {
        cancelled = number
        return task
    }

    mutating func wait(_ continuation: UnsafeContinuation<Void, Never>) {
        phase = .waiting(continuation)
    }

    mutating func end() {
        phase = .none
        task = nil
    }
}
