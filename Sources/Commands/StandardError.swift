import LibC
import Synchronization
import Transport

/// Standard error, for log messages and usage errors, since standard output may belong to the protocol.
enum StandardError {
    /// Locked while one line is written, so that the result of `poll` still holds for the write.
    private static let turn = Mutex<Void>(())

    /// Writes a line on any thread, without waiting. A line that can't be written now is dropped: there is no other place for
    /// it, and a client that never reads its end of the pipe must not delay the server.
    static func write(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        turn.withLock { _ in write(bytes) }
    }

    private static func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard takesMore() else { return PrintedOutput.leaveOutLine() }
            // A pipe that is ready has room for this many bytes.
            let count = rest.prefix(Int(PIPE_BUF)).withUnsafeBytes {
                LibC.write(STDERR_FILENO, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Whether a write wouldn't wait: true for a file, and for a pipe or a terminal whose reader keeps up.
    private static func takesMore() -> Bool {
        var status = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        while true {
            let count = poll(&status, 1, 0)
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }
}

/// Standard output redirected to standard error for a while, so that nothing that is printed mixes with a client's messages.
struct PrintingToStandardError {
    private let saved: Int32

    init() {
        fflush(nil)
        saved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        if saved >= 0 { dup2(STDERR_FILENO, STDOUT_FILENO) }
    }

    /// Restores standard output. Must be called once.
    func end() {
        guard saved >= 0 else { return }
        fflush(nil)
        dup2(saved, STDOUT_FILENO)
        close(saved)
    }
}

/// A point in time in UTC, to the millisecond: "2026-11-22T15:41:40.123Z".
package struct TimeOfDay: CustomStringConvertible {
    package let description: String

    static var now: TimeOfDay { TimeOfDay(milliseconds: clinux_milliseconds_since_1970()) }

    package init(milliseconds: Int64) {
        description = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 40) { text in
            guard let start = text.baseAddress else { return "" }
            clinux_format_time(milliseconds, start, text.count)
            return String(cString: start)
        }
    }
}
