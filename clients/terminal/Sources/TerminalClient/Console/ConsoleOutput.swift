import LibC

/// The reason why a server's screens don't go on.
package enum Hindrance {
    /// The connection is lost.
    case connection
    /// The connection is open, but the server doesn't answer.
    case silence
    /// The server answers, but its store can't be used.
    case store

    package var words: String {
        switch self {
        case .connection: "no connection"
        case .silence: "no answer"
        case .store: "no store"
        }
    }

    /// The beginning of a message that a script has waited too long; the time follows.
    var absence: String {
        switch self {
        case .connection: "it couldn't be made again within"
        case .silence: "the server didn't answer within"
        case .store: "the server's store couldn't be used within"
        }
    }

    /// The message when this is over.
    var end: String {
        switch self {
        case .connection: "connected again"
        case .silence: "the server answers again"
        case .store: "the server goes on"
        }
    }
}

/// The output of a console.
@MainActor package protocol ConsoleOutput: AnyObject {
    var columns: Int { get }
    var style: Style { get }

    /// Shows the path to the current screen; "" if there is none. It may be the same as before.
    func screen(_ path: String)
    /// Marks the screen as possibly out of date, for this reason; nil removes the mark.
    func setHindrance(_ hindrance: Hindrance?)
    /// Shows the answer to a command, or an event.
    func show(_ lines: [String])
    /// Shows a remark of the client, such as that the connection is lost or a session has ended.
    func remark(_ line: String)
    /// Shows the failure of a command.
    func fail(_ message: String)
    /// Shows the progress of the running command.
    func progress(_ text: String)
}

/// Output to a pipe or a file: answers and events go to standard output, everything else to standard error.
@MainActor final class PlainOutput: ConsoleOutput {
    let columns: Int
    let style: Style
    /// The number of the running command's line, for messages.
    var line = 0
    /// Whether the path to the current screen is shown; it isn't when events are JSON.
    private let showsScreens: Bool
    private var shownPath = ""
    private(set) var hasFailed = false
    /// The `errno` of the write that failed, after which nothing more can be shown. `EPIPE` if the reader is gone.
    private(set) var failure: Int32?

    init(columns: Int, style: Style, showsScreens: Bool) {
        self.showsScreens = showsScreens
        self.columns = columns
        self.style = style
    }

    func screen(_ path: String) {
        guard path != shownPath else { return }
        shownPath = path
        if showsScreens, !path.isEmpty { show(["\(path):"]) }
    }

    /// Does nothing, since remarks tell about it.
    func setHindrance(_ hindrance: Hindrance?) {}

    func show(_ lines: [String]) {
        guard failure == nil, !FileOutput.write(lines.map { $0 + "\n" }.joined(), to: STDOUT_FILENO) else { return }
        failure = errno
    }

    func remark(_ line: String) {
        FileOutput.write(line + "\n", to: STDERR_FILENO)
    }

    func fail(_ message: String) {
        hasFailed = true
        FileOutput.write("line \(line): \(message)\n", to: STDERR_FILENO)
    }

    func progress(_ text: String) {
        FileOutput.write("… \(text)\n", to: STDERR_FILENO)
    }
}

/// Writes whole texts to a descriptor, and waits while it takes nothing.
enum FileOutput {
    /// Writes a text. Returns false if that fails; `errno` has the reason.
    @discardableResult
    static func write(_ text: String, to descriptor: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { LibC.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // Another program that shares the descriptor may have made it non-blocking.
                var status = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&status, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}
