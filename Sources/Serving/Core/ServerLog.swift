import Queues
import Sessions
import Synchronization
public import ViewModels

/// A message of a server for the person who runs it.
public struct LogEntry: Sendable, Equatable {
    /// How important a message is.
    public typealias Level = Log.Level

    /// How important the message is.
    public let level: Level
    /// A sentence in one line. What it quotes of clients is escaped, and cut where it is long.
    public let message: String
    /// The client that the message is about: where it comes from, as "127.0.0.1:53214" or "unix"; of a view model's own
    /// message the principal or the name of the client whose event is handled. Nil for others.
    public let client: String?
    /// The name of the view model that wrote the message; nil for the server's own messages.
    public let viewModel: String?
    /// The number of the session whose view model wrote the message, counted from 1 in each process; nil for the server's own
    /// messages.
    public let session: Int?
    /// Whether the message is one that whoever started the server waits for, such as the address that it listens on.
    public let isNotice: Bool

    init(
        level: Level, message: String, client: String?, viewModel: String? = nil, session: Int? = nil,
        isNotice: Bool = false
    ) {
        self.level = level
        self.message = message
        self.client = client
        self.viewModel = viewModel
        self.session = session
        self.isNotice = isNotice
    }

    /// The message as one line, behind its client or its session: "orders#3 (ada): 5 orders loaded".
    public var description: String {
        guard let viewModel, let session else { return client.map { "\($0): \(message)" } ?? message }
        return "\(viewModel)#\(session)\(client.map { " (\($0))" } ?? ""): \(message)"
    }

    /// The line of a log for people.
    ///
    /// - Parameter time: begins the line of what isn't a notice; nil: no time.
    package func line(at time: String?) -> String {
        isNotice ? message : "\(time.map { $0 + " " } ?? "")\(level.rawValue): \(description)"
    }
}

extension LogEntry: CustomStringConvertible {}

/// The server's log for the person who runs it, a line for each message.
///
/// Messages may quote text of clients, so unprintable characters are escaped and long texts are cut. Lines about
/// clients are bounded in number, for each client and for all together, and those that are left out are counted.
package final class ServerLog: Sendable {
    /// A log writes the messages of its own level and of all levels declared before that one.
    package typealias Level = Log.Level

    /// The length in seconds of the windows of time for which lines about clients are bounded.
    private static let windowSeconds: Int64 = 10
    /// The longest message, in bytes.
    private static let messageBytes = 2 << 10

    private struct Counts {
        var allClients = LineCount()
        var written = 0
        var leftOut = 0
    }

    package let level: Level
    private let maximumClientLines: Int
    private let maximumLines: Int
    /// Returns the number of the current window of time.
    private let window: @Sendable () -> Int64
    private let write: @Sendable (LogEntry) -> Void
    private let counts = Mutex(Counts())

    /// - Parameters:
    ///   - clientLines: the most messages about one client in ten seconds.
    ///   - lines: the most messages about all clients together in ten seconds.
    ///   - write: takes a message, on any thread.
    package init(
        level: Level = .error, clientLines: Int = .max, lines: Int = .max,
        clock: some Clock<Duration> = ContinuousClock(), entries write: @escaping @Sendable (LogEntry) -> Void
    ) {
        self.level = level
        maximumClientLines = clientLines
        maximumLines = lines
        let elapsed = clock.stopwatch()
        window = { elapsed().components.seconds / Self.windowSeconds }
        self.write = write
    }

    /// Makes a log of lines.
    ///
    /// - Parameters:
    ///   - time: returns the time of day. At the level `debug` it begins each line that isn't a notice.
    ///   - write: takes a line without its line break, on any thread.
    package convenience init(
        level: Level = .error, clientLines: Int = .max, lines: Int = .max,
        clock: some Clock<Duration> = ContinuousClock(), time: (@Sendable () -> String)? = nil,
        write: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.init(level: level, clientLines: clientLines, lines: lines, clock: clock) { entry in
            write(entry.line(at: level == .debug ? time?() : nil))
        }
    }

    /// Returns whether the log writes messages of this level.
    package func takes(_ level: Level) -> Bool { level <= self.level }

    package func error(_ message: @autoclosure () -> String) { log(.error, message) }
    package func warning(_ message: @autoclosure () -> String) { log(.warning, message) }
    package func info(_ message: @autoclosure () -> String) { log(.info, message) }
    package func debug(_ message: @autoclosure () -> String) { log(.debug, message) }

    /// Writes a message at any level, such as the address that the user waits for. The text isn't escaped, so it must not
    /// quote a client.
    package func notice(_ message: String) {
        counts.withLock { $0.written += 1 }
        write(LogEntry(level: .info, message: message, client: nil, isNotice: true))
    }

    private func log(_ level: Level, of client: String? = nil, _ message: () -> String) {
        guard level <= self.level else { return }
        counts.withLock { $0.written += 1 }
        let text = VisibleText(message(), maximumBytes: Self.messageBytes).description
        let client = client.map { VisibleText($0, maximumBytes: Self.messageBytes).description }
        write(LogEntry(level: level, message: text, client: client, isNotice: false))
    }

    /// The number of lines that were written, and of lines about clients that were left out.
    package var lineCounts: (written: Int, leftOut: Int) {
        counts.withLock { ($0.written, $0.leftOut) }
    }
}

