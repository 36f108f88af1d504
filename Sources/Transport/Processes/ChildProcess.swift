import LibC

/// A program that this process started, with a pipe to its standard input and one from its standard output.
///
/// A child belongs to its loop, which retains it until the program has ended. It leaves neither a zombie nor an orphan: a
/// program that still runs one grace period after its stream was closed is sent `SIGTERM`, and after a second one `SIGKILL`.
/// A program that still runs when the loop ends is killed at once.
package final class ChildProcess {
    package enum Ending: Equatable, Sendable {
        case exited(status: Int32)
        case signaled(Int32)
    }

    package static let defaultGrace: Duration = .seconds(5)

    package let processID: Int32
    /// The program's standard input and output, as a stream that isn't started. `finishWriting` ends the program's input.
    /// Output that the program wrote before it ended can still be read afterwards.
    package let stream: DescriptorStream

    private let process: StartedProcess

    /// Starts a program in a process group of its own. Called on the loop only.
    ///
    /// A terminal's Ctrl-C, or an editor that signals its group, therefore reaches the program only through `signal`, and so
    /// only once.
    ///
    /// - Parameters:
    ///   - command: a path or a name to look for in `PATH`, then the arguments.
    ///   - passing: a descriptor that the program gets as its descriptor 3.
    ///   - grace: the time that the program has to end by itself after its stream was closed, and again after `SIGTERM`.
    ///   - didEnd: called once, on the loop, unless the loop ends first.
    /// - Throws: the reason why the program can't be started; the code is `ENOENT` when there is no program of that name.
    package init(
        _ command: [String], passing passed: Int32? = nil, on loop: EventLoop,
        grace: Duration = ChildProcess.defaultGrace, didEnd: @escaping (Ending) -> Void
    ) throws(SystemError) {
        loop.preconditionIsCurrent()
        let input = try Pipe()
        let output = try Pipe()
        let spawn = Spawn(path: command.first ?? "", arguments: command, passed: passed)
        processID = try spawn.run(input: input.reading.number, output: output.writing.number)
        stream = DescriptorStream(
            input: output.reading, output: input.writing, peer: command.first ?? "", loop: loop)
        do throws(SystemError) {
            process = try StartedProcess(processID, name: command.first ?? "", on: loop, didEnd: didEnd)
        } catch {
            stream.close()
            throw error
        }
        stream.whenClosed = { [process] in process.endWithin(grace) }
    }

    /// Sends a signal to the program and its process group. Does nothing once the program has ended. Called on the loop only.
    package func signal(_ number: Int32) { process.signal(number) }
}

/// A process that this one has started. Its end is reported once, and neither a zombie nor an orphan is left.
///
/// It belongs to its loop, which retains it until the process has ended. A process that still runs when the loop ends is
/// killed at once.
final class StartedProcess: Registrant {
    private let id: Int32
    private let loop: EventLoop
    private var didEnd: ((ChildProcess.Ending) -> Void)?
    private var watcher: ProcessWatcher?
    private var registration: RegistrationToken?
    private var timer: LoopTimer?

    /// Begins to watch a process. Called on the loop only.
    ///
    /// - Parameters:
    ///   - id: the ID of a process that nobody has waited for.
    ///   - name: the process's name in errors.
    ///   - didEnd: called once, on the loop, unless the loop ends first.
    /// - Throws: where the system can't report the end of a process. The process has been killed then.
    init(
        _ id: Int32, name: String, on loop: EventLoop, didEnd: @escaping (ChildProcess.Ending) -> Void
    ) throws(SystemError) {
        self.id = id
        self.loop = loop
        self.didEnd = didEnd
        registration = loop.core.register(self)
        watcher = ProcessWatcher(pid: id, on: loop) { [self] in reap() }
        guard watcher == nil else { return }
        loopWillEnd()
        throw SystemError(
            code: ENOSYS, call: "pidfd_open", subject: name, reason: "the system can't tell when a process ends")
    }

    /// Sends a signal to the process and its group. Does nothing once the process has ended. Called on the loop only.
    func signal(_ number: Int32) {
        loop.preconditionIsCurrent()
        guard registration != nil else { return }
        // A program may have left its group, or have none of its own.
        if kill(-id, number) != 0 { kill(id, number) }
    }

    /// Sends `SIGTERM` after the grace, and `SIGKILL` after a second one. Called on the loop only.
    func endWithin(_ grace: Duration) {
        endWithin(grace, by: SIGTERM)
    }

    private func endWithin(_ grace: Duration, by number: Int32) {
        guard registration != nil else { return }
        let bound = LoopBound(self, loop: loop)
        timer = loop.schedule(after: grace) {
            bound.value.signal(number)
            if number != SIGKILL { bound.value.endWithin(grace, by: SIGKILL) }
        }
    }

    func didBecomeReady(_ readiness: Interest) {}

