import Glibc
import Synchronization

/// Where logs and usage errors go: standard output may belong to the protocol.
enum StandardError {
    /// One line at a time, so that what `poll` says still holds when it is written.
    private static let turn = Mutex<Void>(())

    /// Writes a line at once and whole, from any thread. What can't be written now is dropped: there is no other place to
    /// report it, and a client that keeps a pipe for it and never reads must not hold up the server.
    static func write(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        turn.withLock { _ in write(bytes) }
    }

    private static func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty, takesMore() {
            // A pipe that is ready has room for so many.
            let count = rest.prefix(Int(PIPE_BUF)).withUnsafeBytes {
                Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// A file always does, a pipe or a terminal while its reader keeps up.
    private static func takesMore() -> Bool {
        var status = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        while true {
            let count = poll(&status, 1, 0)
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }
}