// Messages of view models.
extension ServerLog {
    /// Writes a message of a session's view model.
    func write(_ level: Level, _ message: String, of session: Session) {
        guard level <= self.level else { return }
        counts.withLock { $0.written += 1 }
        let client = (Client.current?.principal ?? Client.current?.name).map {
            VisibleText($0, maximumBytes: Self.messageBytes).description
        }
        write(
            LogEntry(
                level: level, message: VisibleText(message, maximumBytes: Self.messageBytes).description,
                client: client,
                viewModel: session.viewModelName, session: session.number))
    }
}

// Lines about clients.
extension ServerLog {
    /// Writes a message about a client, unless there were too many lately. The message is evaluated only where it is written.
    ///
    /// - Parameters:
    ///   - client: the client's name, which begins the line.
    ///   - count: the lines about this client so far.
    package func log(
        _ level: Level, of client: @autoclosure () -> String, _ count: inout LineCount,
        _ message: @autoclosure () -> String
    ) {
        guard level <= self.level else { return }
        let window = window()
        guard count.take(maximumClientLines, in: window) else { return leaveOut() }
        let allBefore: Int? = counts.withLock { counts in
            counts.allClients.take(maximumLines, in: window) ? counts.allClients.takeLeftOut() : nil
        }
        guard let allBefore else {
            count.leftOut += 1
            return leaveOut()
        }
        if allBefore > 0 { log(.warning) { "\(allBefore) lines about clients left out" } }
        let client = client()
        let ownBefore = count.takeLeftOut()
        if ownBefore > 0 { log(.warning, of: client) { "\(ownBefore) lines left out" } }
        log(level, of: client, message)
    }

    /// Writes how many lines about a client that is gone were left out.
    package func end(of client: @autoclosure () -> String, _ count: inout LineCount) {
        let leftOut = count.takeLeftOut()
        guard leftOut > 0 else { return }
        let isAllowed = counts.withLock { $0.allClients.take(maximumLines, in: window()) }
        if isAllowed { log(.warning, of: client()) { "\(leftOut) lines left out" } }
    }

    private func leaveOut() {
        counts.withLock { $0.leftOut += 1 }
    }
}

/// The number of lines about one client, or about all, in the current window of time.
package struct LineCount: Sendable {
    private var window: Int64 = -1
    private var count = 0
    /// The number of lines that were left out since the last one that was written.
    fileprivate(set) var leftOut = 0

    package init() {}

    fileprivate mutating func take(_ maximum: Int, in window: Int64) -> Bool {
        if window != self.window { (self.window, count) = (window, 0) }
        guard count < maximum else {
            leftOut += 1
            return false
        }
        count += 1
        return true
    }

    fileprivate mutating func takeLeftOut() -> Int {
        defer { leftOut = 0 }
        return leftOut
    }
}

/// Text of unknown origin in a form that can't act on a terminal, nor pass for another line: control characters, line
/// breaks and marks of writing direction are escaped. What is longer than a bound is cut, with a mark.
package struct VisibleText: CustomStringConvertible {
    package let description: String

    package init(_ text: String, maximumBytes: Int = .max) {
        var visible = ""
        for scalar in text.unicodeScalars {
            guard visible.utf8.count < maximumBytes else {
                visible += "… (\(text.utf8.count) bytes)"
                break
            }
            if Self.isPrintable(scalar) {
                visible.unicodeScalars.append(scalar)
            } else {
                visible += scalar.escaped(asASCII: true)
            }
        }
        description = visible
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
        default: true
        }
    }
}
