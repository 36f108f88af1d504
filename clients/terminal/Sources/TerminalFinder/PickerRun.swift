import TerminalClient
import ViewModelClient

/// A picker on a terminal: passes on input from the person and the finder, and performs the actions of `Picker`.
@MainActor final class PickerRun: FullScreenView {
    private var picker: Picker
    private let session: FinderSession
    private let screen: TerminalScreen
    private let suspend: () -> Void
    private var waiter: CheckedContinuation<ChosenFile?, any Error>?
    /// The number of finders that have ended, whose late answers are ignored.
    private var lives = 0

    /// Makes a picker.
    ///
    /// - Parameter suspend: stops the process until the person continues it.
    init(
        _ session: FinderSession, text: String, mode: FindMode, _ screen: TerminalScreen,
        suspend: @escaping () -> Void
    ) {
        self.session = session
        self.screen = screen
        self.suspend = suspend
        picker = Picker(text: text, mode: mode, facts: session.facts, layout: PickerLayout(screen))
    }

    /// Whether keys go to the picker.
    var isOnScreen: Bool { waiter != nil }

    /// Shows the picker until the person has decided.
    ///
    /// - Returns: the chosen file; nil if none was chosen.
    /// - Throws: the reason why the finder can't be opened.
    func run() async throws -> ChosenFile? {
        session.receive = { [weak self] in self?.take($0) }
        screen.beginView()
        defer {
            screen.endView()
            session.rest()
        }
        return try await withCheckedThrowingContinuation { waiter in
            self.waiter = waiter
            if session.isOpen { didOpen() } else { open() }
            draw()
        }
    }

    func take(_ key: Key) {
        perform(picker.take(key))
    }

    func didResize() {
        perform([])
    }

    func setHindrance(_ hindrance: Hindrance?) {
        picker.hindrance = hindrance
        draw()
    }

    private func open() {
        Task {
            do {
                try await session.open()
                if isOnScreen { didOpen() }
            } catch {
                end(.failure(error))
            }
        }
    }

    private func didOpen() {
        perform(picker.didOpen(searching: session.search))
        takeRows()
    }

    private func take(_ news: FinderSession.News) {
        switch news {
        case .event(let event):
            // The list is always at least as new as other events of its view model.
            takeRows()
            perform(picker.take(event))
        case .rows: takeRows()
        case .preview: takePreview()
        case .ended:
            lives += 1
            picker.didEnd()
            draw()
            open()
        }
    }

    private func takeRows() {
        perform(picker.take(session.rows, failure: session.rowsFailure))
    }

    private func takePreview() {
        perform(picker.take(session.preview?.file, lines: session.preview?.lines ?? RemoteRows()))
    }

    private func perform(_ actions: [Picker.Action]) {
        guard isOnScreen else { return }
        for action in picker.resize(PickerLayout(screen)) + actions { perform(action) }
        draw()
    }

    private func perform(_ action: Picker.Action) {
        switch action {
        case .search(let event):
            send(event) {
                $0.takeRows()
                $0.perform($0.picker.didSearch($1))
            }
        case .refresh: session.send(.refresh) { _ in }
        case .preview(let index, let id):
            send(.preview(index: index, id: id)) {
                $0.takePreview()
                $0.perform($0.picker.didPreview($1))
            }
        case .accept(let index, let id):
            send(.accept(index: index, id: id)) { $0.perform($0.picker.didAccept($1)) }
        case .closePreview: session.closePreview()
        case .show(let rows): session.show(rows)
        case .showPreview(let lines): session.preview?.show(lines)
        case .open(let file): end(.success(file))
        case .leave: end(.success(nil))
        case .suspend: suspend()
        case .clear: screen.clear()
        case .bell: screen.bell()
        }
    }

    /// Sends a view event.
    ///
    /// - Parameter done: called with the error for a person, unless the finder has ended by then.
    private func send(
        _ event: FinderViewEvent, done: @escaping @MainActor @Sendable (PickerRun, String?) -> Void
    ) {
        session.send(event) { [weak self, lives] problem in
            guard let self, self.lives == lives else { return }
            done(self, problem)
        }
    }

    private func end(_ result: Result<ChosenFile?, any Error>) {
        waiter?.resume(with: result)
        waiter = nil
    }

    private func draw() {
        guard isOnScreen else { return }
        screen.draw(PickerFrame(picker, style: screen.style).frame)
    }
}

extension PickerLayout {
    /// Makes the layout for the terminal's current size.
    @MainActor fileprivate init(_ screen: TerminalScreen) {
        let size = screen.size
        self.init(columns: size.columns, rows: size.rows)
    }
}
