import Contracts
import JSON
package import ViewModelClient

// Over 400 lines because the commands share what is open, what is asked and where it is shown.
/// A conversation of a person or a script with a server: runs one command after the other, and shows the events.
@MainActor package final class Console {
    package let client: Client
    package let inputs: ConsoleInputs
    let output: any ConsoleOutput
    let views: OpenViews
    package let catalog: ViewModelCatalog
    package let text: ConsoleText
    /// The conversation at a terminal; nil for a script.
    package internal(set) weak var conversation: Conversation?
    private var added: AddedCommands
    /// The reason why the server can't go on, once the person was told; nil if there is none.
    private(set) var hindrance: Hindrance?
    /// The task that waits for the effects of a command. It ends when the connection is lost.
    private var settling: Task<Void, any Error>?
    /// The view event that is being sent or handled; nil if there is none.
    private(set) var sending: SentMark?
    /// The place in a list where the next page begins; nil if no rows were shown.
    private var shownRows: ListPages.Place?
    private(set) var wantsToEnd = false
    private let clock: any Clock<Duration>
    private let asksBeforeClosing: Bool
    /// The screen whose session the next `close` ends without asking; nil if `close` asks first.
    private var closing: Int?

    /// Makes a console.
    ///
    /// - Parameters:
    ///   - showsJSON: whether events are shown as JSON.
    ///   - added: commands besides the `ConsoleWord`s.
    ///   - asksBeforeClosing: whether a person can be asked before a session ends for others, or for good.
    ///   - clock: the clock for the time limit of `wait`.
    init(
        _ client: Client, _ inputs: ConsoleInputs, _ output: any ConsoleOutput, showsJSON: Bool,
        adding added: [AddedCommand] = [], asksBeforeClosing: Bool = false,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.added = AddedCommands(added)
        self.asksBeforeClosing = asksBeforeClosing
        self.clock = clock
        self.client = client
        self.inputs = inputs
        self.output = output
        text = ConsoleText(output: output, showsJSON: showsJSON)
        catalog = ViewModelCatalog(client, inputs)
        views = OpenViews(client, inputs, output, text, catalog)
    }

    /// Whether what is sent may have to wait.
    var isHindered: Bool { hindrance != nil }

    /// Whether the screens may be out of date. They aren't if only the store can't be used: a server sends what is stored.
    private var isOld: Bool { isHindered && hindrance != .store }

    var completer: Completer {
        var completer = Completer()
        completer.viewModels = client.server.viewModels
        completer.added = added.all
        completer.known = catalog.forms
        if let screen = views.screens.onScreen {
            completer.current = catalog[screen.viewModel]
            completer.looksOnly = views[screen.number]?.looksOnly ?? false
            completer.shownKinds = screen.newest.map(\.kind)
        }
        completer.keys = views.screens.all.map(\.key)
        completer.numbers = views.screens.all.map(\.number)
        return completer
    }

    func command(in line: String) throws(TypedLineError) -> ConsoleCommand? {
        try ConsoleCommand.reading(line, adding: added.all.map(\.name))
    }

    /// Runs a command to its end, and waits for the events that it led to.
    ///
    /// - Returns: whether it succeeded.
    func run(_ line: String) async -> Bool {
        do {
            guard let command = try command(in: line) else { return true }
            if command == .quit {
                wantsToEnd = true
            } else {
                await views.attachChildren()
                try await execute(command)
            }
            await settle()
            return true
        } catch is CancellationError {
            output.fail("cancelled")
        } catch {
            output.fail(ConsoleText.words(error))
        }
        await settle()
        return false
    }

    /// Waits until the events of the last command have come, and the children that they showed are on screen. The answer to a
    /// `ping` comes after all of these.
    private func settle() async {
        repeat {
            await views.attachChildren()
            // Without a connection, the `ping` would not be answered.
            guard !isHindered, !wantsToEnd else { return }
            let ping = Task { [client] in try await client.ping() }
            settling = ping
            _ = try? await inputs.ask {
                try await withTaskCancellationHandler {
                    try await ping.value
                } onCancel: {
                    ping.cancel()
                }
            }
        } while views.isAttaching
    }

    /// Takes a message of the client. Returns the reason for a person why the conversation is over, or nil.
    func take(_ news: ClientNews) -> String? {
        switch news {
        case .state(let state): return take(state)
        case .log(let type, let message):
            let lead = type == 1 ? "the server: error: " : type == 2 ? "the server: warning: " : "the server: "
            output.remark(lead + TerminalTextLine.of(message))
        case .ignored(let words): output.remark("ignored: \(TerminalTextLine.of(words))")
        }
        return nil
    }

    private func take(_ state: RemoteState) -> String? {
        switch state {
        case .connecting: break
        case .connected:
            if isHindered { greetAgain() }
        case .silent:
            stop(.silence, "the server doesn't answer. What is shown may be old; what was sent waits for it.")
        case .storeUnavailable(let reason):
            stop(.store, "the server can't go on: \(TerminalTextLine.of(reason)). What was sent waits until it can.")
        case .waiting(let reason, _):
            // A lost connection is reported once, however many attempts follow.
            guard hindrance != .connection else { return nil }
            let words =
                views.screens.all.isEmpty
                ? "" : " What is shown may be old; events wait, for as long as the server keeps the session."
            stop(.connection, "the connection is lost (\(TerminalTextLine.of(reason))); trying again.\(words)")
        case .closed(let error): return error.map { TerminalTextLine.of("\($0)") } ?? ""
        }
        return nil
    }

    private func stop(_ hindrance: Hindrance, _ words: String) {
        self.hindrance = hindrance
        settling?.cancel()
        output.setHindrance(hindrance)
        output.remark(words)
    }

    /// Reports that the connection is back, once it is known which sessions are: the answer to a `ping` comes after their
    /// events.
    private func greetAgain() {
        let greeting = hindrance?.end ?? ""
        hindrance = nil
        let (client, inputs, places) = (client, inputs, views.progress)
        Task {
            guard (try? await inputs.ask { try await client.ping() }) != nil, !isHindered else { return }
            output.setHindrance(nil)
            let words = places.filter { views.screens[$0.number] != nil }.map(\.words)
            // Views whose sessions may be kept were already reported.
            let lost = places.filter { views.screens[$0.number] == nil && views.mayBeKept[$0.number] == nil }
            let gone = lost.map(\.name)
            let loss = gone.isEmpty ? "" : "the server has forgotten \(gone.joined(separator: ", "))"
            output.remark(
                [greeting, loss, words.joined(separator: ", ")].filter { !$0.isEmpty }
                    .joined(separator: "; "))
        }
    }

    /// How far the running view event has got while the server can't go on; nil if nothing needs to be said.
    var sendingWords: String? {
        guard isHindered, let sending else { return nil }
        return sending.isSent ? "sent, without an answer" : "not sent yet"
    }

    /// The outcome of the running command if the connection has ended for good.
    var fateOfCommand: String { sending?.fate(after: .closed) ?? "was not done" }

    /// Executes a command.
    ///
    /// - Throws: an error whose text a person understands, or `CancellationError`.
    func execute(_ command: ConsoleCommand) async throws {
        views.arrivals.begin(command)
        let isSure = closing == views.screens.current
        closing = nil
        switch command {
        case .help:
            let text = ConsoleWord.helpText(adding: added.all)
            output.show(text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
        case .list: list()
        case .open(let name, let arguments): try await views.open(name, arguments)
        case .reopen: try await views.reopen()
        case .attach(let key): try await views.attach(key)
        case .sessions:
            listSessions()
            try await listKeptSessions()
        case .share(let look): try await share(look: look)
        case .use(let number): try use(number)
        case .describe(let name): try await describe(name)
        case .show(let kind): try show(kind)
        case .rows(let list, let range): try await showRows(of: list, range)
        case .added(let name, let words): try await added.run(of: name, in: self)?.run(words)
        case .event(let kind, let members): try await send(kind, members)
        case .wait(let kind, let members, let timeout): try await wait(for: kind, members, timeout)
        case .back: try await goBack()
        case .close: try await close(isSure: isSure)
        case .detach: try await leave { try await $0.detach() }
        case .quit: break
        }
    }

    private func list() {
        let names = client.server.viewModels
        if text.showsJSON { return text.show(json: .array(names.map { .string($0) })) }
        output.show(
            names.map { name in
                let description =
                    catalog[name]?.description.map { "  \(output.style.dim(TerminalTextLine.of($0)))" } ?? ""
                return "  \(TerminalTextLine.of(name))\(description)"
            })
    }

    /// The most names of others that are shown of a session.
    private static let shownNames = 5

    private func listSessions() {
        for screen in views.screens.all {
            let here = views.here[screen.number] ?? []
            if text.showsJSON {
                text.show(
                    json:
                        .object([
                            .init("session", .number("\(screen.number)")),
                            .init("viewModel", .string(screen.viewModel)),
                            .init("key", .string(screen.key)),
                            .init("isOnScreen", .boolean(screen.number == views.screens.current)),
                            .init("here", .array(here.map { .string($0) })),
                        ]))
                continue
            }
            let mark = screen.number == views.screens.current ? "*" : " "
            let path = TerminalTextLine.of(views.screens.path(of: screen.number))
            let shown = here.prefix(Self.shownNames).joined(separator: ", ")
            let rest = here.count > Self.shownNames ? " and \(here.count - Self.shownNames) more" : ""
            let others = here.isEmpty ? "" : TerminalTextLine.of("  here: \(shown)\(rest)")
            output.show(["\(mark) \(screen.number)  \(path)\(others)  \(output.style.dim(screen.key))"])
        }
    }

    /// Lists the sessions that the user may come back to and that aren't open here.
    private func listKeptSessions() async throws {
        let client = client
        let open = Set(views.screens.all.map(\.key))
        let kept = try await inputs.ask { try await client.keptSessions() }
        for session in kept where !open.contains(session.key) {
            if text.showsJSON {
                var members: [JSONTree.Member] = [
                    .init("viewModel", .string(session.viewModel)), .init("key", .string(session.key)),
                    .init("lastUsed", .string(session.lastUsed)),
                ]
                if let title = session.title { members.append(.init("title", .string(title))) }
                text.show(json: .object(members))
                continue
            }
            let about = (session.title ?? session.arguments).map { ": \($0)" } ?? ""
            // The date and the time up to the minute.
            let time = session.lastUsed.prefix(16).replacing("T", with: " ")
            let line = TerminalTextLine.of("\(session.viewModel)\(about)  kept, last used \(time) UTC")
            output.show(["     \(line)  \(output.style.dim(session.key))"])
        }
    }

    /// Shows a key of the session on screen, for other clients.
    private func share(look: Bool) async throws {
        guard let number = views.screens.current, let view = views[number] else {
            throw TypedLineError("nothing is on screen that could be shared")
        }
        let key = look ? try await inputs.ask { try await view.readKey() } : view.key
        if text.showsJSON { return text.show(json: .object([.init("key", .string(key))])) }
        output.show([TerminalTextLine.of(key)])
    }

    func use(_ number: Int) throws(TypedLineError) {
        guard views.screens[number] != nil else {
            throw TypedLineError("there is no session \(number) here; 'sessions' shows those that are")
        }
        views.use(number)
    }

    private func describe(_ name: String?) async throws {
        if let name, client.server.viewModels.contains(name) || catalog[name] != nil {
            return try await show(catalog.learn(name))
        }
        guard let screen = views.screens.onScreen else {
            guard let name else { throw TypedLineError("name a view model, or open one; 'list' shows them") }
            return try await show(catalog.learn(name))
        }
        let forms = try await catalog.learn(screen.viewModel)
        guard let name else { return show(forms) }
        guard let kind = forms.viewEvent(name) ?? forms.viewModelEvents?.first(where: { $0.name == name }) else {
            throw TypedLineError(
                "\(screen.viewModel) has no event \"\(name)\", and there is no view model of that name")
        }
        output.show(FormsText(style: output.style).lines(kind))
    }

    private func show(_ forms: ViewModelForms) {
        output.show(FormsText(style: output.style).lines(forms))
    }

    private func show(_ kind: String?) throws(TypedLineError) {
        let screen = try onScreen()
        let events = screen.newest.filter { kind == nil || $0.kind == kind }
        if let kind, events.isEmpty { throw TypedLineError("no \"\(kind)\" has come yet") }
        let formatter = EventFormatter(
            columns: output.columns, style: isOld ? .plain : output.style,
            limits: kind == nil ? EventFormatter.Limits() : .none)
        for (_, event) in events {
            if text.showsJSON {
                text.show(json: event)
            } else {
                let lines = formatter.lines(event)
                output.show(isOld ? lines.map(output.style.dim) : lines)
            }
        }
        if isOld, let hindrance { output.remark("this may be old: there is \(hindrance.words)") }
    }

    private func showRows(of list: String, _ range: ClosedRange<Int>?) async throws {
        let (number, view) = (try onScreen().number, try viewOnScreen())
        let pages = ListPages(view: view, number: number, inputs: inputs)
        let page = try await pages.read(list, range, after: shownRows)
        shownRows = page.place
        if text.showsJSON { return text.show(json: page.json) }
        output.show(page.lines(EventFormatter(columns: output.columns, style: output.style)))
    }

    private func send(_ kind: String, _ members: [TypedWord]) async throws {
        guard let screen = views.screens.onScreen, let view = views[screen.number] else {
            let advice =
                views.gone.map { "\($0.name) has ended: 'reopen' opens it again" } ?? "try 'help' or 'open NAME'"
            throw TypedLineError("there is no command \"\(kind)\", and nothing is open; \(advice)")
        }
        let event = try await catalog.learnIfPossible(screen.viewModel).event(kind, members)
        let text = JSONText { event.write(into: &$0) }
        let (inputs, mark) = (inputs, SentMark(kind))
        sending = mark
        defer { sending = nil }
        do {
            _ = try await inputs.ask {
                try await view.send(text, progress: { inputs.post(.progress($0, of: mark)) }, note: { mark.note($0) })
            }
        } catch let error as RemoteError {
            guard let fate = mark.fate(after: error) else { throw error }
            let line = ([kind] + members.map(\.text)).joined(separator: " ")
            throw TypedLineError("\(TerminalTextLine.of(line)) \(fate): \(ConsoleText.words(error))")
        }
    }

    private func wait(for kind: String, _ words: [TypedWord], _ timeout: Duration) async throws {
        let screen = try onScreen()
        let forms = catalog[screen.viewModel]
        let members = try (forms?.viewModelEvent(kind)?.form ?? .unknown).readSome(words, for: kind)
        let arrival = Arrival(kind: kind, members: members, root: views.screens.root(of: screen.number))
        switch await views.wait(for: arrival, at: timeout, by: clock) {
        case .came: break
        case .cancelled: throw CancellationError()
        case .ended: throw TypedLineError("no \(arrival) came before \(TerminalTextLine.of(screen.viewModel)) ended")
        case .timedOut:
            let kinds = forms?.viewModelEvents.map { "; \(screen.viewModel) sends \(ViewModelForms.list($0))" } ?? ""
            throw TypedLineError("no \(arrival) came within \(seconds(timeout)) s\(TerminalTextLine.of(kinds))")
        }
    }

    private func seconds(_ time: Duration) -> String {
        let (seconds, rest) = time.components
        return rest == 0 ? "\(seconds)" : "\(time / .seconds(1))"
    }

    private func goBack() async throws {
        let view = try viewOnScreen()
        do {
            try await inputs.ask { try await view.back() }
        } catch RemoteError.refused(let refusal) {
            // A view model that refuses may give a reason.
            let refused = refusal.data.flatMap { try? JSONTree(parsing: $0) }?["refused"]?.string
            throw TypedLineError(refused.map { "it stays: \(TerminalTextLine.of($0))" } ?? refusal.message)
        }
    }

    /// Ends the session on screen. If a person may not mean that, the first call only asks.
    private func close(isSure: Bool) async throws {
        let screen = try onScreen()
        let view = try viewOnScreen()
        // The server ends no such session.
        let isEveryones = screen.place == .root && client.server.scopes[screen.viewModel] == .everyone
        if asksBeforeClosing, !isSure, !isEveryones {
            let (client, key) = (client, view.key)
            let others = (try await inputs.ask { try await client.viewCount(ofKey: key) } ?? 1) - 1
            if others > 0 || client.server.isDurable {
                closing = screen.number
                let seen = others == 0 ? nil : "\(others) more \(others == 1 ? "view sees" : "views see") it"
                let kept = client.server.isDurable ? "what is stored of it is removed" : nil
                let reasons = [seen, kept].compactMap { $0 }.joined(separator: ", and ")
                return output.remark("\(reasons); 'close' once more ends it for good, 'detach' leaves it")
            }
        }
        try await leave { try await $0.close() }
        if isEveryones { output.remark("the session stays for the others") }
    }

    /// The sessions that a server with a store keeps when the client leaves, each with its view model's name.
    var kept: [(name: String, key: String)] {
        guard client.server.isDurable else { return [] }
        let roots = views.screens.all.filter { $0.place == .root }
        let ended = views.mayBeKept.sorted { $0.key < $1.key }.map(\.value)
        return roots.map { (TerminalTextLine.of($0.viewModel), $0.key) } + ended
    }

    private func leave(by leaving: @escaping @Sendable (ClientView) async throws -> Void) async throws {
        let screen = try onScreen()
        let view = try viewOnScreen()
        try await inputs.ask { try await leaving(view) }
        views.takeOff(screen.number)
    }

    private func onScreen() throws(TypedLineError) -> Screens.Screen {
        guard let screen = views.screens.onScreen else { throw TypedLineError("nothing is open; try 'open NAME'") }
        return screen
    }

    private func viewOnScreen() throws(TypedLineError) -> ClientView {
        guard let view = views[try onScreen().number] else { throw TypedLineError("it isn't there yet") }
        return view
    }
}
