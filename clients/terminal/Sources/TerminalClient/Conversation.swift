import LibC
import Transcripts
import Transport
import ViewModelClient

/// A conversation with a person at a terminal: keys become commands, and events are shown while the person types.
@MainActor package final class Conversation {
    private let console: Console
    package let screen: TerminalScreen
    private let inputs: ConsoleInputs
    private let history: HistoryFile?
    /// Lines that wait for the running command to end.
    private var lines: [String]
    private var running: (line: String, task: Task<Void, Never>)?
    private var isCancelled = false
    /// The progress of events that are being handled, and of work that goes on afterwards.
    private var progress: [(mark: SentMark, words: String)] = []
    /// Whether the next Ctrl-C leaves, since the last key was Ctrl-C and there was nothing to cancel.
    private var isAboutToLeave = false
    /// The view that takes up the whole screen; nil if there is none.
    private var fullScreen: (any FullScreenView)?
    /// The command that opens files. If it is nil, their paths are shown instead.
    private let editorCommand: EditorCommand?
    /// The editor that uses the terminal; nil if there is none.
    private var editor: Editor?
    /// Whether no key has come since an editor used the terminal.
    private var isBehindEditor = false
    private var input: StandardInput?
    private var signals: EventLoop?

    private enum Editor {
        case starts
        case runs(ForegroundProgram)
    }

    /// The time within which a terminal sends all bytes of a key.
    private static let keyTime = Duration.milliseconds(50)
    /// The time after which a command is shown as running.
    private static let patience = Duration.milliseconds(200)

    init(
        _ console: Console, _ screen: TerminalScreen, _ inputs: ConsoleInputs, history: HistoryFile?,
        editor: EditorCommand?, lines: [String]
    ) {
        self.console = console
        self.screen = screen
        self.inputs = inputs
        self.history = history
        editorCommand = editor
        self.lines = lines
    }

    func run(greeting: [String]) async throws -> TerminalClient.End {
        let signals = try inputs.watch([SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH])
        let input = try StandardInput(inputs, waitsForDemand: false)
        (self.input, self.signals) = (input, signals)
        defer { screen.close() }
        screen.open()
        screen.show(greeting)
        try input.start()
        console.views.onLoss = { [weak self] in self?.nameUndone() }
        console.conversation = self
        learnAll()
        goOn()
        var end: TerminalClient.End?
        for await news in inputs.stream {
            end = take(news) ?? end
            // The editor may have unsaved text, so the conversation goes on until it has ended.
            if let end, editor == nil { return end }
            if console.wantsToEnd, running == nil { return .done }
        }
        return .done
    }

    private func take(_ news: ConsoleInput) -> TerminalClient.End? {
        switch news {
        case .bytes(let bytes):
            isBehindEditor = false
            for key in screen.keys(in: bytes) {
                if let end = take(key) { return end }
            }
            awaitEscape()
        case .endOfInput:
            nameUnanswered()
            return .done
        case .signal(let number): return takeSignal(number)
        case .client(let news):
            let reason = console.take(news)
            fullScreen?.setHindrance(console.hindrance)
            if let reason {
                nameUnanswered()
                return .lost(reason)
            }
            showRunning()
        case .view(let feed, let news): console.views.take(news, feed: feed)
        case .progress(let value, let mark):
            let words = ConsoleText.progressText(value)
            progress.removeAll { $0.mark === mark }
            if let words { progress.append((mark, words)) }
            showRunning()
        case .tick: showRunning()
        case .resume(let body): body()
        }
        return nil
    }

    private func take(_ key: Key) -> TerminalClient.End? {
        if let fullScreen, fullScreen.isOnScreen {
            fullScreen.take(key)
            return nil
        }
        let wasAboutToLeave = isAboutToLeave
        isAboutToLeave = false
        switch screen.reader.take(key) {
        case .redraw: screen.draw()
        case .bell: screen.bell()
        case .submit(let line): return submit(line)
        case .complete: complete()
        case .interrupt: return interrupt(wasAboutToLeave)
        case .end: return leave(wasAboutToLeave)
        case .suspend: suspend()
        case .clearScreen: screen.clear()
        }
        return nil
    }

    private func submit(_ line: String) -> TerminalClient.End? {
        screen.showEntered(line)
        if screen.reader.history.add(line) { history?.append(line) }
        // `quit` would otherwise wait behind a command that waits for the server.
        if running != nil, console.isHindered, (try? console.command(in: line)) == .quit { return leave(false) }
        lines.append(line)
        goOn()
        if !lines.isEmpty { showRunning() }
        return nil
    }

    /// Runs the next line, unless a command is still running.
    private func goOn() {
        guard running == nil, !console.wantsToEnd, !lines.isEmpty else { return }
        let line = lines.removeFirst()
        isCancelled = false
        let task = Task {
            _ = await console.run(line)
            inputs.post(.resume { [self] in didRun() })
        }
        let shown = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        running = (TerminalTextLine.of(DisplayWidth.cut(shown, columns: 30)), task)
        Task { [inputs] in
            try? await Task.sleep(for: Self.patience)
            inputs.post(.tick)
        }
    }

    private func didRun() {
        running = nil
        showRunning()
        goOn()
    }

    private func showRunning() {
        // A command that uses the whole screen needs no status.
        guard fullScreen == nil, editor == nil else { return }
        guard let running else { return showOngoing() }
        let fate = [console.sendingWords, waitingWords].compactMap { $0 }.joined(separator: ", ")
        let progress = progress.first { $0.mark === console.sending }?.words
        let words = [running.line, progress, fate.isEmpty ? nil : fate].compactMap { $0 }.joined(separator: ": ")
        screen.setStatus("… \(words)\(isCancelled ? " (being cancelled)" : " (Ctrl-C cancels)")")
    }

    /// A sentence about the lines that wait; nil if there are none.
    private var waitingWords: String? {
        switch lines.count {
        case 0: nil
        case 1: "1 more line waits"
        default: "\(lines.count) more lines wait"
        }
    }

    /// Shows in the status the work that goes on after its command has ended.
    private func showOngoing() {
        let works = progress.map { "\(TerminalTextLine.of($0.mark.kind)): \($0.words)" }
        screen.setStatus(works.isEmpty ? "" : "… \(works.joined(separator: ", "))")
    }

    /// Reports and removes the lines that were typed and will not be run.
    private func nameUndone() {
        guard !lines.isEmpty else { return }
        screen.fail("not done: \(lines.map { TerminalTextLine.of($0) }.joined(separator: "; "))")
        lines = []
    }

    /// Leaves. If a command waits for the server and may be lost, the first call only asks.
    private func leave(_ wasAboutToLeave: Bool) -> TerminalClient.End? {
        if let running, console.isHindered, !wasAboutToLeave {
            isAboutToLeave = true
            let words = ["\(running.line) is \(console.sendingWords ?? "not done")", waitingWords]
            screen.remark("\(words.compactMap { $0 }.joined(separator: ", ")); Ctrl-D leaves all the same")
            return nil
        }
        nameUnanswered()
        return .done
    }

    /// Reports everything that has no answer when the conversation ends.
    private func nameUnanswered() {
        if let running { screen.fail("\(running.line) \(console.fateOfCommand)") }
        nameUndone()
    }

    private func interrupt(_ wasAboutToLeave: Bool) -> TerminalClient.End? {
        if let running, !isCancelled {
            isCancelled = true
            nameUndone()
            running.task.cancel()
            showRunning()
        } else if !screen.reader.editor.isEmpty {
            screen.showEntered(screen.reader.editor.text + "^C")
            screen.reader.clear()
            screen.draw()
        } else if wasAboutToLeave {
            nameUnanswered()
            return .done
        } else {
            isAboutToLeave = true
            screen.remark("Ctrl-C once more leaves, as Ctrl-D does")
        }
        return nil
    }

    private func complete() {
        let completer = console.completer
        if let name = completer.unknownViewModel(in: screen.reader.editor.left) { return learnAndComplete(name) }
        let completion = completer.complete(screen.reader.editor.left)
        guard !completion.candidates.isEmpty else { return screen.bell() }
        let typed = String(screen.reader.editor.left.suffix(completion.replaced))
        let text = completion.commonText
        if completion.candidates.count == 1 || text.count > typed.count {
            screen.reader.editor.replace(last: completion.replaced, with: text)
            screen.draw()
        } else {
            screen.show(CandidateList(columns: screen.columns, style: screen.style).lines(completion.candidates))
        }
    }

    /// Asks for a contract, and then completes the line if it is still the same.
    private func learnAndComplete(_ name: String) {
        let editor = screen.reader.editor
        Task {
            guard (try? await console.catalog.learn(name)) != nil else { return screen.bell() }
            if screen.reader.editor == editor { complete() }
        }
    }

    private func takeSignal(_ number: Int32) -> TerminalClient.End? {
        if case .runs(let program) = editor { return takeSignal(number, for: program) }
        switch number {
        case SIGWINCH:
            screen.didResize()
            fullScreen?.didResize()
        // The terminal sends this signal to all programs in it, and it may have ended the editor first.
        case SIGINT where isBehindEditor, SIGQUIT where isBehindEditor: isBehindEditor = false
        case SIGTSTP: stop()
        case SIGCONT:
            screen.reopen()
            fullScreen?.didResize()
        default:
            nameUnanswered()
            return .signal(number)
        }
        return nil
    }

    /// Stops the process as SIGTSTP does by default, with the terminal restored. Returns when the process is continued.
    private func stop() {
        screen.close()
        StopSignal.stop()
        screen.open()
        fullScreen?.didResize()
    }

    /// Asks for the contracts of up to 100 view models, so that Tab knows arguments and events. A view model without a contract
    /// can still be opened.
    private func learnAll() {
        Task {
            for name in console.client.server.viewModels.prefix(100) { _ = try? await console.catalog.learn(name) }
        }
    }
}

