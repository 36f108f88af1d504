import Synchronization

/// The file that a preview has open. Any thread may call it.
final class PreviewReader: Sendable {
    private struct State {
        var place: PreviewedFile.Place?
        var file: FileLines?
    }

    private let state = Mutex(State())

    /// The file that is shown; nil before the first.
    var place: PreviewedFile.Place? { state.withLock { $0.place } }

    /// Opens another file in place of this one.
    ///
    /// - Parameter empty: empties the list of lines. Nobody reads lines meanwhile, so that those of the new file never stand
    ///   under the number of the old one's.
    /// - Returns: nil where it has no lines that can be shown; `note(about:)` says why.
    func open(_ place: PreviewedFile.Place, empty: () -> Void) -> FileLines? {
        let file = Self.openFile(place).flatMap { $0.isBinary ? nil : $0 }
        let old = state.withLock { state in
            empty()
            let old = state.file
            state = State(place: place, file: file)
            return old
        }
        withExtendedLifetime(old) {}
        return file
    }

    /// Another line of the open file counts.
    ///
    /// - Returns: false where the place is in another file, or no file is open.
    func move(to place: PreviewedFile.Place) -> Bool {
        state.withLock { state in
            guard state.file != nil, let old = state.place, (old.root, old.path) == (place.root, place.path) else {
                return false
            }
            state.place = place
            return true
        }
    }

    /// Whether this is still the open file.
    func isOpen(_ file: FileLines) -> Bool { state.withLock { $0.file === file } }

    /// - Throws: `CancellationError`
    func lines(in range: Range<Int>) throws -> [FinderPreviewViewModel.Line] {
        try state.withLock { $0.file }?.lines(in: range) ?? []
    }

    /// Why a file has no lines that can be shown.
    static func note(about place: PreviewedFile.Place) -> String {
        openFile(place) == nil ? "The file can't be read." : "The file is binary."
    }

    private static func openFile(_ place: PreviewedFile.Place) -> FileLines? {
        guard let folder = try? RootFolder(place.root) else { return nil }
        return OpenFile(place.path, below: folder).map { FileLines($0) }
    }
}
