import JSON
import TerminalClient
import ViewModelClient

/// The preview of a finder: a file, of which the lines on screen are fetched.
@MainActor final class FinderPreview {
    private(set) var file = PreviewedFile()
    var didChange: () -> Void = {}
    private let inputs: ConsoleInputs
    private var view: FinderView?
    private var list: RemoteList<PreviewLine>?
    private var following: Task<Void, Never>?
    /// The range of lines on screen.
    private var shown: Range<Int>?

    init(_ inputs: ConsoleInputs) {
        self.inputs = inputs
    }

    var lines: RemoteRows<PreviewLine> { list?.rows ?? RemoteRows() }

    func attach(to key: String, _ client: Client) async throws {
        let receive = { @Sendable [inputs, weak self] (news: ViewNews) in inputs.post { self?.take(news) } }
        let attached = try await inputs.ask { try await client.attach(key: key, receive: receive) }
        let view = FinderView(view: attached, inputs: inputs)
        let list = attached.list("lines", of: PreviewLine.self)
        following = view.follow(list) { [weak self] in self?.didChange() }
        self.view = view
        self.list = list
        if let shown { list.show(shown) }
        didChange()
    }

    func show(_ lines: Range<Int>) {
        shown = lines
        list?.show(lines)
    }

    /// Asks the server to take the preview off for everyone. Does nothing before the preview is attached.
    ///
    /// - Parameter done: called when the server has answered, or at once if there is nothing to do.
    func close(done: @escaping @MainActor @Sendable () -> Void) {
        guard let view else { return done() }
        view.send(FinderPreviewViewEvent.close) { _ in done() }
    }

    /// Ends the preview, since the server has taken it off.
    func stop() {
        following?.cancel()
        (view, list, following) = (nil, nil, nil)
    }

    private func take(_ news: ViewNews) {
        switch news {
        case .event(let event, _): take(event)
        case .snapshot(let events, _, _):
            file = PreviewedFile()
            for event in events { take(event) }
        case .navigation, .viewers: return
        case .ended: stop()
        }
        didChange()
    }

    private func take(_ text: JSONText) {
        switch FinderView.event(FinderPreviewEvent.self, in: text) {
        case .file(let path, let line): (file.path, file.line) = (path, line)
        case .note(let message): file.note = message
        case nil: break
        }
    }
}