    func loopWillEnd() {
        guard registration != nil else { return }
        signal(SIGKILL)
        didEnd = nil
        reap()
    }

    /// Waits for the process, which has ended or is about to, and reports its end.
    private func reap() {
        var status: Int32 = 0
        var result: pid_t = 0
        repeat { result = waitpid(id, &status, 0) } while result < 0 && errno == EINTR
        if let registration { loop.core.withdraw(registration) }
        registration = nil
        watcher?.close()
        watcher = nil
        timer?.cancel()
        timer = nil
        let didEnd = didEnd
        self.didEnd = nil
        // Where other code in this process has taken the status, a failure is assumed.
        didEnd?(result == id ? ChildProcess.Ending(waitStatus: status) : .exited(status: 1))
    }
}

extension ChildProcess.Ending: CustomStringConvertible {
    /// The ending in words, to follow "the process …".
    package var description: String {
        switch self {
        case .exited(let status): "exited with status \(status)"
        case .signaled(let signal): "was ended by \(SignalName.of(signal))"
        }
    }

    /// Reads the status of `waitpid`, as the macros of `wait.h` do, which Swift doesn't import.
    fileprivate init(waitStatus: Int32) {
        let signal = waitStatus & 0x7F
        self = signal == 0 ? .exited(status: (waitStatus >> 8) & 0xFF) : .signaled(signal)
    }
}

/// A program to start as a shell would: with this process's environment, standard error and folder, and with the default
/// actions of all signals that weren't ignored when this process began.
///
/// The program also gets the descriptors that this process inherited. Those that this process opened are closed on exec.
struct Spawn {
    /// The program's path, or a name to look for in `PATH`.
    let path: String
    /// The arguments, beginning with the program's name for itself.
    let arguments: [String]
    /// An argument after the others that needn't be UTF-8.
    var lastArgument: [UInt8]?
    /// Entries of the form `NAME=VALUE`; nil for this process's own environment.
    var environment: [String]?
    /// A descriptor that becomes the program's descriptor 3.
    var passed: Int32?
    /// Whether the program leads a process group of its own. Without one, it gets a terminal's signals as this process does.
    var leadsGroup = true

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - input: becomes the program's standard input; set to blocking, as programs expect.
    ///   - output: becomes the program's standard output, likewise; nil for this process's own.
    /// - Returns: the process ID.
    /// - Throws: the reason why the program can't be started.
    func run(input: Int32, output: Int32? = nil) throws(SystemError) -> pid_t {
        guard !path.isEmpty else {
            throw SystemError(code: ENOENT, call: "start", reason: "there is no program to start")
        }
        for descriptor in [input, output].compactMap(\.self) where fcntl(descriptor, F_SETFL, 0) != 0 {
            throw SystemError.last("fcntl", "F_SETFL")
        }
        clinux_keep_child_statuses()

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        if let output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
        // Last, as 3 may be the number of `input` or `output`. Where the passed descriptor is 3 already, it is only left open
        // on exec.
        if let passed { posix_spawn_file_actions_adddup2(&actions, passed, STDERR_FILENO + 1) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        setSignals(of: &attributes)

        var id: pid_t = 0
        let code = Self.withStrings(arguments, lastArgument) { arguments in
            guard let environment else { return posix_spawnp(&id, path, &actions, &attributes, arguments, environ) }
            return Self.withStrings(environment) { posix_spawnp(&id, path, &actions, &attributes, arguments, $0) }
        }
        guard code == 0 else { throw failure(code) }
        return id
    }

    /// Gives the program an empty signal mask and the default actions. A loop's thread may block signals, and the process
    /// ignores some from its first loop on; a program must inherit neither.
    private func setSignals(of attributes: inout posix_spawnattr_t) {
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for number in [SIGPIPE, SIGXFSZ] { sigaddset(&defaults, number) }
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        if leadsGroup {
            posix_spawnattr_setpgroup(&attributes, 0)
            flags |= POSIX_SPAWN_SETPGROUP
        }
        posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))
    }

    /// Calls `body` with the strings as a C array that ends with null.
    private static func withStrings<R>(
        _ strings: [String], _ last: [UInt8]? = nil, _ body: ([UnsafeMutablePointer<CChar>?]) -> R
    ) -> R {
        var copies = strings.map { strdup($0) }
        if let last { copies.append((last + [0]).map { CChar(bitPattern: $0) }.withUnsafeBufferPointer { copy($0) }) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }

    /// Copies a string.
    ///
    /// - Parameter string: ends with a zero byte.
    private static func copy(_ string: UnsafeBufferPointer<CChar>) -> UnsafeMutablePointer<CChar>? {
        string.baseAddress.map { strdup($0) }
    }

    private func failure(_ code: Int32) -> SystemError {
        let isMissing = code == ENOENT && !path.contains("/")
        return SystemError(
            code: code, call: "start", subject: path, reason: isMissing ? "there is no such program in PATH" : nil)
    }
}
