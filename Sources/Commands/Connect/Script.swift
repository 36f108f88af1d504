import LibC
import Transport
import ViewModelClient

/// Commands from a pipe or a file, one after the other.
@MainActor final class Script {
    private let console: Console
    private let output: PlainOutput
    private let inputs: ConsoleInputs
    private var lines: [String]
    private var isRunning = false
    private var isAtEnd = false
    private var isReading = false
    /// The start of a line.
    private var rest: [UInt8] = []

    /// - Parameter lines: to begin with.
    init(_ console: Console, _ output: PlainOutput, _ inputs: ConsoleInputs, lines: [String]) {
        self.console = console
        self.output = output
        self.inputs = inputs
        self.lines = lines
        // Those of the command line stand before the first.
        output.line = -lines.count
    }

    func run() async throws -> Connect.End {
        let input = try StandardInput(inputs, waitsForDemand: true)
        try input.start()
        goOn(input)
        for await news in inputs.stream {
            if let end = take(news) { return end }
            // As the signal ends programs that don't catch it.
            if output.failure == EPIPE { return .signal(SIGPIPE) }
            if let failure = output.failure {
                output.fail("\(SystemError(code: failure, call: "write", subject: "standard output"))")
                return .status(ExitStatus.inputOutput)
            }
            goOn(input)
            if console.wantsToEnd || (isAtEnd && !isRunning && lines.isEmpty) {
                return .status(output.hasFailed ? 1 : 0)
            }
        }
        return .status(1)
    }

    private func take(_ news: ConsoleInput) -> Connect.End? {
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
        case .signal, .tick: break
        }
        return nil
    }

    /// Runs the next line, or reads on where there is none.
    private func goOn(_ input: StandardInput) {
        guard !isRunning else { return }
        guard !lines.isEmpty else {
            if !isAtEnd, !isReading {
                isReading = true
                input.readOn()
            }
            return
        }
        isRunning = true
        output.line += 1
        let line = lines.removeFirst()
        Task {
            _ = await console.run(line)
            inputs.post(.resume { [self] in isRunning = false })
        }
    }
}
