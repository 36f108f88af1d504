import LibC
import Transport
import ViewModelClient

/// Commands from a pipe or a file, one after the other.
@MainActor final class Script {
    private let console: Console
    private let output: PlainOutput
    private let inputs: ConsoleInputs
    private var lines: [String]
    /// The line that is done.
    private var running: String?
    private var isAtEnd = false
    private var isReading = false
    /// The start of a line.
    private var rest: [UInt8] = []
    /// Since when a line has waited for the connection, with the timer of its end.
    private var away: (since: ContinuousClock.Instant, timer: Task<Void, Never>)?
    private let reconnectTime: Duration

    /// - Parameters:
    ///   - lines: to begin with.
    ///   - reconnectTime: how long a line waits for a connection that was lost.
    init(
        _ console: Console, _ output: PlainOutput, _ inputs: ConsoleInputs, lines: [String], reconnectTime: Duration
    ) {
        self.reconnectTime = reconnectTime
        self.console = console
        self.output = output
        self.inputs = inputs
        self.lines = lines
        // Those of the command line stand before the first.
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
            // As the signal ends programs that don't catch it.
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

    /// Runs the next line, or reads on where there is none.
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

    /// Nobody is there to decide how long a line may wait for its server, as a person is at a terminal.
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
