import Synchronization

/// Reports how far a long handler is, to the client that asked for it: the Language Server Protocol's
/// work-done progress.
///
/// ```swift
/// func handle(event: ViewEvent) async throws {
///     let progress = WorkDoneProgress.current
///     progress?.begin(title: "Loading orders")
///     for (index, page) in pages.enumerated() {
///         try await load(page)
///         progress?.report(message: page.name, percentage: index * 100 / pages.count)
///     }
/// }
/// ```
///
/// **End.** It is the progress of one request and of the work that the request started. A `Task { }` that the handler
/// starts and doesn't wait for has the same `current`. The progress ends when the last task that has it ends. It also
/// ends when the handler throws or is cancelled, and with the session. A task that outlives its handler and reports
/// nothing, such as one that watches a file, would keep it: use `Task.detached`, or call `end` in the handler.
///
/// In the Language Server Protocol a progress ends with the answer to its request. Here the answer may say that the
/// progress goes on (`progress`), and then an `end` always follows.
///
/// A report before `begin` or after the end is dropped. Any task may call any member.
public final class WorkDoneProgress: Sendable {
    /// A step of the work, in the Language Server Protocol's terms.
    public enum Value: Sendable, Equatable {
        /// The beginning of the work. Sent once, first.
        case begin(title: String, message: String?, percentage: Int?)
        /// A report on the work. Sent any number of times.
        case report(message: String?, percentage: Int?)
        /// The end of the work. Sent once, last.
        case end(message: String?)
    }

    /// The progress of the event that this task handles; nil when the client didn't ask for it.
    @TaskLocal public static var current: WorkDoneProgress?

    private let request: RequestProgress

    /// A progress that hasn't begun, for a test or a View of your own. When its last reference is released, it ends
    /// without a message, if it has begun and hasn't ended.
    ///
    /// - Parameter send: called with each value, in order, on the thread that reports it. It must not call this
    ///   progress, whose lock is held meanwhile.
    public convenience init(send: @escaping @Sendable (Value) -> Void) {
        self.init(of: RequestProgress(isAnswered: true, send: send))
    }

    /// - Parameter request: a request's progress, of which this is the only `WorkDoneProgress`. `finish(isHandled:)` is called
    ///   on it when the request is answered.
    package init(of request: RequestProgress) {
        self.request = request
        request.hold()
    }

    deinit {
        request.letGo()
    }

    /// Begins the progress. Only the first call counts.
    ///
    /// - Parameters:
    ///   - title: names the work; it can't be changed later.
    ///   - message: says more about the work.
    ///   - percentage: 0 to 100, and clamped to that; nil when it can't be known.
    public func begin(title: String, message: String? = nil, percentage: Int? = nil) {
        request.begin(.begin(title: title, message: message, percentage: clamped(percentage)))
    }

    /// Reports how far the work is. Does nothing before `begin` and after the end.
    ///
    /// - Parameters:
    ///   - message: replaces the message before; nil leaves it.
    ///   - percentage: 0 to 100, and clamped to that. A View may ignore one that is lower than the last.
    public func report(message: String? = nil, percentage: Int? = nil) {
        request.report(.report(message: message, percentage: clamped(percentage)))
    }

    /// Ends the progress with a last message, even where the work goes on. Does nothing where the client awaits no end,
    /// as before `begin` and after an end.
    public func end(message: String? = nil) {
        request.end(message: message)
    }

    private func clamped(_ percentage: Int?) -> Int? {
        percentage.map { min(max($0, 0), 100) }
    }
}

/// The progress of one request, from its arrival to the end of the work that it started.
///
/// Nobody who runs a handler keeps its `WorkDoneProgress`: that goes with the last task that has it.
package final class RequestProgress: Sendable {
    private enum Phase {
        case idle
        case begun
        case ended
    }

    private struct State {
        var phase = Phase.idle
        /// Whether a `WorkDoneProgress` of this request exists.
        var isHeld = false
        var isAnswered = false
        /// Whether the answer says that the progress goes on. So an end follows, even without a beginning.
        var goesOn = false
    }

    private let state: Mutex<State>
    private let send: @Sendable (WorkDoneProgress.Value) -> Void

    /// - Parameters:
    ///   - isAnswered: true where nobody calls `finish`, as there is no request.
    ///   - send: called with each value, in order, on the thread that reports it.
    package init(isAnswered: Bool = false, send: @escaping @Sendable (WorkDoneProgress.Value) -> Void) {
        state = Mutex(State(isAnswered: isAnswered))
        self.send = send
    }

    /// Whether the progress went on when the request was finished.
    package var goesOn: Bool { state.withLock { $0.goesOn } }

    /// Notes that the request is about to be answered, and ends the progress unless work that has it goes on.
    ///
    /// - Parameter isHandled: the handler returned. If it threw, was cancelled, or never ran, the progress ends.
    package func finish(isHandled: Bool) {
        state.withLock { state in
            state.isAnswered = true
            if isHandled, state.isHeld, state.phase != .ended {
                state.goesOn = true
            } else {
                end(&state)
            }
        }
    }

    fileprivate func hold() {
        state.withLock { $0.isHeld = true }
    }

    fileprivate func letGo() {
        state.withLock { state in
            state.isHeld = false
            // Not before the answer: what the handler sent last may still be on its way.
            if state.isAnswered { end(&state) }
        }
    }

    // Sent under the lock, so that two tasks of one handler can't put `end` before a report.

    fileprivate func begin(_ value: WorkDoneProgress.Value) {
        state.withLock { state in
            guard state.phase == .idle else { return }
            state.phase = .begun
            send(value)
        }
    }

    fileprivate func report(_ value: WorkDoneProgress.Value) {
        state.withLock { state in
            if state.phase == .begun { send(value) }
        }
    }

    fileprivate func end(message: String?) {
        state.withLock { state in
            if state.phase == .begun || state.goesOn { end(&state, message: message) }
        }
    }

    private func end(_ state: inout State, message: String? = nil) {
        if state.phase == .begun || state.goesOn && state.phase == .idle { send(.end(message: message)) }
        state.phase = .ended
    }
}
