/// The server's own log, for whoever runs it; a line each.
package struct Log: Sendable {
    /// How much is logged; each level includes those before it.
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

    /// - Parameter write: takes a line without its end, on any thread.
    package init(level: Level = .error, write: @escaping @Sendable (String) -> Void = { _ in }) {
        self.level = level
        self.write = write
    }

    package func error(_ message: @autoclosure () -> String) { log(.error, message) }
    package func warning(_ message: @autoclosure () -> String) { log(.warning, message) }
    package func info(_ message: @autoclosure () -> String) { log(.info, message) }
    package func debug(_ message: @autoclosure () -> String) { log(.debug, message) }

    /// Written whatever the level is: what the user waits for.
    package func notice(_ message: String) {
        write(message)
    }

    private func log(_ level: Level, _ message: () -> String) {
        guard level <= self.level else { return }
        // What clients send stands in messages, and must not pass for lines of the server's own.
        let text = message().map { $0.isNewline ? " " : $0 }
        write("\(level.rawValue): \(String(text))")
    }
}
