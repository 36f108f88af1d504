import Synchronization

/// How a handler that takes long tells the View who asked how far it is, as the Language Server Protocol's work-done
/// progress does.
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
/// Whoever asked for progress ends it when the handler returns, throws or is cancelled; nothing reported after that, and
/// nothing reported before `begin`, is sent.
public final class WorkDoneProgress: Sendable {
    /// A step of the work, in the Language Server Protocol's terms.
    public enum Value: Sendable, Equatable {
        /// Sent once, first.
        case begin(title: String, message: String?, percentage: Int?)
        /// Sent any number of times.
        case report(message: String?, percentage: Int?)
        /// Sent once, last.
        case end(message: String?)
    }

    /// The progress that was asked for with the event which this task handles; nil when nobody asked.
    @TaskLocal public static var current: WorkDoneProgress?

    private enum Phase {
        case idle
        case begun
        case ended
    }

    private let phase = Mutex(Phase.idle)
    private let send: @Sendable (Value) -> Void

    /// Hands each value to `send`, in order, on the thread that reports it. `send` must not report on this progress.
    public init(send: @escaping @Sendable (Value) -> Void) {
        self.send = send
    }

    /// Says that the work has begun. Only the first call counts.
    ///
    /// - Parameter percentage: 0 to 100, clamped to that; nil when it can't be known.
    public func begin(title: String, message: String? = nil, percentage: Int? = nil) {
        advance(from: .idle, to: .begun, .begin(title: title, message: message, percentage: clamped(percentage)))
    }

    /// Says how far the work is.
    ///
    /// - Parameter percentage: 0 to 100, clamped to that; a View may ignore one that is lower than the last.
    public func report(message: String? = nil, percentage: Int? = nil) {
        advance(from: .begun, to: .begun, .report(message: message, percentage: clamped(percentage)))
    }

    /// Ends the progress with a last message; without this call it ends without one when the handler returns.
    public func end(message: String? = nil) {
        advance(from: .begun, to: .ended, .end(message: message))
    }

    private func advance(from expected: Phase, to next: Phase, _ value: Value) {
        // Sent under the lock, so that two tasks of one handler can't put `end` before a report.
        phase.withLock { phase in
            guard phase == expected else { return }
            phase = next
            send(value)
        }
    }

    private func clamped(_ percentage: Int?) -> Int? {
        percentage.map { min(max($0, 0), 100) }
    }
}
