import CBenchmarking
import CLinux
import Glibc

/// A program that is measured: started here, and killed when it is released or this process ends.
package final class Child {
    let id: pid_t
    package let input: Descriptor
    package let output: Descriptor
    private let errorOutput: Descriptor?
    private var hasEnded = false

    /// - Parameters:
    ///   - command: a path and its arguments.
    ///   - tellsAddress: its standard error is read by `address()`; otherwise it goes where this process's does.
    package init(_ command: [String], tellsAddress: Bool = false) throws(SystemFailure) {
        let (input, output) = (try Child.pipe(), try Child.pipe())
        let errors = tellsAddress ? try Child.pipe() : nil
        let streams = [input.reading.number, output.writing.number, errors?.writing.number ?? STDERR_FILENO]
        let words = command.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        id = cbenchmarking_spawn(command[0], words, streams)
        guard id > 0 else { throw SystemFailure("starting \(command[0])", -id) }
        self.input = input.writing
        self.output = output.reading
        errorOutput = errors?.reading
    }

    deinit {
        if hasEnded { return }
        kill(id, SIGKILL)
        while waitpid(id, nil, 0) < 0, errno == EINTR {}
    }

    /// Asks it to end, and waits until it has.
    package func end() throws(SystemFailure) {
        try check(kill(id, SIGTERM), "ending it")
        while waitpid(id, nil, 0) < 0 {
            guard errno == EINTR, kill(id, 0) == 0 else { throw SystemFailure("waiting for its end") }
        }
        hasEnded = true
    }

    private static func pipe() throws(SystemFailure) -> (reading: Descriptor, writing: Descriptor) {
        var ends: [Int32] = [-1, -1]
        try check(clinux_pipe(&ends), "pipe2")
        for end in ends { try check(fcntl(end, F_SETFL, 0), "fcntl") }
        return (Descriptor(ends[0]), Descriptor(ends[1]))
    }

    /// The port that it says it listens on: `listening on HOST:PORT`.
    package func port() throws(SystemFailure) -> UInt16 {
        var text = ""
        var chunk = [UInt8](repeating: 0, count: 4096)
        while let errorOutput {
            let capacity = chunk.count
            let count = Glibc.read(errorOutput.number, &chunk, capacity)
            guard count > 0 else { break }
            text += String(decoding: chunk[..<count], as: UTF8.self)
            guard text.hasSuffix("\n") else { continue }
            for line in text.split(separator: "\n") where line.hasPrefix("listening on ") {
                if let port = line.split(separator: ":").last.flatMap({ UInt16($0) }) { return port }
            }
        }
        throw SystemFailure(description: "it never said where it listens, but \(String(reflecting: text))")
    }

    /// Reads its standard output to the end, and returns how many lines that were.
    package func outputLines() throws(SystemFailure) -> Int {
        var lines = 0
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let capacity = chunk.count
            let count = Glibc.read(output.number, &chunk, capacity)
            guard count > 0 else {
                if count < 0 { throw SystemFailure("reading its output") }
                return lines
            }
            chunk.withUnsafeBytes { bytes in
                for byte in bytes[..<count] where byte == UInt8(ascii: "\n") { lines &+= 1 }
            }
        }
    }

    /// Nanoseconds of processor time that all its threads have used.
    package func processorTime() throws(SystemFailure) -> Int {
        let time = cbenchmarking_processor_time(id)
        guard time >= 0 else { throw SystemFailure(description: "it has ended") }
        return Int(time)
    }
}

/// Its memory by the kernel's count, in KiB.
extension Child {
    /// Pages that it has written to, and so shares with no other process and no file. Pages of its executable count as private only
    /// as long as nobody else runs it.
    package func privateMemory() throws(SystemFailure) -> Int {
        let text = try text(of: "smaps_rollup")
        return Child.kibibytes("Private_Dirty:", in: text)
    }

    /// The peak of its resident memory, shared pages included.
    package func peakMemory() throws(SystemFailure) -> Int {
        Child.kibibytes("VmHWM:", in: try text(of: "status"))
    }

