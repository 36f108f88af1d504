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
/// The session ends the progress when the handler returns, throws or is cancelled. A report before `begin` or after the
/// end is dropped. Any task may call any member.
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

    /// The progress of the event that this task handles; nil when the client didn't ask for it.
    @TaskLocal public static var current: WorkDoneProgress?

    private enum Phase {
        case idle
        case begun
        case ended
    }

    private let phase = Mutex(Phase.idle)
    private let send: @Sendable (Value) -> Void

    /// A progress that hasn't begun.
    ///
    /// - Parameter send: called with each value, in order, on the thread that reports it. It must not report on
    ///   this progress.
    public init(send: @escaping @Sendable (Value) -> Void) {
        self.send = send
    }

    /// Begins the progress. Only the first call counts.
    ///
    /// - Parameters:
    ///   - title: names the work; it can't be changed later.
    ///   - message: says more about it.
    ///   - percentage: 0 to 100, clamped to that; nil when it can't be known.
    public func begin(title: String, message: String? = nil, percentage: Int? = nil) {
        advance(from: .idle, to: .begun, .begin(title: title, message: message, percentage: clamped(percentage)))
    }

    /// Reports how far the work is. Does nothing before `begin` and after the end.
    ///
    /// - Parameters:
    ///   - message: replaces the message before; nil leaves it.
    ///   - percentage: 0 to 100, clamped to that. A View may ignore one that is lower than the last.
    public func report(message: String? = nil, percentage: Int? = nil) {
        advance(from: .begun, to: .begun, .report(message: message, percentage: clamped(percentage)))
    }

    /// Ends the progress with a last message. Without this call it ends when the handler returns, without a message.
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
