import LibC

/// Why a server's screens don't go on.
package enum Hindrance {
    /// The connection is lost.
    case connection
    /// There is a connection, and the server doesn't answer.
    case silence
    /// The server answers, and its store can't be used.
    case store

    package var words: String {
        switch self {
        case .connection: "no connection"
        case .silence: "no answer"
        case .store: "no store"
        }
    }

    /// That a script doesn't wait any longer, before the time.
    var absence: String {
        switch self {
        case .connection: "it couldn't be made again within"
        case .silence: "the server didn't answer within"
        case .store: "the server's store couldn't be used within"
        }
    }

    /// When it is over.
    var end: String {
        switch self {
        case .connection: "connected again"
        case .silence: "the server answers again"
        case .store: "the server goes on"
        }
    }
}

/// The place where a console shows its texts.
@MainActor package protocol ConsoleOutput: AnyObject {
    var columns: Int { get }
    var style: Style { get }

    /// Shows the path to the current screen; "" without one. It may be the same as before.
    func screen(_ path: String)
    /// Marks the screen: what it shows may be old. Nil takes the mark off.
    func setHindrance(_ hindrance: Hindrance?)
    /// Shows the answer to a command, or an event.
    func show(_ lines: [String])
    /// Shows a remark of the client: a connection was lost, a session has ended.
    func remark(_ line: String)
    /// Shows the failure of a command.
    func fail(_ message: String)
    /// Shows the progress of the running command.
    func progress(_ text: String)
}

/// Lines for a pipe or a file: answers and events on standard output, everything else on standard error.
@MainActor final class PlainOutput: ConsoleOutput {
    let columns: Int
    let style: Style
    /// The line of the running command, for messages.
    var line = 0
    /// Whether the path to the current screen is shown; it isn't among JSON.
    private let showsScreens: Bool
    private var shownPath = ""
    private(set) var hasFailed = false
    /// The code of the write that failed, after which nothing more can be shown. `EPIPE` where the reader is gone.
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

    /// Remarks say it.
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

/// Writes whole texts, and waits where it must.
enum FileOutput {
    /// Returns false where it can't be written, and `errno` says why.
    @discardableResult
    static func write(_ text: String, to descriptor: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { LibC.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // Another program of the shell may have made the descriptor non-blocking.
                var status = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&status, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}
