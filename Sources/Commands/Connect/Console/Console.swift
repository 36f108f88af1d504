import Contracts
import JSON
import ViewModelClient

/// What a person or a script does with a server: runs one command after the other, and shows what comes.
@MainActor final class Console {
    let client: Client
    let inputs: ConsoleInputs
    let output: any ConsoleOutput
    /// Events are shown as JSON.
    let showsJSON: Bool

    var screens = Screens()
    /// By the number of their screen.
    var views: [Int: ClientView] = [:]
    /// What is known of view models, by name.
    var forms: [String: ViewModelForms] = [:]
    /// The screens of feeds that are answered, and what came for those that aren't.
    var screenNumbers: [Int: Int] = [:]
    var held: [Int: [ViewNews]] = [:]
    var lastFeed = 0
    /// The newest event of each screen.
    var newestNumbers: [Int: Int] = [:]
    /// Children that are on their way to the screen.
    var attaching: [Task<Void, Never>] = []
    /// Since when there is no connection, and it was said.
    var isLost = false
    private(set) var wantsToEnd = false

    init(_ client: Client, _ inputs: ConsoleInputs, _ output: any ConsoleOutput, showsJSON: Bool) {
        self.client = client
        self.inputs = inputs
        self.output = output
        self.showsJSON = showsJSON
    }

    /// To be called when another one may be on screen.
    func showScreen() {
        output.screen(screens.current.map { TerminalTextLine.of(screens.path(of: $0)) } ?? "")
    }

    var completer: Completer {
        var completer = Completer()
        completer.viewModels = client.server.viewModels
        completer.known = forms
        if let screen = screens.onScreen {
            completer.current = forms[screen.viewModel]
            completer.shownKinds = screen.newest.map(\.kind)
        }
        completer.keys = screens.all.map(\.key)
        completer.numbers = screens.all.map(\.number)
        return completer
    }

    /// Runs a command to its end, with all that it set going.
    ///
    /// - Returns: whether it did what it says.
    func run(_ line: String) async -> Bool {
        do {
            guard let command = try ConsoleCommand.reading(line) else { return true }
            if command == .quit {
                wantsToEnd = true
            } else {
                await attachChildren()
                try await execute(command)
            }
            await settle()
            return true
        } catch is CancellationError {
            output.fail("cancelled")
        } catch {
            output.fail(Self.words(error))
        }
        await settle()
        return false
    }

    /// All that handlers have sent by now is here, and what they showed is on screen. A server answers a ping when it has
    /// handled what came before, as far as that needn't wait for anything.
    private func settle() async {
        repeat {
            await attachChildren()
            // Without a connection nothing comes.
            guard !isLost, !wantsToEnd else { return }
            let client = client
            _ = try? await inputs.ask { try await client.ping() }
        } while !attaching.isEmpty
    }

    /// What was pushed or presented is on screen.
    private func attachChildren() async {
        while let task = attaching.first {
            await task.value
            if attaching.first == task { attaching.removeFirst() }
        }
    }

    func showEvent(_ event: JSONTree, _ number: Int, seq: Int?) {
        if showsJSON {
            let seqMember = seq.map { [JSONTree.Member("seq", .number("\($0)"))] } ?? []
            return showJSON(.object([.init("session", .number("\(number)"))] + seqMember + [.init("event", event)]))
        }
        var lines = EventFormatter(columns: output.columns, style: output.style).lines(event)
        if number != screens.current, let screen = screens[number], !lines.isEmpty {
            let origin = output.style.dim("[\(number) \(TerminalTextLine.of(screen.viewModel))]")
            lines[0] = "  \(origin) \(lines[0].drop { $0 == " " })"
        }
        output.show(lines)
    }

    /// As one line without blanks between its parts.
    func showJSON(_ value: JSONTree) {
        output.show([JSONText { value.write(into: &$0) }.description])
    }

    /// What went wrong, for a person.
    static func words(_ error: any Error) -> String {
        guard case RemoteError.refused(let refusal)? = error as? RemoteError, let data = refusal.data,
            let tree = try? JSONTree(parsing: data)
        else { return TerminalTextLine.of("\(error)") }
        let known = tree["known"]?.elements?.compactMap(\.string) ?? []
        // Where the message doesn't name them, they help.
        let names =
            known.isEmpty || known.allSatisfy(refusal.message.contains) ? "" : ": \(known.joined(separator: ", "))"
        return TerminalTextLine.of(refusal.message + names)
    }
}
