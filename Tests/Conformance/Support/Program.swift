import Glibc

/// A program that runs beside a test, with a pipe to each of its standard streams.
///
/// Methods that wait block their thread, up to a deadline, so tests use it with the trait `.ownThread`. Meanwhile all
/// output of the program is read. On release the program and all processes of its group are killed.
final class Program {
    /// How a program ended.
    enum Ending: Equatable {
        case status(Int32)
        case signal(Int32)
    }

    /// The program wasn't in time, or ended its output early.
    struct Late: Error, CustomStringConvertible {
        let description: String
    }

    let process: ProcessHandle
    private let name: String
    private var input: Pipe.End?
    private var output: ProgramOutput
    private var errorOutput: ProgramOutput
    private var ending: Ending?

    /// - Parameters:
    ///   - command: a path, or a name to look for in `PATH`.
    ///   - environment: added to the test's own.
    init(_ command: String, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
        let (input, output, errorOutput) = (try Pipe(), try Pipe(), try Pipe())
        try input.reading.makeBlocking()
        try output.writing.makeBlocking()
        try errorOutput.writing.makeBlocking()
        let spawn = Spawn(
            command: command, arguments: arguments, environment: environment,
            streams: [input.reading.number, output.writing.number, errorOutput.writing.number])
        process = try ProcessHandle(spawn.run())
        name = command.split(separator: "/").last.map(String.init) ?? command
        self.input = input.writing
        self.output = ProgramOutput(output.reading)
        self.errorOutput = ProgramOutput(errorOutput.reading)
        // A program that ends before it has read its input must not end the tests.
        Glibc.signal(SIGPIPE, SIG_IGN)
    }

    /// Reaps the program here and not before, so that its id, and that of its group, can't belong to another process.
    deinit {
        kill(-process.id, SIGKILL)
        while waitpid(process.id, nil, 0) < 0, errno == EINTR {}
    }

    /// Sends text, without adding a line end.
    func write(_ text: String) throws {
        guard let input else { throw Late(description: "\(name)'s input is closed") }
        var rest = Array(text.utf8)[...]
        let deadline = Deadline()
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

    /// Ends the program's input.
    func closeInput() {
        input = nil
    }

    /// The next line of standard output; nil at its end.
    func line() throws -> String? {
        let deadline = Deadline()
        while true {
            if let line = output.nextLine() { return line }
            if output.isAtEnd { return nil }
            try take(until: deadline, "to write a line")
        }
    }

    /// The next line of standard error; nil at its end. What a server says of slowness is left out: on a busy machine, the first
    /// event of a process of a debug build may take that long.
    func errorLine() throws -> String? {
        while let line = try anyErrorLine() {
            if !line.contains(" held its thread for "), !line.contains("no task of Swift's own pool has begun") {
                return line
            }
        }
        return nil
    }

    /// The same with what a server says of slowness.
    func anyErrorLine() throws -> String? {
        let deadline = Deadline()
        while true {
            if let line = errorOutput.nextLine() { return line }
            if errorOutput.isAtEnd { return nil }
            try take(until: deadline, "to write a line to standard error")
        }
    }

    /// Reads up to a line of standard output that is `text`.
    ///
    /// - Throws: where the output ends before.
    func readLines(upTo text: String) throws {
        try readLines { $0 == text }
    }

    /// Reads up to a line of standard output that is wanted.
    ///
    /// - Throws: where the output ends before.
    func readLines(until isWanted: (String) -> Bool) throws {
        while let line = try line() { if isWanted(line) { return } }
        throw Late(description: "\(name) ended its output before the line; \(report)")
    }

    /// The remaining lines of standard output, up to its end.
    func lines() throws -> [String] {
        var lines: [String] = []
        while let line = try line() { lines.append(line) }
        return lines
    }

    /// The rest of standard error, up to its end.
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
        let deadline = Deadline()
        while true {
            if let ending { return ending }
            try take(until: deadline, "to end")
        }
    }

