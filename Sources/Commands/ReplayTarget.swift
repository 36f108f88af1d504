import LibC
import Serving
import Synchronization
import Transcripts
import Transport

/// The server that transcripts are replayed to.
enum ReplayTarget {
    case inProcess(InProcessServer)
    case running([SocketAddress])
    /// A program that is started for each transcript.
    case program([String])

    /// The time that a program may take to end after its input has ended, before it gets a signal.
    private static let grace = Duration.seconds(2)

    func replay(_ path: String, _ options: TranscriptRunner.Options) async -> TranscriptOutcome {
        switch self {
        case .inProcess(let server): await server.replay(path, options)
        case .running(let addresses):
            await TranscriptRunner.run(path, options) { loop in
                { _, completion in
                    Socket.connect(to: addresses, on: loop) { completion($0.map { $0 }.mapError { $0 }) }
                }
            }
        case .program(let command): await replay(path, options, starting: command)
        }
    }

    private func replay(
        _ path: String, _ options: TranscriptRunner.Options, starting command: [String]
    ) async -> TranscriptOutcome {
        let program = StartedProgram()
        let outcome = await TranscriptRunner.run(
            path, options,
            connect: { loop in
                { number, completion in
                    completion(
                        Result {
                            guard number == 1 else { throw OneConnection(connection: number) }
                            return try program.start(command, on: loop, grace: Self.grace)
                        })
                }
            },
            afterwards: { await program.end() })
        return program.explain(outcome)
    }
}

/// The error for a transcript with several connections if the server is a program on its standard input and output.
private struct OneConnection: Error, CustomStringConvertible {
    let connection: Int

    var description: String {
        "the transcript opens connection \(connection), and a program has one, its standard input and output; start the "
            + "server on a port or a Unix socket, and name that with --to"
    }
}

/// The program that was started for one replay.
private final class StartedProgram: Sendable {
    private let ending = Mutex<ChildProcess.Ending?>(nil)
    private let hasEnded = Latch(count: 1)
    private let hasStarted = Mutex(false)

    func start(
        _ command: [String], on loop: EventLoop, grace: Duration
    ) throws(SystemError) -> any ByteStream {
        let process = try ChildProcess(command, on: loop, grace: grace) { [self] ending in
            self.ending.withLock { $0 = ending }
            hasEnded.open()
        }
        hasStarted.withLock { $0 = true }
        return process.stream
    }

    func end() async {
        if hasStarted.withLock({ $0 }) { await hasEnded.wait() }
    }

    /// Returns the outcome, with how the program ended if that explains the outcome.
    func explain(_ outcome: TranscriptOutcome) -> TranscriptOutcome {
        guard let ending = ending.withLock({ $0 }) else { return outcome }
        switch (outcome, ending) {
        case (.failed(var failure, byEnding: true), _):
            failure.reason += "; the server ended \(ending.words)"
            return .failed(failure, byEnding: true)
        // The signal is this command's own, since the program didn't end by itself.
        case (.passed, .signaled(SIGTERM)), (.passed, .signaled(SIGKILL)): return outcome
        case (.passed, .signaled): return .interrupted("all went well, but the server ended \(ending.words)")
        default: return outcome
        }
    }
}

extension ChildProcess.Ending {
    /// The way in which the program ended, such as "with status 0" or "by signal 9".
    var words: String {
        switch self {
        case .exited(let status): "with status \(status)"
        case .signaled(let number): "by signal \(number)"
        }
    }
}