// Views that take up the whole screen, and files that the person chooses there.
extension Conversation {
    /// Takes from the prompt what was typed after the running line, for the view that gets the screen next.
    package func takeTypedAhead() -> String {
        let ahead = screen.reader.editor.text
        screen.reader.clear()
        return ahead
    }

    /// Gives the keys of the terminal to a view for as long as `body` runs.
    package func show<Result>(
        _ view: any FullScreenView, _ body: () async throws -> Result
    ) async throws -> Result {
        fullScreen = view
        view.setHindrance(console.hindrance)
        defer { fullScreen = nil }
        return try await body()
    }

    /// Stops the process until the person continues it.
    package func suspend() {
        // The signal goes to the whole process group, with a script that started this process, and comes back here.
        kill(0, SIGTSTP)
    }

    /// Opens a file in the person's editor, and returns when the editor has ended. Without an editor, shows the path.
    package func open(_ file: ChosenFile) async throws {
        if let editorCommand { return try await edit(file, with: editorCommand.words(for: file)) }
        screen.show([TerminalText.visible(file.path + (file.line.map { ":\($0)" } ?? ""))])
    }

    /// Lets an editor use the terminal until it has ended.
    private func edit(_ file: ChosenFile, with command: [String]) async throws {
        editor = .starts
        input?.pause()
        screen.lend()
        defer {
            (editor, isBehindEditor) = (nil, true)
            screen.takeBack()
            input?.goOn()
        }
        let ending = try await ending(of: command, file)
        if ending != .exited(status: 0) { throw TypedLineError("\(TerminalTextLine.of(command[0])) \(ending)") }
    }

