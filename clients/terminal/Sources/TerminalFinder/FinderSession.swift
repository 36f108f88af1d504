import Contracts
import JSON
import TerminalClient
import ViewModelClient

/// A session of a finder. It stays open when its picker closes, so that the files are already scanned for the next picker.
@MainActor final class FinderSession {
    /// News for a picker. The session has the new state.
    enum News {
        case event(FinderEvent)
        case rows
        case preview
        /// The session has ended, and can be opened anew.
        case ended(RemoteError)
    }

    nonisolated static let viewModel = "finder"

    let arguments: [JSONTree.Member]
    /// Called with all news, in order.
    var receive: (News) -> Void = { _ in }
    private(set) var facts = FinderFacts()
    /// The query that the server's finder has, once it has taken everything that was sent.
    private(set) var search = FinderQuery()
    private(set) var preview: FinderPreview?

    private let client: Client
    private let inputs: ConsoleInputs
    private var finder: FinderView?
    private var results: RemoteList<FoundRow>?
    private var following: Task<Void, Never>?
    private var opening: Task<Void, any Error>?
    /// The key of the preview that is on screen at the server; nil if there is none.
    private var previewKey: String?
    private var wantsPreview = false
    /// Whether the preview is being taken off. A new preview waits for that: the finder and its preview are different sessions,
    /// whose events have no common order.
    private var isClosing = false
    private var waiting: (event: FinderViewEvent, done: @MainActor @Sendable (String?) -> Void)?

    init(_ arguments: [JSONTree.Member], _ client: Client, _ inputs: ConsoleInputs) {
        self.arguments = arguments
        self.client = client
        self.inputs = inputs
    }

    var isOpen: Bool { finder != nil }

    var rows: RemoteRows<FoundRow> { results?.rows ?? RemoteRows() }

    /// The reason why rows don't come, for a person; nil if they come.
    var rowsFailure: String? { results?.failure.map { ConsoleText.words($0) } }

    /// Opens the session, or waits if it is already being opened.
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

    /// Ends the session and forgets its state.
    func close() {
        following?.cancel()
        preview?.stop()
        (finder, results, following, preview, previewKey) = (nil, nil, nil, nil, nil)
        (facts, search) = (FinderFacts(), FinderQuery())
        (isClosing, waiting) = (false, nil)
    }

    /// Sends a view event. A request for a preview waits while the last preview is being taken off.
    func send(_ event: FinderViewEvent, done: @escaping @MainActor @Sendable (String?) -> Void = { _ in }) {
        note(event)
        guard case .preview = event, isClosing else { return finder?.send(event, done: done) ?? () }
        waiting?.done(nil)
        waiting = (event, done)
    }

    /// Sends a view event, and returns when it was handled.
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

    /// Returns rows as the server has them now, as JSON.
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

    /// Closes the preview and sends no more news, since the picker is closed. The finder stays for the next picker.
    func rest() {
        receive = { _ in }
        closePreview()
    }
}

// News from the server.
extension FinderSession {
    private func take(_ news: ViewNews) {
        switch news {
        case .event(let event, _): take(event)
        case .snapshot(let events, _, let shown):
            facts = FinderFacts()
            for event in events { take(event) }
            take(shown)
        case .navigation(let change, _): take(change)
        case .viewers: break
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
                // The picker may be closed by now.
                if !wantsPreview { closePreview() }
            } catch {
                // The preview may have been taken off meanwhile.
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
