import Glibc

/// Lines for a pipe or a file: what was asked for on standard output, and all else on standard error.
@MainActor final class PlainOutput: ConsoleOutput {
    let columns: Int
    let style: Style
    /// On which line the command that runs stands, for messages.
    var line = 0
    /// Whether it is said what is on screen; it isn't among JSON.
    private let showsScreens: Bool
    private var shownPath = ""
    private(set) var hasFailed = false
    /// Nobody reads any more.
    private(set) var isClosed = false

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

    func show(_ lines: [String]) {
        if !FileOutput.write(lines.map { $0 + "\n" }.joined(), to: STDOUT_FILENO) { isClosed = true }
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

/// Writing whole texts, waiting where it must.
enum FileOutput {
    /// Returns false where nobody reads any more.
    @discardableResult
    static func write(_ text: String, to descriptor: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // A shell's other programs may have made it so.
                var status = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&status, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}
