import LibC

/// Starts a program as a shell would: with this process's environment, standard error and folder, and with the default
/// actions of all signals that were not ignored when this process began.
///
/// The program also gets the descriptors that this process inherited; those that this process opened are closed on
/// exec.
struct Spawn {
    /// A path or a name to look for in `PATH`, then the arguments.
    let command: [String]

    /// - Parameters:
    ///   - input: becomes the program's standard input; set to blocking, as programs expect.
    ///   - output: becomes its standard output, likewise.
    /// - Returns: the process's number.
    /// - Throws: the reason why the program can't be started.
    func run(input: Int32, output: Int32) throws(SystemError) -> pid_t {
        guard let name = command.first, !name.isEmpty else {
            throw SystemError(code: ENOENT, call: "start", reason: "there is no program to start")
        }
        for descriptor in [input, output] where fcntl(descriptor, F_SETFL, 0) != 0 {
            throw SystemError.last("fcntl", "F_SETFL")
        }
        clinux_keep_child_statuses()

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        setSignals(of: &attributes)

        var id: pid_t = 0
        let code = withArguments { posix_spawnp(&id, name, &actions, &attributes, $0, environ) }
        guard code == 0 else { throw failure(code, name) }
        return id
    }

    /// A loop's thread may block signals, and the process ignores some from its first loop on: a program must inherit
    /// neither.
    private func setSignals(of attributes: inout posix_spawnattr_t) {
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for number in [SIGPIPE, SIGXFSZ] { sigaddset(&defaults, number) }
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))
    }

    /// Lends the command as C's array of strings.
    private func withArguments<R>(_ body: ([UnsafeMutablePointer<CChar>?]) -> R) -> R {
        let copies = command.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }

    private func failure(_ code: Int32, _ name: String) -> SystemError {
        let isMissing = code == ENOENT && !name.contains("/")
        return SystemError(
            code: code, call: "start", subject: name, reason: isMissing ? "there is no such program in PATH" : nil)
    }
}
