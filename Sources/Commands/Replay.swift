import LibC
import Serving
import Transcripts
import Transport

/// Replays transcripts, one after the other, and prints the outcome of each.
struct Replay {
    static let command = Command(
        name: "replay", summary: "sends a recorded client's side to a server and compares what comes back",
        help: { ReplayOptions.help(name: $0.name, $0.options) },
        run: { application, arguments in
            let options = try ReplayOptions(arguments, application.options)
            if options.showsCoverage { return try await printCoverage(of: options.paths, application) }
            return try await Replay(application, options).run()
        })

    private let paths: [String]
    private let target: ReplayTarget
    private let options: TranscriptRunner.Options
    private let terminal = Terminal()

    init(_ application: Application, _ options: ReplayOptions) throws {
        paths = options.paths
        let token: Token?
        (target, token) = try Self.target(application, options)
        var runner = TranscriptRunner.Options(side: .client)
        runner.player.isPaced = options.isPaced
        runner.player.isUpdating = options.isUpdating
        runner.player.token = token?.text
        runner.player.processID = Int(getpid())
        runner.framing = options.framing
        runner.timeout = options.timeout
        self.options = runner
    }

    /// Replays all transcripts and prints the outcomes.
    ///
    /// - Returns: the exit status.
    func run() async -> Int32 {
        Stdio.bufferOutputByLine()
        var results: [Bool] = []
        for path in paths {
            do {
                for file in try TranscriptFolder.transcripts(at: path) { results.append(await replay(file)) }
            } catch {
                results.append(false)
                print("\(terminal.red("FAIL")) \(error)")
            }
        }
        let failures = results.count { !$0 }
        print("\(results.count) \(results.count == 1 ? "transcript" : "transcripts"), \(failures) failed")
        return failures == 0 ? 0 : 1
    }

    /// Replays a transcript and prints the outcome.
    ///
    /// - Returns: whether it passed.
    private func replay(_ path: String) async -> Bool {
        let outcome = await target.replay(path, options)
        let report = outcome.report(of: path, width: terminal.width)
        do {
            guard case .passed(_, let updated) = outcome else {
                print("\(terminal.red("FAIL")) \(report)")
                return false
            }
            let isRewritten = try options.player.isUpdating && UpdatedTranscript(path: path, entries: updated).write()
            print("\(terminal.green("ok"))   \(report)\(isRewritten ? ", rewritten" : "")")
            return true
        } catch {
            print("\(terminal.red("FAIL")) \(error)")
            return false
        }
    }

    private static func target(
        _ application: Application, _ options: ReplayOptions
    ) throws -> (ReplayTarget, Token?) {
        if let target = options.target {
            return (.running(try target.resolve()), try Token.given(file: options.tokenFile))
        }
        if let program = options.program { return (.program(program), try Token.given(file: options.tokenFile)) }
        try application.validate()
        var server = InProcessServer(
            name: application.name, version: application.version, limits: application.limits,
            register: application.host.register, shutDown: application.host.shutDown)
        server.tokens = try Tokens.given(file: options.tokenFile)
        return (.inProcess(server), nil)
    }

    /// Prints which methods, notifications, error codes and kinds of events of this executable's server occur in transcripts.
    /// Only reads the files; no server is started.
    ///
    /// As in other tools that measure coverage, a gap is no failure.
    ///
    /// - Returns: the exit status: 1 if a file can't be read, otherwise 0.
    private static func printCoverage(of paths: [String], _ application: Application) async throws -> Int32 {
        var coverage = Coverage(of: try await application.withRegistry { CoverageGoals($0) })
        do throws(TranscriptError) {
            for path in paths {
                for transcript in try TranscriptFolder.transcripts(at: path) {
                    try coverage.read(TranscriptReader(path: transcript))
                }
            }
        } catch {
            StandardError.write("\(application.name): \(error)")
            return 1
        }
        print(coverage.report)
        return 0
    }
}