    /// Closes the input and waits for the end.
    func finish() throws -> Ending {
        closeInput()
        return try end()
    }

    /// Waits for output, the end, or room for input, and reads what came.
    private func take(until deadline: Deadline, orWritable input: Int32 = -1, _ what: String) throws {
        var slots = [
            pollfd(fd: output.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: errorOutput.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: ending == nil ? process.descriptor : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: input, events: Int16(POLLOUT), revents: 0),
        ]
        guard poll(&slots, nfds_t(slots.count), deadline.milliseconds) != 0 else {
            throw Late(description: "waited \(Deadline.patience) for \(name) \(what); \(report)")
        }
        if slots[0].revents != 0 { try output.take() }
        if slots[1].revents != 0 { try errorOutput.take() }
        if slots[2].revents != 0 { try readEnding() }
    }

    /// Reads how the program ended.
    private func readEnding() throws {
        var info = siginfo_t()
        try check(waitid(P_PID, id_t(process.id), &info, WEXITED | WNOWAIT), "waitid")
        let status = info._sifields._sigchld.si_status
        ending = info.si_code == CLD_EXITED ? .status(status) : .signal(status)
    }

    /// The output that no test has read.
    var report: String {
        "it wrote \(String(reflecting: output.rest)), and to standard error \(String(reflecting: errorOutput.rest))"
    }
}

extension Program {
    /// The executable under test.
    static func server(_ arguments: String..., environment: [String: String] = [:]) throws -> Program {
        try Program(Checkout.server, arguments, environment: environment)
    }

    /// Reads standard error up to `listening on ADDRESS` and returns the address.
    func listeningAddress() throws -> String {
        while let line = try errorLine() {
            if line.hasPrefix("listening on ") { return String(line.dropFirst("listening on ".count)) }
        }
        throw Late(description: "the server never said where it listens")
    }
}

extension Program {
    /// `nc`, connected to `HOST:PORT` or to the path of a Unix socket; half-closes the connection at the end of its
    /// input.
    convenience init(netcat address: String) throws {
        let place = address.contains("/") ? ["-U", address] : address.split(separator: ":").map(String.init)
        try self.init(Tool.netcat.command, ["-N"] + place)
    }
}

/// The unread output of one of a program's streams.
struct ProgramOutput {
    private(set) var isAtEnd = false
    private var bytes: [UInt8] = []
    private let end: Pipe.End

    init(_ end: Pipe.End) {
        self.end = end
    }

    /// For `poll`, which ignores negative ones.
    var descriptor: Int32 { isAtEnd ? -1 : end.number }

    var rest: String { String(decoding: bytes, as: UTF8.self) }

    /// Reads the available bytes, or notes the end.
    mutating func take() throws {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(end.number, &chunk, chunk.count)
        if count < 0 { throw SystemFailure("read") }
        if count == 0 { isAtEnd = true }
        bytes += chunk[..<count]
    }

    /// A line without its end (`\n` or `\r\n`); nil when there is none yet. At the output's end an unfinished line
    /// counts.
    mutating func nextLine() -> String? {
        guard let newline = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
            guard isAtEnd, !bytes.isEmpty else { return nil }
            defer { bytes = [] }
            return rest
        }
        var line = bytes[..<newline]
        if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        defer { bytes.removeSubrange(...newline) }
        return String(decoding: line, as: UTF8.self)
    }
}

/// The time at which a wait counts as hanging: far beyond what anything that works takes on a busy machine.
struct Deadline {
    static let patience: Duration = .seconds(1_200)
    private let end: ContinuousClock.Instant = .now + patience

    /// The rest, for `poll`; 0 when it's over.
    var milliseconds: Int32 {
        let left = max(.zero, end - .now).components
        return Int32(left.seconds * 1_000 + left.attoseconds / 1_000_000_000_000_000)
    }
}
