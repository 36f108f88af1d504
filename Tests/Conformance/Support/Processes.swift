import CLinux
import FoundationEssentials
import Glibc

/// A running process, which may be another program's child. Unlike an id it never means a later process.
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

    /// Waits for the end; false where it seems to hang.
    func ends() -> Bool {
        var slot = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&slot, 1, Deadline().milliseconds) > 0
    }

    /// The ids of its running children.
    func children() throws -> [pid_t] {
        try String(contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)
            .split(separator: " ").compactMap { pid_t($0) }
    }
}

/// Starts a program as a shell does: in a process group of its own, with default signals.
///
/// Foundation's `Process` doesn't do: it learns of the end by a socket that the program inherits, and so also waits for
/// processes that inherited it in turn, such as a server that an editor left behind.
struct Spawn {
    let command: String
    let arguments: [String]
    let environment: [String: String]
    /// The descriptors that become 0, 1, 2, …
    let streams: [Int32]

    private static let niceness: Int32 = 5

    func run() throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (target, stream) in streams.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, stream, Int32(target))
        }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        setSignals(of: &attributes)

        var id: pid_t = 0
        let environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
        let code = withCStrings([command] + arguments) { arguments in
            withCStrings(environment) { posix_spawnp(&id, command, &actions, &attributes, arguments, $0) }
        }
        guard code == 0 else { throw SystemFailure("starting \(command)", code) }
        // The tests within this process have time limits, which programs would use up with the processors.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(id), Self.niceness)
        return id
    }

    /// A thread of Dispatch blocks most signals, and a test process ignores broken pipes: a program inherits neither.
    private func setSignals(of attributes: inout posix_spawnattr_t) {
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for number in [SIGPIPE, SIGINT, SIGHUP, SIGTERM, SIGQUIT] { sigaddset(&defaults, number) }
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(flags))
    }

    /// Calls `body` with the strings as C wants a list of them; they live as long as the call.
    private func withCStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}

/// A pipe with non-blocking ends that child processes don't inherit.
struct Pipe {
    /// Closed when it is released.
    final class End {
        let number: Int32

        fileprivate init(_ number: Int32) {
            self.number = number
        }

        deinit {
            close(number)
        }

        /// For a program's standard streams. The other end stays non-blocking.
        func makeBlocking() throws {
            try check(fcntl(number, F_SETFL, 0), "fcntl")
        }
    }

    let reading: End
    let writing: End

    init() throws {
        var ends: [Int32] = [-1, -1]
        try check(clinux_pipe(&ends), "pipe2")
        reading = End(ends[0])
        writing = End(ends[1])
    }
}

/// A call of the system that failed, in words.
struct SystemFailure: Error, CustomStringConvertible {
    let description: String

    init(_ call: String, _ code: Int32 = errno) {
        description = "\(call): \(String(cString: strerror(code)))"
    }

    init(description: String) {
        self.description = description
    }
}

/// Returns what a system call returned, unless that says that it failed.
@discardableResult
func check(_ result: Int32, _ call: @autoclosure () -> String) throws -> Int32 {
    guard result >= 0 else { throw SystemFailure(call()) }
    return result
}
