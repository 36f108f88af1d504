import Hosting
import LibC
import Serving
import Synchronization
import Transcripts
import Transport

/// Plays the server's side of a transcript, until the client ends or deviates.
final class Mock: Sendable {
    static let command = Command(
        name: "mock", summary: "plays a recorded server's side to a client under test",
        help: { MockOptions.help(name: $0.name) }, run: { try await Mock(MockOptions($1)).run() })

    private let options: MockOptions
    private let loop: EventLoop
    private let end = EndOfProcess()
    /// The number of the signal that ended the play.
    private let signal = Mutex<Int32?>(nil)

    init(_ options: MockOptions) throws {
        self.options = options
        loop = try EventLoop(name: "mock")
    }

    /// Plays the transcript.
    ///
    /// - Returns: the exit status.
    func run() async throws -> Int32 {
        try loop.start()
        loop.execute { [self] in
            do {
                try begin()
            } catch let error as TranscriptError {
                didEnd(.broken(error))
            } catch {
                end.finish(with: .failure(error))
            }
        }
        let status = await end.status()
        // Stopping the loop removes the file of a Unix socket.
        loop.stop()
        await loop.join()
        return try status.get()
    }

    private func begin() throws {
        let runner = TranscriptRunner(try TranscriptReader(path: options.path), runnerOptions, on: loop)
        _ = try SignalWatcher(on: loop) { [self] number in
            signal.withLock { $0 = number }
            runner.stop("ended by signal \(number)")
        }
        // Listening comes first, since a transcript without connections ends at once.
        try listen(runner)
        runner.begin { [self] in didEnd($0) }
    }

    private func listen(_ runner: TranscriptRunner) throws {
        let bound = LoopBound(runner, loop: loop)
        if let address = options.tcp {
            say(try Listener.tcp(host: address.host, port: address.port, on: loop) { bound.value.accept($0) })
        } else if let path = options.unix {
            say(try Listener.unix(path: path, on: loop) { bound.value.accept($0) })
        } else {
            runner.accept(try Stdio.open(on: loop))
        }
    }

    private func say(_ listener: Listener) {
        StandardError.write("listening on \(listener.address)")
    }

    private var runnerOptions: TranscriptRunner.Options {
        var runner = TranscriptRunner.Options(side: .server)
        runner.player.isPaced = options.isPaced
        runner.timeout = options.timeout
        runner.hasOneConnection = options.tcp == nil && options.unix == nil
        return runner
    }

    private func didEnd(_ outcome: TranscriptOutcome) {
        guard case .passed(let messages, _) = outcome else {
            StandardError.write(outcome.report(of: options.path, width: Terminal().width))
            return end.finish(with: .success(signal.withLock { $0 }.map { 128 + $0 } ?? 1))
        }
        StandardError.write("\(options.path): the client did as expected (\(messages) messages)")
        end.finish(with: .success(0))
    }
}
