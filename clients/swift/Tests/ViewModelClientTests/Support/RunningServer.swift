import FoundationEssentials
import Glibc
import Synchronization
import TestSupport
import Transport

/// The real server as a process of its own, on TCP or a Unix socket. Its standard error says where it listens.
final class RunningServer: Sendable {
    private let loop: EventLoop
    private let process: LoopBound<ChildProcess>
    private let lines: Recorder<String>
    private let hasEnded: Gate

    /// - Parameter arguments: such that it listens.
    init(_ arguments: [String]) async throws {
        let loop = try EventLoop(name: "running server")
        try loop.start()
        let (lines, hasEnded) = (Recorder<String>(), Gate())
        // Standard error in place of standard output, where nothing comes.
        let command = ["sh", "-c", #"exec "$0" "$@" 2>&1"#, Executable.path] + arguments
        process = try await withCheckedThrowingContinuation { continuation in
            loop.execute {
                continuation.resume(
                    with: Result {
                        let process = try ChildProcess(command, on: loop) { _ in hasEnded.open() }
                        process.stream.handler = Lines(lines)
                        process.stream.start()
                        return LoopBound(process, loop: loop)
                    })
            }
        }
        (self.loop, self.lines, self.hasEnded) = (loop, lines, hasEnded)
    }

    /// Where it listens; nil when it ended before it said so.
    func address() async -> String? {
        let prefix = "listening on "
        var count = 1
        while true {
            let lines = await lines.elements(count: count)
            if let line = lines.first(where: { $0.hasPrefix(prefix) }) { return String(line.dropFirst(prefix.count)) }
            if lines.contains("") { return nil }
            count = lines.count + 1
        }
    }

    func port() async -> UInt16? {
        await address()?.split(separator: ":").last.flatMap { UInt16($0) }
    }

    /// Sends it a signal, at once.
    func signal(_ number: Int32) {
        loop.execute { [process] in process.value.signal(number) }
    }

    /// Returns when all of its threads have stopped: one of them takes the signal, and the others run until it has.
    func pause() async {
        await withCheckedContinuation { continuation in
            loop.execute { [process] in
                process.value.signal(SIGSTOP)
                var status = siginfo_t()
                let id = id_t(process.value.processID)
                while waitid(P_PID, id, &status, WSTOPPED | WNOWAIT) == -1, errno == EINTR {}
                continuation.resume()
            }
        }
    }

    /// Ends it as a supervisor would.
    func stop() async {
        loop.execute { [process] in process.value.signal(SIGTERM) }
        await hasEnded.wait()
        loop.stop()
        await loop.join()
    }

    private final class Lines: ByteStreamHandler {
        private let lines: Recorder<String>
        private var bytes: [UInt8] = []

        init(_ lines: Recorder<String>) {
            self.lines = lines
        }

        func stream(_ stream: any ByteStream, didRead received: UnsafeRawBufferPointer) {
            bytes.append(contentsOf: received)
            while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                lines.record(String(decoding: bytes[..<end], as: UTF8.self))
                bytes.removeFirst(end + 1)
            }
        }

        func streamDidReachEnd(_ stream: any ByteStream) {
            lines.record("")
            stream.finish()
        }

        func streamDidSend(_ stream: any ByteStream) {}
        func stream(_ stream: any ByteStream, didClose error: SystemError?) {}
    }
}

/// Runs `body` with a server that is gone afterwards.
func withRunningServer(_ arguments: [String], _ body: (RunningServer) async throws -> Void) async throws {
    let server = try await RunningServer(arguments)
    do {
        try await body(server)
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}

/// A path for a Unix socket, in a folder of its own that is removed afterwards.
func withSocketPath(_ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/vmc-\(UInt32.random(in: .min ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body("\(folder)/s")
}

/// The real server, which SwiftPM builds into the folder of the test bundle.
enum Executable {
    static let path = parent(of: testBundle) + "/view-model-server"

    /// The port of a server of this machine that runs already and serves others too, where VIEW_MODEL_ADDRESS names
    /// one.
    static let givenPort = ProcessInfo.processInfo.environment["VIEW_MODEL_ADDRESS"]
        .flatMap { $0.split(separator: ":").last.flatMap { UInt16($0) } }

    private static var testBundle: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    }

    private static func parent(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
}
