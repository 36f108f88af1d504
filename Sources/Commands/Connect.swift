import Hosting
import LibC
import Serving
import TerminalClient
import Transcripts
import ViewModelClient

/// Connects a terminal or a script to a server.
struct Connect {
    static let command = Command(
        name: "connect", summary: "talks to a server from a terminal or a script",
        help: { ConnectOptions.help(name: $0.name, $0.additions) },
        run: { try await Connect($0, ConnectOptions($1)).run() })

    private let application: Application
    private let options: ConnectOptions

    init(_ application: Application, _ options: ConnectOptions) {
        self.application = application
        self.options = options
    }

    /// Connects, talks to the server until the end, and returns the exit status.
    func run() async throws -> Int32 {
        let client = await TerminalClient(target, try clientOptions(), terminalOptions)
        let (end, kept): (TerminalClient.End, [TerminalClient.Kept])
        do {
            (end, kept) = try await client.run()
        } catch let error as RemoteError {
            write("\(error)")
            if case .unreachable = error, options.program == nil, options.target == nil {
                StandardError.write("'\(application.name)' without arguments starts a server there")
            }
            return ExitStatus.unavailable
        }
        if case .lost(let reason) = end { write("the connection has ended\(reason.isEmpty ? "" : ": \(reason)")") }
        for session in kept { StandardError.write(wayBack(to: session)) }
        return switch end {
        case .done: 0
        case .failed: 1
        case .signal(let number): 128 + number
        case .lost: ExitStatus.unavailable
        case .outputFailed: ExitStatus.inputOutput
        }
    }

    private func write(_ words: String) {
        StandardError.write("\(application.name): \(words)")
    }

    /// Returns the line that tells a person who leaves how to attach to a session again.
    private func wayBack(to session: TerminalClient.Kept) -> String {
        var words = ["connect"]
        if let file = options.tokenFile { words += ["--token-file", file] }
        words += ["--attach", session.key]
        words += options.program.map { ["--"] + $0 } ?? [target.description]
        let command = words.map(Self.shellWord).joined(separator: " ").replacing("\n", with: " ")
        return "\(session.name) is kept, if it is durable: \(application.name) \(TerminalText.visible(command))"
    }

    /// Returns a word, quoted for a shell if need be.
    private static func shellWord(_ word: String) -> String {
        if word.wholeMatch(of: /[A-Za-z0-9_.\/:=,@%+-]+/) != nil { return word }
        let parts = word.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: #"'\''"#) + "'"
    }

    private var target: ClientTarget {
        if let program = options.program { return .program(program) }
        switch options.target ?? .tcp(.fallback) {
        case .tcp(let address): return .tcp(host: address.host, port: address.port)
        case .unix(let path): return .unix(path)
        }
    }

    private func clientOptions() throws -> ClientOptions {
        var client = ClientOptions()
        client.name = "\(application.name) connect"
        client.version = application.version
        client.token = try Token.given(file: options.tokenFile)?.text
        return client
    }

    private var terminalOptions: TerminalOptions {
        var terminal = options.terminal
        terminal.added = application.additions.terminalCommands
        let output = Terminal()
        terminal.hasColour = terminal.hasColour && output.hasColour
        terminal.columns = output.width
        terminal.environment = { getenv($0).map { String(cString: $0) } }
        terminal.remark = { [application] in StandardError.write("\(application.name): \($0)") }
        return terminal
    }
}
