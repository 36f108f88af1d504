import LibC
import Transport
import ViewModelClient

/// A script: commands from a pipe or a file, run one after the other.
@MainActor final class Script {
    private let console: Console
    private let output: PlainOutput
    private let inputs: ConsoleInputs
    private var lines: [String]
    /// The line that is being run; nil if there is none.
    private var running: String?
    private var isAtEnd = false
    private var isReading = false
    /// The bytes of an incomplete last line.
    private var rest: [UInt8] = []
    /// When a line began to wait for the connection, and the timer that limits the wait.
    private var away: (since: ContinuousClock.Instant, timer: Task<Void, Never>)?
    private let reconnectTime: Duration

    /// Makes a script.
    ///
    /// - Parameters:
    ///   - lines: lines to run before those of the input.
    ///   - reconnectTime: how long a line waits for a connection that was lost.
    init(
        _ console: Console, _ output: PlainOutput, _ inputs: ConsoleInputs, lines: [String], reconnectTime: Duration
    ) {
        self.reconnectTime = reconnectTime
        self.console = console
        self.output = output
        self.inputs = inputs
        self.lines = lines
        // Lines from the command line come before the first line of the input.
        output.line = -lines.count
    }

    func run() async throws -> TerminalClient.End {
        _ = try inputs.watch([SIGTERM, SIGINT, SIGHUP], secondEnds: true)
        let input = try StandardInput(inputs, waitsForDemand: true)
        try input.start()
        goOn(input)
        for await news in inputs.stream {
            if let end = take(news) {
                if let running { output.fail("\(running) \(console.fateOfCommand)") }
                return end
            }
            // This is the signal that ends programs which don't handle it.
            if output.failure == EPIPE { return .signal(SIGPIPE) }
            if let failure = output.failure {
                output.fail("\(SystemError(code: failure, call: "write", subject: "standard output"))")
                return .outputFailed
            }
            goOn(input)
            timeAbsence()
            if console.wantsToEnd || (isAtEnd && running == nil && lines.isEmpty) {
                return output.hasFailed ? .failed : .done
            }
        }
        return .failed
    }

    private func take(_ news: ConsoleInput) -> TerminalClient.End? {
        switch news {
        case .bytes(let bytes):
            isReading = false
            rest += bytes
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                lines.append(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeSubrange(...end)
            }
        case .endOfInput:
            isAtEnd = true
            if !rest.isEmpty { lines.append(String(decoding: rest, as: UTF8.self)) }
            rest = []
        case .client(let news): return console.take(news).map { .lost($0) }
        case .view(let feed, let news): console.views.take(news, feed: feed)
        case .progress(let value, _): ConsoleText.progressText(value).map(output.progress)
        case .resume(let body): body()
        case .tick:
            guard let away, away.since.duration(to: .now) >= reconnectTime else { break }
            return .lost("\(console.hindrance?.absence ?? "") \(reconnectTime)")
        case .signal(let number): return .signal(number)
        }
        return nil
    }

    /// Runs the next line, or reads on if there is none.
    private func goOn(_ input: StandardInput) {
        guard running == nil else { return }
        guard !lines.isEmpty else {
            if !isAtEnd, !isReading {
                isReading = true
                input.readOn()
            }
            return
        }
        output.line += 1
        let line = lines.removeFirst()
        running = TerminalTextLine.of(line)
        Task {
            _ = await console.run(line)
            inputs.post(.resume { [self] in running = nil })
        }
    }

    /// Limits how long a line may wait for its server, since no person is there to decide that.
    private func timeAbsence() {
        guard console.isHindered, running != nil else {
            away?.timer.cancel()
            away = nil
            return
        }
        guard away == nil else { return }
        let timer = Task { [inputs, reconnectTime] in
            guard (try? await Task.sleep(for: reconnectTime)) != nil else { return }
            inputs.post(.tick)
        }
        away = (.now, timer)
    }
}
