import Contracts
import JSON
import TerminalClient
import ViewModelClient

/// A finder's session: it is kept when its picker closes, so that the next one finds the files scanned.
@MainActor final class FinderSession {
    /// What a picker wants to know. What is new stands in the session.
    enum News {
        case event(FinderEvent)
        case rows
        case preview
        /// The session is gone. It can be opened anew.
        case ended(RemoteError)
    }

    nonisolated static let viewModel = "finder"

    let arguments: [JSONTree.Member]
    /// Called with all news, in order.
    var receive: (News) -> Void = { _ in }
    private(set) var facts = FinderFacts()
    /// What it searches for, once it has taken all that was sent.
    private(set) var search = FinderQuery()
    private(set) var preview: FinderPreview?

    private let client: Client
    private let inputs: ConsoleInputs
    private var finder: FinderView?
    private var results: RemoteList<FoundRow>?
    private var following: Task<Void, Never>?
    private var opening: Task<Void, any Error>?
    /// The preview that is on screen at the server.
    private var previewKey: String?
    private var wantsPreview = false
    /// The preview is being taken off the screen. What is asked for meanwhile waits: the two are different sessions, and so
    /// have no order.
    private var isClosing = false
    private var waiting: (event: FinderViewEvent, done: @MainActor @Sendable (String?) -> Void)?

    init(_ arguments: [JSONTree.Member], _ client: Client, _ inputs: ConsoleInputs) {
        self.arguments = arguments
        self.client = client
        self.inputs = inputs
    }

    var isOpen: Bool { finder != nil }

    var rows: RemoteRows<FoundRow> { results?.rows ?? RemoteRows() }

    /// Why rows don't come, for a person.
    var rowsFailure: String? { results?.failure.map { ConsoleText.words($0) } }

    /// Opens it, unless that is being done already.
    func open() async throws {
        let task = opening ?? Task { try await makeView() }
        opening = task
        defer { opening = nil }
        try await task.value
    }

    private func makeView() async throws {
        let text = arguments.isEmpty ? nil : JSONText { JSONTree.object(arguments).write(into: &$0) }
        let receive = { @Sendable [inputs, weak self] (news: ViewNews) in inputs.post { self?.take(news) } }
        let view = try await inputs.ask { [client] in
            try await client.open(Self.viewModel, arguments: text, receive: receive)
        }
        let finder = FinderView(view: view, inputs: inputs)
        let results = view.list("results", of: FoundRow.self)
        following = finder.follow(results) { [weak self] in self?.receive(.rows) }
        self.results = results
        self.finder = finder
    }

    /// Ends the session.
    func close() {
        following?.cancel()
        preview?.stop()
        (finder, results, following, preview, previewKey) = (nil, nil, nil, nil, nil)
        (facts, search) = (FinderFacts(), FinderQuery())
        (isClosing, waiting) = (false, nil)
    }

    /// Sends a query, or a mode.
    func send(_ event: FinderViewEvent, done: @escaping @MainActor @Sendable (String?) -> Void = { _ in }) {
        note(event)
        guard case .preview = event, isClosing else { return finder?.send(event, done: done) ?? () }
        waiting?.done(nil)
        waiting = (event, done)
    }

    /// Returns when it was handled.
    func send(_ event: FinderViewEvent) async throws {
        guard let finder else { throw RemoteError.closed }
        note(event)
        try await inputs.ask { try await finder.send(event) }
    }

    private func note(_ event: FinderViewEvent) {
        switch event {
        case .query(let text): search.text = text
        case .mode(let mode): search.mode = mode
        case .preview: wantsPreview = true
        case .accept, .refresh: break
        }
    }

    func show(_ rows: Range<Int>) { results?.show(rows) }

    /// Rows as they are at the server, as JSON.
    func read(_ rows: Range<Int>) async throws -> [JSONTree] {
        guard let finder else { throw RemoteError.closed }
        let answer = try await inputs.ask {
            try await finder.view.rows(of: "results", first: rows.lowerBound, count: rows.count)
        }
        return try answer.rows.map { try JSONTree(parsing: $0) }
    }

    func closePreview() {
        wantsPreview = false
        guard let preview else { return }
        isClosing = true
        preview.close { [weak self] in self?.didClosePreview() }
    }

    private func didClosePreview() {
        isClosing = false
        guard let (event, done) = waiting else { return }
        waiting = nil
        send(event, done: done)
    }

    /// The picker is closed. The next one searches for something else.
    func rest() {
        receive = { _ in }
        closePreview()
    }
}

// What comes.
extension FinderSession {
    private func take(_ news: ViewNews) {
        switch news {
        case .event(let event, _): take(event)
        case .snapshot(let events, _, let shown):
            facts = FinderFacts()
            for event in events { take(event) }
            take(shown)
        case .navigation(let change, _): take(change)
        case .ended(let error):
            close()
            receive(.ended(error))
        }
    }

    private func take(_ text: JSONText) {
        guard let event = FinderView.event(FinderEvent.self, in: text) else { return }
        facts.take(event)
        receive(.event(event))
    }

    private func take(_ change: RemoteNavigation) {
        switch change {
        case .push(let child): bring(child)
        case .pop(let key): if key == previewKey { dropPreview() }
        case .shown(let stack, _):
            if stack.last?.key != previewKey { dropPreview() }
            if let child = stack.last { bring(child) }
        case .present, .dismiss: break
        }
    }

    private func bring(_ child: RemoteChild) {
        guard child.key != previewKey else { return }
        previewKey = child.key
        let preview = FinderPreview(inputs)
        preview.didChange = { [weak self] in self?.receive(.preview) }
        self.preview = preview
        Task {
            do {
                try await preview.attach(to: child.key, client)
                // Its picker may be closed by now.
                if !wantsPreview { closePreview() }
            } catch {
                // It may have been taken off meanwhile.
                if previewKey == child.key { dropPreview() }
            }
        }
    }

    private func dropPreview() {
        preview?.stop()
        (preview, previewKey) = (nil, nil)
        receive(.preview)
    }
}
