import CLinux
import FoundationEssentials
import Glibc

/// A running process, whoever started it: the number may be reused, this stays the same process.
final class ProcessHandle {
    let id: pid_t
    /// Readable once the process has ended.
    let descriptor: Int32

    /// - Throws: `SystemFailure` when there is no such process.
    init(_ id: pid_t) throws {
        self.id = id
        descriptor = try check(clinux_pidfd_open(id), "pidfd_open \(id)")
    }

    deinit {
        close(descriptor)
    }

    /// Waits for the end; false when it hasn't come before the deadline.
    func ends(within deadline: Deadline = Deadline()) -> Bool {
        var slot = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&slot, 1, deadline.milliseconds) > 0
    }

    /// The processes that it started and that still run.
    func children() throws -> [pid_t] {
        try String(contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)
            .split(separator: " ").compactMap { pid_t($0) }
    }
}
