import LibC
import Transport
import ViewModelClient

/// A person at a terminal: keys become commands, and events are shown while the person types.
@MainActor final class Conversation {
    private let console: Console
    private let screen: TerminalScreen
    private let inputs: ConsoleInputs
    private let history: HistoryFile?
    /// Lines that were typed ahead.
    private var lines: [String]
    private var running: (line: String, task: Task<Void, Never>)?
    private var isCancelled = false
    /// Of events that are handled, and of work that goes on afterwards.
    private var progress: [(mark: SentMark, words: String)] = []
    /// The last key was Ctrl-C, and there was nothing to cancel.
    private var isAboutToLeave = false

    /// The time after which a command is shown as running.
    private static let patience = Duration.milliseconds(200)

    init(_ console: Console, _ screen: TerminalScreen, _ inputs: ConsoleInputs, history: HistoryFile?, lines: [String])
    {
        self.console = console
        self.screen = screen
        self.inputs = inputs
        self.history = history
        self.lines = lines
    }

    func run(greeting: [String]) async throws -> Connect.End {
        let signals = try EventLoop(name: "signals")
        let inputs = inputs
        try signals.prepare {
            _ = try SignalWatcher(
                [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH], on: signals
            ) { inputs.post(.signal($0)) }
        }
        try signals.start()
        let input = try StandardInput(inputs, waitsForDemand: false)
        defer { screen.close() }
        screen.open()
        screen.show(greeting)
        try input.start()
        console.views.onLoss = { [weak self] in self?.nameUndone() }
        learnAll()
        goOn()
        for await news in inputs.stream {
            if let end = take(news) { return end }
            if console.wantsToEnd, running == nil { return .status(0) }
        }
        return .status(0)
    }

    private func take(_ news: ConsoleInput) -> Connect.End? {
        switch news {
        case .bytes(let bytes):
            for key in screen.keys(in: bytes) {
                if let end = take(key) { return end }
            }
        case .endOfInput: return .status(0)
        case .signal(let number): return takeSignal(number)
        case .client(let news):
            if let reason = console.take(news) {
                if let running { screen.fail("\(running.line) \(console.fateOfCommand)") }
                nameUndone()
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

    private func take(_ key: Key) -> Connect.End? {
        let wasAboutToLeave = isAboutToLeave
        isAboutToLeave = false
        switch screen.reader.take(key) {
        case .redraw: screen.draw()
        case .bell: screen.bell()
        case .submit(let line): submit(line)
        case .complete: complete()
        case .interrupt: return interrupt(wasAboutToLeave)
        case .end: return .status(0)
        // The whole process group is stopped, with a script that started this process: the signal comes back here.
        case .suspend: kill(0, SIGTSTP)
        case .clearScreen: screen.clear()
        }
        return nil
    }

    private func submit(_ line: String) {
        screen.showEntered(line)
        if screen.reader.history.add(line) { history?.append(line) }
        lines.append(line)
        goOn()
        if !lines.isEmpty { showRunning() }
    }

    /// Runs the next line. Lines that are typed while a command runs wait for it.
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
        guard let running else { return showOngoing() }
        let waiting = lines.count == 1 ? "1 more line waits" : "\(lines.count) more lines wait"
        let fate = [console.sendingWords, lines.isEmpty ? nil : waiting].compactMap { $0 }.joined(separator: ", ")
        let progress = progress.first { $0.mark === console.sending }?.words
        let words = [running.line, progress, fate.isEmpty ? nil : fate].compactMap { $0 }.joined(separator: ": ")
        screen.setStatus("… \(words)\(isCancelled ? " (being cancelled)" : " (Ctrl-C cancels)")")
    }

    /// Work that goes on although its command is done.
    private func showOngoing() {
        let works = progress.map { "\(TerminalTextLine.of($0.mark.kind)): \($0.words)" }
        screen.setStatus(works.isEmpty ? "" : "… \(works.joined(separator: ", "))")
    }

    /// Names the lines that were typed and aren't run any more.
    private func nameUndone() {
        guard !lines.isEmpty else { return }
        screen.fail("not done: \(lines.map { TerminalTextLine.of($0) }.joined(separator: "; "))")
        lines = []
    }

    private func interrupt(_ wasAboutToLeave: Bool) -> Connect.End? {
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
            return .status(0)
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

    /// Completes when the server has described the view model, if the line is still the same then.
    private func learnAndComplete(_ name: String) {
        let editor = screen.reader.editor
        Task {
            guard (try? await console.catalog.learn(name)) != nil else { return screen.bell() }
            if screen.reader.editor == editor { complete() }
        }
    }

    private func takeSignal(_ number: Int32) -> Connect.End? {
        switch number {
        case SIGWINCH: screen.didResize()
        case SIGTSTP: stop()
        case SIGCONT: screen.reopen()
        default: return .signal(number)
        }
        return nil
    }

    /// Stops the process as SIGTSTP does by itself, with the terminal restored. Returns when the process goes on.
    private func stop() {
        screen.close()
        StopSignal.stop()
        screen.open()
    }

    /// Asks for all contracts, so that Tab knows arguments and events. A view model without a contract can still be
    /// opened.
    private func learnAll() {
        Task {
            for name in console.client.server.viewModels.prefix(100) { _ = try? await console.catalog.learn(name) }
        }
    }
}
