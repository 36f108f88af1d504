import ViewModels

/// The file that a finder shows, and a line of it. The finder sets it, and the preview beside it follows.
final class PreviewedFile: Singleton {
    /// A file below a finder's folder, and a line of it.
    struct Place: Sendable, Hashable {
        /// The finder's folder.
        let root: String
        /// The file's path below the folder, in bytes as the file system has it.
        let path: [UInt8]
        /// The line's number, from 1; nil where no line was found.
        let line: Int?
    }

    /// One object for each session with its screens.
    static let scope = SingletonScope.session

    /// The file; nil before there is one.
    let place = Dynamic<Place?>(nil)
    /// The preview that is on screen; nil where none is.
    let preview = Dynamic<ObjectIdentifier?>(nil)

    /// A finder's state before it shows a file.
    init(container: Container, arguments: Void) {}
}
