import Glibc

/// A program that runs beside a test, with a pipe to each of its standard streams.
///
/// What waits blocks its thread, up to a deadline, so tests use it with the trait `.ownThread`. While one thing is waited
/// for, everything that the program writes is taken. Once it is released, the program and what it started are gone: they
/// are a process group, which is killed.
final class Program {
    /// How a program ended.
    enum Ending: Equatable {
        case status(Int32)
        case signal(Int32)
    }

    /// The program didn't do in time what a test waited for.
    struct Late: Error, CustomStringConvertible {
        let description: String
    }

    let process: ProcessHandle
    private let name: String
    private let patience: Duration
    private var input: Pipe.End?
    private var output: ProgramOutput
    private var errorOutput: ProgramOutput
    private var ending: Ending?

    /// - Parameters:
    ///   - command: a path, or a name to look for in `PATH`.
    ///   - environment: added to the test's own.
    ///   - patience: how long each call waits at most.
    init(
        _ command: String, _ arguments: [String] = [], environment: [String: String] = [:],
        patience: Duration = .seconds(60)
    ) throws {
        let (input, output, errorOutput) = (try Pipe(), try Pipe(), try Pipe())
        try input.reading.makeBlocking()
        try output.writing.makeBlocking()
        try errorOutput.writing.makeBlocking()
        let spawn = Spawn(
            command: command, arguments: arguments, environment: environment,
            streams: [input.reading.number, output.writing.number, errorOutput.writing.number])
        process = try ProcessHandle(spawn.run())
        name = command.split(separator: "/").last.map(String.init) ?? command
        self.patience = patience
        self.input = input.writing
        self.output = ProgramOutput(output.reading)
        self.errorOutput = ProgramOutput(errorOutput.reading)
        // A program that ends before it read everything is a test's business, not a reason to end the tests.
        Glibc.signal(SIGPIPE, SIG_IGN)
    }

    /// The program is waited for here and not before, so that its number, and that of its group, is still its own.
    deinit {
        kill(-process.id, SIGKILL)
        while waitpid(process.id, nil, 0) < 0, errno == EINTR {}
    }

    /// Sends text as it stands.
    func write(_ text: String) throws {
        guard let input else { throw Late(description: "\(name)'s input is closed") }
        var rest = Array(text.utf8)[...]
        let deadline = Deadline(patience)
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(input.number, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                try take(until: deadline, orWritable: input.number, "to read its input")
            } else {
                throw SystemFailure("writing to \(name)")
            }
        }
    }

    /// Sends each message on a line of its own.
    func send(_ messages: String...) throws {
        try write(messages.map { $0 + "\n" }.joined())
    }

    /// The program sees the end of its input.
    func closeInput() {
        input = nil
    }

    /// The next line of standard output; nil at its end.
    func line() throws -> String? {
        let deadline = Deadline(patience)
        while true {
            if let line = output.nextLine() { return line }
            if output.isAtEnd { return nil }
            try take(until: deadline, "to write a line")
        }
    }

    /// The next line of standard error; nil at its end.
    func errorLine() throws -> String? {
        let deadline = Deadline(patience)
        while true {
            if let line = errorOutput.nextLine() { return line }
            if errorOutput.isAtEnd { return nil }
            try take(until: deadline, "to write a line to standard error")
        }
    }

    /// All further lines of standard output, up to its end.
    func lines() throws -> [String] {
        var lines: [String] = []
        while let line = try line() { lines.append(line) }
        return lines
    }

    /// All further standard error, up to its end.
    func errorText() throws -> String {
        var lines: [String] = []
        while let line = try errorLine() { lines.append(line) }
        return lines.joined(separator: "\n")
    }

    func signal(_ number: Int32) throws {
        try check(kill(process.id, number), "kill")
    }

    /// Waits for the program's end.
    func end() throws -> Ending {
        let deadline = Deadline(patience)
        while true {
            if let ending { return ending }
            try take(until: deadline, "to end")
        }
    }

    /// Closes the input, waits for the end, and expects no more than that.
    func finish() throws -> Ending {
        closeInput()
        return try end()
    }

    /// Waits for the first that is there: output, the end, or room for input; takes it.
    private func take(until deadline: Deadline, orWritable input: Int32 = -1, _ what: String) throws {
        var slots = [
            pollfd(fd: output.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: errorOutput.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: ending == nil ? process.descriptor : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: input, events: Int16(POLLOUT), revents: 0),
        ]
        guard poll(&slots, nfds_t(slots.count), deadline.milliseconds) != 0 else {
            throw Late(description: "waited \(patience) for \(name) \(what); \(report)")
        }
        if slots[0].revents != 0 { try output.take() }
        if slots[1].revents != 0 { try errorOutput.take() }
        if slots[2].revents != 0 { try readEnding() }
    }

    /// How a process that has ended did.
    private func readEnding() throws {
        var info = siginfo_t()
        try check(waitid(P_PID, id_t(process.id), &info, WEXITED | WNOWAIT), "waitid")
        let status = info._sifields._sigchld.si_status
        ending = info.si_code == CLD_EXITED ? .status(status) : .signal(status)
    }

    /// What it wrote that no test has looked at.
    var report: String {
        "it wrote \(String(reflecting: output.rest)), and to standard error \(String(reflecting: errorOutput.rest))"
    }
}
