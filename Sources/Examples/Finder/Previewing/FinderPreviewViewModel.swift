public import ViewModels

/// The lines of the file that a finder shows. While it is on screen it follows the finder.
///
/// The lines are a list that is made on demand: of a file of a gigabyte those are read that somebody looks at.
public actor FinderPreviewViewModel: ViewModel, PerRequest, BackHandling {
    /// The user's actions.
    public enum ViewEvent: Codable, Sendable, Equatable {
        /// Takes the preview off the screen.
        case close
    }

    /// The contents of the View, beside the lines.
    public enum ViewModelEvent: Codable, Sendable, Equatable, ReplaceableEvent {
        /// The file, below the finder's folder, and the line that was found, from 1.
        case file(path: String, line: Int?)
        /// Why there are no lines; without a message once there are.
        case note(message: String?)

        /// Each of its kind: a file takes the place of the one before.
        public var coalescingKey: String? {
            switch self {
            case .file: "file"
            case .note: "note"
            }
        }
    }

    /// A line of the file.
    public struct Line: Codable, Sendable, Equatable, Identifiable {
        /// Its number, from 1.
        public var id: Int
        /// The line, of a long one the first 1,000 bytes. What isn't UTF-8 is shown as U+FFFD.
        public var text: String
    }

    /// Sends the file.
    public let output = Output<ViewModelEvent>()
    /// The lines of the file, as far as they are counted.
    public nonisolated let lines: Rows<Line>
    private let reader: PreviewReader
    private let previewed: PreviewedFile
    private let navigation: NavigationService
    private var note: String?
    private var counting: Task<Void, Never>?
    private var isStopped = false

    /// A preview that reads nothing before `start()`.
    ///
    /// - Throws: the container's error, where it has no navigation.
    public init(container: Container, arguments: Void) throws {
        previewed = try container.resolve()
        navigation = try container.resolve()
        let reader = PreviewReader()
        self.reader = reader
        lines = Rows(count: 0) { range in try reader.lines(in: range) }
        previewed.preview.value = ObjectIdentifier(self)
    }

    /// Shows the file, and from now on each that the finder shows after it.
    public func start() {
        previewed.place.bind(self) { preview, _ in preview.show() }
        show()
    }

    /// Stops following the finder, and counting lines.
    public func stop() {
        willGoBack()
        previewed.place.unbind(self)
        counting?.cancel()
        counting = nil
        isStopped = true
    }

    /// The file.
    public func snapshot() -> [ViewModelEvent] {
        guard let place = reader.place else { return [] }
        return [file(place), .note(message: note)]
    }

    private func file(_ place: PreviewedFile.Place) -> ViewModelEvent {
        .file(path: String(decoding: place.path, as: UTF8.self), line: place.line)
    }

    /// Takes the preview off the screen.
    public func handle(event: ViewEvent) {
        willGoBack()
        navigation.pop()
    }

    /// Notes that this preview leaves the screen: for its next file the finder pushes a new one.
    public func willGoBack() {
        if previewed.preview.value == ObjectIdentifier(self) { previewed.preview.value = nil }
    }

    private func show() {
        guard !isStopped, let place = previewed.place.value, place != reader.place else { return }
        // The same lines, another one of which counts.
        if reader.move(to: place) { return output.send(file(place)) }
        counting?.cancel()
        let opened = reader.open(place) { lines.reload(count: 0) }
        note = opened == nil ? PreviewReader.note(about: place) : nil
        for event in snapshot() { output.send(event) }
        guard let opened else { return }
        counting = Task { [weak self] in
            try? await opened.countLines { [weak self] count in await self?.tell(count, of: opened) }
        }
    }

    private func tell(_ count: Int, of file: FileLines) {
        // Another file may be shown by now.
        if reader.isOpen(file) { lines.reload(count: count) }
    }
}
