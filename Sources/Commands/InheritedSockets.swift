import LibC

/// The sockets that systemd, or another program that does as sd_listen_fds(3) says, has started this process with.
struct InheritedSockets: Equatable {
    private static let first = STDERR_FILENO + 1
    static let none = InheritedSockets(count: 0)

    private let count: Int32

    /// Their descriptors, each for one owner.
    var descriptors: Range<Int32> { Self.first..<(Self.first + count) }

    /// Those that the environment names for this process. The programs that it starts get neither them nor their names. Called before
    /// there are other threads, which may read the environment.
    static func take() -> InheritedSockets {
        defer { for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID"] { unsetenv(name) } }
        guard let process = getenv("LISTEN_PID"), Int32(String(cString: process)) == getpid(),
            let text = getenv("LISTEN_FDS"), let count = Int32(String(cString: text)), (1...1024).contains(count)
        else { return .none }
        let sockets = InheritedSockets(count: count)
        for descriptor in sockets.descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return sockets
    }
}
