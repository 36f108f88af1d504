import FoundationEssentials
import Glibc

/// How a program is started: as a shell would, in a process group of its own, with default signals.
///
/// Foundation's `Process` is not used here: it hands the program a socket of its own, learns of the end by that socket, and
/// so waits for whatever else has inherited it, such as a server that an editor left behind.
struct Spawn {
    let command: String
    let arguments: [String]
    let environment: [String: String]
    /// The descriptors that become 0, 1, 2, …
    let streams: [Int32]

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
