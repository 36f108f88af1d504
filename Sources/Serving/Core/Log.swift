/// The server's log for the person who runs it, a line for each message.
package struct Log: Sendable {
    /// A level includes all before it.
    package enum Level: String, Sendable, CaseIterable, Comparable {
        case error
        case warning
        case info
        case debug

        package static func < (left: Level, right: Level) -> Bool {
            let order = allCases
            return (order.firstIndex(of: left) ?? 0) < (order.firstIndex(of: right) ?? 0)
        }
    }

    private let level: Level
    private let write: @Sendable (String) -> Void

    /// - Parameter write: takes a line without its line break, on any thread.
    package init(level: Level = .error, write: @escaping @Sendable (String) -> Void = { _ in }) {
        self.level = level
        self.write = write
    }

    package func error(_ message: @autoclosure () -> String) { log(.error, message) }
    package func warning(_ message: @autoclosure () -> String) { log(.warning, message) }
    package func info(_ message: @autoclosure () -> String) { log(.info, message) }
    package func debug(_ message: @autoclosure () -> String) { log(.debug, message) }

    /// Writes a message at any level, such as the address that the user waits for.
    package func notice(_ message: String) {
        write(message)
    }

    private func log(_ level: Level, _ message: () -> String) {
        guard level <= self.level else { return }
        // Messages quote text of clients, which must not pass for a line of the server's own.
        let text = message().map { $0.isNewline ? " " : $0 }
        write("\(level.rawValue): \(String(text))")
    }
}
