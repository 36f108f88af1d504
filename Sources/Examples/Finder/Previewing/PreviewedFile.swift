import ViewModels

/// The file that a finder shows, and a line of it. The finder sets it, and the preview beside it follows.
final class PreviewedFile: Singleton {
    /// A file below a finder's folder.
    struct Place: Sendable, Hashable {
        /// The finder's folder.
        let root: String
        /// Below the folder.
        let path: [UInt8]
        /// From 1.
        let line: Int?
    }

    /// One session with its screens.
    static let scope = SingletonScope.session

    /// The file; nil before there is one.
    let place = Dynamic<Place?>(nil)
    /// The preview that is on screen; nil where none is.
    let preview = Dynamic<ObjectIdentifier?>(nil)

    /// No file yet.
    init(container: Container, arguments: Void) {}
}
