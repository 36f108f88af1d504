import LibC
package import ViewModelClient

/// A client for a person at a terminal or, if there is none, for a script.
@MainActor package struct TerminalClient {
    /// The way in which a conversation ended.
    package enum End {
        /// The person has left, or every line of the script was done.
        case done
        /// A line of the script has failed.
        case failed
        /// The process must end by this signal.
        case signal(Int32)
        /// The connection has ended, for this reason in words for a person.
        case lost(String)
        /// Standard output can't be written to.
        case outputFailed
    }

    /// A session that the server keeps when the client leaves it, if the session is durable.
    package typealias Kept = (name: String, key: String)

    private let target: ClientTarget
    private let clientOptions: ClientOptions
    private let options: TerminalOptions

    /// Makes a client.
    ///
    /// - Parameter clientOptions: the options of the connection, of which `receive` is replaced.
    package init(_ target: ClientTarget, _ clientOptions: ClientOptions, _ options: TerminalOptions) {
        self.target = target
        self.clientOptions = clientOptions
        self.options = options
    }

    /// Connects, and runs the conversation until the person leaves or the script ends. May be called once in a process, as it
    /// takes over standard input and output, and signals.
    ///
    /// - Returns: how it ended, and the sessions that the server may keep.
    /// - Throws: `RemoteError` if the server can't be reached.
    package func run() async throws -> (End, kept: [Kept]) {
        let inputs = ConsoleInputs()
        var clientOptions = clientOptions
        clientOptions.receive = { inputs.post(.client($0)) }
        clientOptions.asksWhoIsHere = true
        let remark = remarkOfSilence()
        defer { remark?.cancel() }
        let client = try await Client.connect(to: target, clientOptions)
        remark?.cancel()
        let outcome = try await converse(client, inputs)
        await leave(client)
        return outcome
    }

    /// Remarks after 5 s that the server hasn't answered yet. Only for a person: a script gets an error in the end.
    private func remarkOfSilence() -> Task<Void, Never>? {
        guard isatty(STDERR_FILENO) != 0 else { return nil }
        let time = clientOptions.patience.components.seconds
        let words = "\(target.description) doesn't answer yet; it is waited for \(time) s in all"
        return Task { [clientOptions, options] in
            guard (try? await clientOptions.clock.sleep(for: .seconds(5))) != nil else { return }
            options.remark(words)
        }
    }

    private func converse(_ client: Client, _ inputs: ConsoleInputs) async throws -> (End, kept: [Kept]) {
        let style = Style(hasColour: options.hasColour)
        let isTerminal = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0 && !isDumb
        guard isTerminal, let mode = RawMode(STDIN_FILENO) else {
            let output = PlainOutput(columns: options.columns, style: style, showsScreens: !options.showsJSON)
            let console = Console(client, inputs, output, showsJSON: options.showsJSON, adding: options.added)
            let script = Script(
                console, output, inputs, lines: options.lines, reconnectTime: options.reconnectTime)
            return (try await script.run(), console.kept)
        }
        let file = options.keepsHistory ? HistoryFile(environment: options.environment) : nil
        let screen = TerminalScreen(mode, history: History(file?.read() ?? []), style: style)
        let console = Console(
            client, inputs, screen, showsJSON: options.showsJSON, adding: options.added, asksBeforeClosing: true)
        let conversation = Conversation(
            console, screen, inputs, history: file, editor: EditorCommand(environment: options.environment),
            lines: options.lines)
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

    /// Whether the terminal can't move its cursor, such as an editor's shell.
    private var isDumb: Bool { ["", "dumb"].contains(options.environment("TERM") ?? "") }

    /// Closes the client, but waits for that no longer than a second.
    private func leave(_ client: Client) async {
        let (hasLeft, end) = AsyncStream.makeStream(of: Never.self)
        Task {
            await client.close()
            end.finish()
        }
        Task {
            try? await Task.sleep(for: .seconds(1))
            end.finish()
        }
        for await _ in hasLeft {}
    }
}

/// The options of a `TerminalClient` from its command line and environment.
package struct TerminalOptions: Sendable {
    /// The lines to run first.
    package var lines: [String] = []
    package var showsJSON = false
    package var hasColour = true
    /// The width of a script's output, in columns; a terminal is measured.
    package var columns = 120
    package var keepsHistory = true
    /// How long a line of a script waits for a connection that was lost.
    package var reconnectTime = Duration.seconds(60)
    /// Commands for the executable's own views.
    package var added: [AddedCommand] = []
    /// The environment variables: `TERM`, those of the person's editor, and of the folder for the history.
    package var environment: @Sendable (String) -> String? = { _ in nil }
    /// Takes remarks while there is no terminal to show them on.
    package var remark: @Sendable (String) -> Void = { _ in }

    package init() {}
}
