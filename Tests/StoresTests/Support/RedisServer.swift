import FoundationEssentials
import LibC
import Sessions
import Stores
import Testing

/// A redis-server of a test's own, on a Unix socket in a temporary folder. It ends with the test, and with its process.
final class RedisServer {
    static let program = ["/usr/bin/redis-server", "/usr/local/bin/redis-server"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    static var isInstalled: Bool { program != nil }

    private let folder: TemporaryFolder
    private let options: [String]
    private var shell: pid_t = 0
    /// Held open: the shell kills the server when it closes.
    private var lifeline: Int32 = -1
    private var process: pid_t = 0

    /// - Parameter options: as on the command line, such as `--appendonly yes`.
    init(_ options: String...) throws {
        folder = try TemporaryFolder()
        self.options = options.flatMap { $0.split(separator: " ").map(String.init) }
        try start()
    }

    deinit {
        kill()
    }

    var socket: String { folder.file("redis") }

    var address: RedisAddress {
        get throws { try RedisAddress("unix://\(socket)") }
    }

    /// Ends it at once, as a crash does.
    func kill() {
        guard process > 0 else { return }
        signal(SIGKILL)
        wait()
    }

    /// Ends it in order.
    func end() {
        // Its answer is the end of the connection.
        _ = try? command("SHUTDOWN")
        wait()
    }

    func signal(_ number: Int32) {
        _ = LibC.kill(process, number)
    }

    private func wait() {
        close(lifeline)
        var status: Int32 = 0
        while waitpid(shell, &status, 0) < 0, errno == EINTR {}
        process = 0
    }

    /// Starts it with what it has stored. Returns when it listens.
    func start() throws {
        var (input, output): ([Int32], [Int32]) = ([0, 0], [0, 0])
        // Closed on exec from the start: servers of other tests begin at the same time.
        try #require(clinux_pipe(&input) == 0 && clinux_pipe(&output) == 0)
        for descriptor in [input[0], output[0], output[1]] { _ = fcntl(descriptor, F_SETFL, 0) }
        defer { for descriptor in [input[0], output[0]] { close(descriptor) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input[0], 0)
        posix_spawn_file_actions_adddup2(&actions, output[1], 1)
        let watch = #""$@" </dev/null & server=$!; echo $server; read line; kill -9 $server 2>/dev/null; wait"#
        let command =
            ["/bin/sh", "-c", watch, "sh", Self.program ?? "redis-server"]
            + ["--port", "0", "--unixsocket", socket, "--dir", folder.path, "--save", ""] + options
        var arguments = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        // The test's thread may have blocked signals that a shell waits for.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        try #require(posix_spawn(&shell, "/bin/sh", &actions, &attributes, &arguments, environ) == 0)
        lifeline = input[1]
        close(output[1])
        var text = ""
        var bytes = [UInt8](repeating: 0, count: 4_096)
        // The shell's line is one with nothing but a number, before or behind Redis' own.
        var number: pid_t?
        while number == nil || !text.contains("eady to accept connections") {
            let count = read(output[0], &bytes, bytes.count)
            try #require(count > 0, "redis-server doesn't start: \(text)")
            text += String(decoding: bytes.prefix(count), as: UTF8.self)
            number = text.split(separator: "\n").lazy.compactMap { pid_t($0) }.first
        }
        process = try #require(number)
    }
}

/// What the call gives in the end: like the server, it is made again while the store can't be used.
func retried<Value>(_ body: () throws -> Value) throws -> Value {
    while true {
        do { return try body() } catch StoreError.unavailable {}
    }
}
