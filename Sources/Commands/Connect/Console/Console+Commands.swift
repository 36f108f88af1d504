import Contracts
import JSON
import JSONRPC
import ViewModelClient

extension Console {
    /// - Throws: why it can't be done, in words, or `CancellationError`.
    func execute(_ command: ConsoleCommand) async throws {
        switch command {
        case .help:
            output.show(ConsoleWord.helpText.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
        case .list: list()
        case .open(let name, let arguments): try await open(name, arguments)
        case .attach(let key): try await attach(key)
        case .sessions: listSessions()
        case .use(let number): try use(number)
        case .describe(let name): try await describe(name)
        case .show(let kind): try show(kind)
        case .event(let kind, let members): try await send(kind, members)
        case .back: try await goBack()
        case .close: try await leave { try await $0.close() }
        case .detach: try await leave { try await $0.detach() }
        case .quit: break
        }
    }

    private func list() {
        let names = client.server.viewModels
        if showsJSON { return showJSON(.array(names.map { .string($0) })) }
        output.show(
            names.map { name in
                let description =
                    forms[name]?.description.map { "  \(output.style.dim(TerminalTextLine.of($0)))" } ?? ""
                return "  \(TerminalTextLine.of(name))\(description)"
            })
    }

    private func listSessions() {
        for screen in screens.all {
            if showsJSON {
                showJSON(
                    .object([
                        .init("session", .number("\(screen.number)")), .init("viewModel", .string(screen.viewModel)),
                        .init("key", .string(screen.key)),
                        .init("isOnScreen", .boolean(screen.number == screens.current)),
                    ]))
                continue
            }
            let mark = screen.number == screens.current ? "*" : " "
            let path = TerminalTextLine.of(screens.path(of: screen.number))
            output.show(["\(mark) \(screen.number)  \(path)  \(output.style.dim(screen.key))"])
        }
    }

    func use(_ number: Int) throws(TypedLineError) {
        guard screens[number] != nil else {
            throw TypedLineError("there is no session \(number) here; 'sessions' shows those that are")
        }
        screens.use(number)
        showScreen()
    }

    private func describe(_ name: String?) async throws {
        if let name, client.server.viewModels.contains(name) || forms[name] != nil {
            return try await show(learn(name))
        }
        guard let screen = screens.onScreen else {
            guard let name else { throw TypedLineError("name a view model, or open one; 'list' shows them") }
            return try await show(learn(name))
        }
        let forms = try await learn(screen.viewModel)
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

    /// A view model's contract, as the server tells it.
    func learn(_ name: String) async throws -> ViewModelForms {
        if let known = forms[name] { return known }
        let client = client
        let contract = try await inputs.ask { try await client.describe(name) }
        let learnt = ViewModelForms(name: name, contract: contract.withValue { JSONTree($0) })
        forms[name] = learnt
        return learnt
    }

    /// The same, of a server that may describe nothing.
    func learnIfPossible(_ name: String) async throws -> ViewModelForms {
        do {
            return try await learn(name)
        } catch RemoteError.refused(let refusal) where refusal.code == ErrorCode.methodNotFound.rawValue {
            return ViewModelForms(name: name)
        }
    }

    private func show(_ kind: String?) throws(TypedLineError) {
        let screen = try onScreen()
        let events = screen.newest.filter { kind == nil || $0.kind == kind }
        if let kind, events.isEmpty { throw TypedLineError("no \"\(kind)\" has come yet") }
        let formatter = EventFormatter(
            columns: output.columns, style: output.style, limits: kind == nil ? EventFormatter.Limits() : .none)
        for (_, event) in events {
            if showsJSON { showJSON(event) } else { output.show(formatter.lines(event)) }
        }
    }

    private func send(_ kind: String, _ members: [TypedWord]) async throws {
        guard let screen = screens.onScreen, let view = views[screen.number] else {
            throw TypedLineError("there is no command \"\(kind)\", and nothing is open; try 'help' or 'open NAME'")
        }
        let event = try await learnIfPossible(screen.viewModel).event(kind, members)
        let text = JSONText { event.write(into: &$0) }
        let inputs = inputs
        _ = try await inputs.ask {
            try await view.send(text, progress: { inputs.post(.progress($0)) })
        }
    }

    private func goBack() async throws {
        let view = try viewOnScreen()
        do {
            try await inputs.ask { try await view.back() }
        } catch RemoteError.refused(let refusal) {
            // A view model that won't be left says why.
            let refused = refusal.data.flatMap { try? JSONTree(parsing: $0) }?["refused"]?.string
            throw TypedLineError(refused.map { "it stays: \(TerminalTextLine.of($0))" } ?? refusal.message)
        }
    }

    private func leave(by leaving: @escaping @Sendable (ClientView) async throws -> Void) async throws {
        let screen = try onScreen()
        let view = try viewOnScreen()
        try await inputs.ask { try await leaving(view) }
        takeOff(screen.number)
    }

    private func onScreen() throws(TypedLineError) -> Screens.Screen {
        guard let screen = screens.onScreen else { throw TypedLineError("nothing is open; try 'open NAME'") }
        return screen
    }

    private func viewOnScreen() throws(TypedLineError) -> ClientView {
        guard let view = views[try onScreen().number] else { throw TypedLineError("it isn't there yet") }
        return view
    }
}