    private func text(of file: String) throws(SystemFailure) -> String {
        let descriptor = Descriptor(try check(open("/proc/\(id)/\(file)", O_RDONLY | O_CLOEXEC), "opening \(file)"))
        var text = [UInt8](repeating: 0, count: 1 << 14)
        let capacity = text.count
        let count = Glibc.read(descriptor.number, &text, capacity)
        guard count > 0 else { throw SystemFailure("reading \(file)") }
        return String(decoding: text[..<count], as: UTF8.self)
    }

    private static func kibibytes(_ name: String, in text: String) -> Int {
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
}

/// A program that is measured: the server, or the limit beside it.
package struct Subject {
    /// Which of the two.
    package enum Side: String {
        case server, limit
    }

    /// The limit's answer to everything. The server answers as it is asked.
    package enum Answer {
        case small, rows
        case text(bytes: Int)

        fileprivate var options: [String] {
            switch self {
            case .small: []
            case .rows: ["--rows"]
            case .text(let bytes): ["--text", "\(bytes)"]
            }
        }
    }

    package let side: Side
    package let path: String
    /// A program that runs this one, with its arguments.
    private var runner: [String] = []
    /// Options of the server.
    private var options: [String] = []

    package init(_ side: Side, path: String) {
        self.side = side
        self.path = path
    }

    /// The same program, run by another one.
    ///
    /// - Parameters:
    ///   - runner: a path and its arguments.
    ///   - options: of the server.
    package func run(by runner: [String], options: [String]) -> Subject {
        var subject = self
        subject.runner = runner
        subject.options = options
        return subject
    }

    /// Starts it with its standard streams for a client.
    ///
    /// - Parameter store: where it stores sessions.
    package func stdio(_ answer: Answer = .small, store: BenchmarkStore? = nil) throws -> Child {
        let options = side == .limit ? answer.options : options
        return try Child(runner + [path, "--stdio"] + options + (store?.options(of: side) ?? []))
    }

    /// Starts it on a free port.
    ///
    /// - Parameters:
    ///   - fansOut: whether the limit sends every notification to every connection, as the server does for views of one
    ///     session.
    ///   - store: where it stores sessions.
    ///   - people: those whom the server lets in; nil: everybody.
    package func tcp(
        fansOut: Bool = false, store: BenchmarkStore? = nil, people: People? = nil
    ) throws -> (child: Child, port: UInt16) {
        let options = side == .limit ? (fansOut ? ["--fan-out"] : []) : options + (people?.options ?? [])
        let child = try Child(
            runner + [path, "--tcp", "0"] + options + (store?.options(of: side) ?? []), tellsAddress: true)
        return (child, try child.port())
    }

    /// Whether it can load a shared library, such as SQLite: a static executable has nothing that does.
    package var loadsLibraries: Bool {
        guard let file = fopen(path, "r") else { return false }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = fread(&bytes, 1, bytes.count, file)
        // The name of the dynamic linker is among the first bytes.
        return String(decoding: bytes[..<count], as: UTF8.self).contains("ld-linux")
    }
}

/// A new file for sessions, removed with its folder when it is released.
package final class BenchmarkStore {
    private let folder: String
    private let survivesPowerLoss: Bool

    package init(survivesPowerLoss: Bool) throws(SystemFailure) {
        var name = Array("/var/tmp/view-model-store-XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else { throw SystemFailure("making a folder") }
        folder = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.survivesPowerLoss = survivesPowerLoss
    }

    deinit {
        for name in ["", "-wal", "-shm"] { unlink("\(folder)/store\(name)") }
        rmdir(folder)
    }

    /// The bytes of the file, while no program has it.
    package func byteCount() throws(SystemFailure) -> Int {
        var status = stat()
        try check(stat("\(folder)/store", &status), "looking at the store")
        return Int(status.st_size)
    }

    fileprivate func options(of side: Subject.Side) -> [String] {
        let path = "\(folder)/store"
        let store = side == .server ? "sqlite:\(path)" : path
        return ["--store", store, "--sync", survivesPowerLoss ? "power" : "process"]
    }
}
