import LibC
import Serving
import Transport
import ViewModelClient

/// Connects a terminal or a script to a server.
@MainActor struct Connect {
    nonisolated static let command = Command(
        name: "connect", summary: "talks to a server from a terminal or a script",
        help: { ConnectOptions.help(name: $0.name) }, run: { try await Connect($0, ConnectOptions($1)).run() })

    private let application: Application
    private let options: ConnectOptions

    init(_ application: Application, _ options: ConnectOptions) {
        self.application = application
        self.options = options
    }

    /// Returns the exit status.
    func run() async throws -> Int32 {
        let inputs = ConsoleInputs()
        let client: Client
        let clientOptions = try clientOptions(inputs)
        let remark = remarkOfSilence(clientOptions)
        defer { remark?.cancel() }
        do {
            client = try await Client.connect(to: target, clientOptions)
        } catch let error as RemoteError {
            StandardError.write("\(application.name): \(error)")
            if case .unreachable = error, options.program == nil, options.target == nil {
                StandardError.write("'\(application.name)' without arguments starts a server there")
            }
            return ExitStatus.unavailable
        }
        remark?.cancel()
        let (end, kept) = try await converse(client, inputs)
        await leave(client)
        if case .lost(let reason) = end {
            StandardError.write("\(application.name): the connection has ended\(reason.isEmpty ? "" : ": \(reason)")")
        }
        for session in kept { StandardError.write(wayBack(to: session)) }
        return switch end {
        case .status(let status): status
        case .signal(let number): 128 + number
        case .lost: ExitStatus.unavailable
        }
    }

    /// Says after a while that the server doesn't answer yet, to a person: a script is told in the end, if it never does.
    private func remarkOfSilence(_ client: ClientOptions) -> Task<Void, Never>? {
        guard isatty(STDERR_FILENO) != 0 else { return nil }
        let time = client.patience.components.seconds
        let words = "\(target.description) doesn't answer yet; it is waited for \(time) s in all"
        return Task { [application] in
            guard (try? await client.clock.sleep(for: .seconds(5))) != nil else { return }
            StandardError.write("\(application.name): \(words)")
        }
    }

    /// The end of a conversation.
    enum End {
        case status(Int32)
        case signal(Int32)
        /// The connection is gone, with the reason for a person.
        case lost(String)
    }

    /// For a person who leaves.
    private func wayBack(to session: (name: String, key: String)) -> String {
        var words = ["connect"]
        if let file = options.tokenFile { words += ["--token-file", file] }
        words += ["--attach", session.key]
        words += options.program.map { ["--"] + $0 } ?? [target.description]
        let command = words.map(Self.shellWord).joined(separator: " ")
        return "\(session.name) is kept, if it is durable: \(application.name) \(TerminalTextLine.of(command))"
    }

    /// A word as a shell reads it.
    private static func shellWord(_ word: String) -> String {
        if word.wholeMatch(of: /[A-Za-z0-9_.\/:=,@%+-]+/) != nil { return word }
        let parts = word.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: #"'\''"#) + "'"
    }

    /// - Returns: also the sessions that stay when it is left.
    private func converse(
        _ client: Client, _ inputs: ConsoleInputs
    ) async throws -> (End, kept: [(name: String, key: String)]) {
        let colour = Style(hasColour: options.hasColour && Terminal().hasColour)
        let isTerminal = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0 && !Self.isDumb
        guard isTerminal, let mode = RawMode(STDIN_FILENO) else {
            let output = PlainOutput(columns: Terminal().width, style: colour, showsScreens: !options.showsJSON)
            let console = Console(client, inputs, output, showsJSON: options.showsJSON)
            let script = Script(
                console, output, inputs, lines: options.opens, reconnectTime: options.reconnectTime)
            return (try await script.run(), console.kept)
        }
        let file = options.keepsHistory ? HistoryFile.standard : nil
        let screen = TerminalScreen(mode, history: History(file?.read() ?? []), style: colour)
        let console = Console(
            client, inputs, screen, showsJSON: options.showsJSON, asksBeforeClosing: true)
        let conversation = Conversation(console, screen, inputs, history: file, lines: options.opens)
        return (try await conversation.run(greeting: greeting(client)), console.kept)
    }

    private func greeting(_ client: Client) -> [String] {
        let server = [client.server.name, client.server.version].filter { !$0.isEmpty }.joined(separator: " ")
        let names = client.server.viewModels.joined(separator: ", ")
        return [
            "Connected to \(TerminalTextLine.of(server.isEmpty ? "a server" : server)) (\(target.description)).",
            names.isEmpty ? "It has no view model to open." : "View models: \(TerminalTextLine.of(names))",
            "'open NAME' opens one, 'help' says what else can be typed; Tab completes.",
        ]
    }

    private var target: ClientTarget {
        if let program = options.program { return .program(program) }
        switch options.target ?? .tcp(.fallback) {
        case .tcp(let address): return .tcp(host: address.host, port: address.port)
        case .unix(let path): return .unix(path)
        }
    }

    private func clientOptions(_ inputs: ConsoleInputs) throws -> ClientOptions {
        var client = ClientOptions()
        client.name = "\(application.name) connect"
        client.version = application.version
        client.token = try Token.given(file: options.tokenFile)?.text
        client.receive = { inputs.post(.client($0)) }
        return client
    }

    /// A terminal that can't move its cursor, such as an editor's shell.
    private static var isDumb: Bool {
        guard let name = getenv("TERM") else { return true }
        return String(cString: name) == "dumb" || name.pointee == 0
    }

    /// Tells the server, but doesn't wait long for it.
    private func leave(_ client: Client) async {
        let end = EndOfProcess()
        Task {
            await client.close()
            end.finish(with: .success(0))
        }
        Task {
            try? await Task.sleep(for: .seconds(1))
            end.finish(with: .success(0))
        }
        _ = await end.status()
    }
}
