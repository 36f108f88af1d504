import LibC

/// Listening sockets that systemd, or another program that follows sd_listen_fds(3), has started this process with.
struct InheritedSockets: Equatable {
    private static let first = STDERR_FILENO + 1
    static let none = InheritedSockets(count: 0)

    private let count: Int32

    /// The sockets' descriptors, each to be owned by one listener.
    var descriptors: Range<Int32> { Self.first..<(Self.first + count) }

    /// Takes the sockets that the environment names for this process, so that programs which it starts get neither the sockets
    /// nor their names. Must be called before there are other threads, which may read the environment.
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