    private func ending(of command: [String], _ file: ChosenFile) async throws -> ChildProcess.Ending {
        guard let signals else { throw CancellationError() }
        let inputs = inputs
        return try await withCheckedThrowingContinuation { continuation in
            signals.execute { [self] in
                do {
                    let program = try ForegroundProgram(command, file: file.pathBytes, on: signals) { ending in
                        inputs.post(.resume { continuation.resume(returning: ending) })
                    }
                    inputs.post(.resume { self.editor = .runs(program) })
                } catch {
                    inputs.post(.resume { continuation.resume(throwing: error) })
                }
            }
        }
    }

    /// Takes a signal while an editor runs. A signal that ends this process is passed on, and takes effect when the editor has
    /// ended. The terminal sends its own signals to the editor, too.
    private func takeSignal(_ number: Int32, for program: ForegroundProgram) -> TerminalClient.End? {
        switch number {
        case SIGTERM, SIGHUP:
            program.signal(number)
            return .signal(number)
        case SIGTSTP: StopSignal.stop()
        // The signal is for the editor alone.
        default: break
        }
        return nil
    }

    /// Takes an escape byte as the Escape key if no other byte follows within `keyTime`. Other keys send several bytes, of
    /// which an escape is the first.
    private func awaitEscape() {
        guard fullScreen != nil, screen.isAtEscape else { return }
        Task { [inputs] in
            try? await Task.sleep(for: Self.keyTime)
            inputs.post(
                .resume { [self] in
                    if screen.takeEscape(), let fullScreen, fullScreen.isOnScreen { fullScreen.take(.escape) }
                })
        }
    }
}
