/// A log for the person who runs the program that a view model is in.
///
/// ```swift
/// func handle(event: ViewEvent) async throws {
///     let orders = try await load()
///     Log.current.info("\(orders.count) orders loaded")
/// }
/// ```
///
/// A server writes a message with the view model's name and the session's number, and with the client whose event is
/// handled. Which messages it writes is for the server to say (`--log-level`): of others the text isn't even made.
public struct Log: Sendable {
    /// How important a message is. A log writes the messages of its own level and of all levels declared before that one.
    public enum Level: String, Sendable, CaseIterable, Comparable {
        /// Something is lost, or can't go on.
        case error
        /// Somebody should look at it.
        case warning
        /// What the program does.
        case info
        /// What it does for each client and each event.
        case debug

        /// Whether a level is the more important one.
        public static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .error: 0
            case .warning: 1
            case .info: 2
            case .debug: 3
            }
        }
    }

    /// The log in place of that of the server, for a test and the tasks that it starts:
    /// `Log.$override.withValue(Log { level, message in … }) { … }`.
    @TaskLocal public static var override: Log?

    /// The log of the session for which the calling task runs, while the view model is made, handles an event or is called
    /// otherwise by its session. Elsewhere it writes nothing.
    ///
    /// A task that is started with `Task` isn't the session's: keep the log in a property of the view model, or take it along.
    public static var current: Log {
        if let override { return override }
        let executor = withUnsafeCurrentTask { $0?.unownedTaskExecutor?.asTaskExecutor() }
        return (executor as? any EventTurnExecutor)?.log ?? Log(level: .error) { _, _ in }
    }

    private let level: @Sendable () -> Level
    private let write: @Sendable (Level, String) -> Void

    /// Makes a log.
    ///
    /// - Parameters:
    ///   - level: the least important messages that are written.
    ///   - write: takes a message, on any thread, several at a time.
    public init(level: Level = .debug, write: @escaping @Sendable (Level, String) -> Void) {
        self.init(level: { level }, write: write)
    }

    package init(level: @escaping @Sendable () -> Level, write: @escaping @Sendable (Level, String) -> Void) {
        self.level = level
        self.write = write
    }

    /// Writes that something is lost, or can't go on.
    public func error(_ message: @autoclosure () -> String) { log(.error, message()) }
    /// Writes what somebody should look at.
    public func warning(_ message: @autoclosure () -> String) { log(.warning, message()) }
    /// Writes what the view model does.
    public func info(_ message: @autoclosure () -> String) { log(.info, message()) }
    /// Writes what the view model does for each event.
    public func debug(_ message: @autoclosure () -> String) { log(.debug, message()) }

    /// Writes a message at a level. Its text is made only where it is written.
    public func log(_ level: Level, _ message: @autoclosure () -> String) {
        if level <= self.level() { write(level, message()) }
    }
}
