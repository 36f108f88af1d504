#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

#if canImport(Darwin)
typealias DirectoryStream = UnsafeMutablePointer<DIR>
#else
typealias DirectoryStream = OpaquePointer
#endif

/// The files and folders in a folder, read one after the other.
///
/// Confined to the task that made it.
final class FolderEntries {
    enum Kind {
        case folder
        /// Or a link.
        case file
    }

    struct Entry {
        /// Until the next one is read.
        let name: UnsafeBufferPointer<UInt8>
        let kind: Kind
    }

    private static let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0

    private let stream: DirectoryStream

    /// Nil where there is none.
    ///
    /// - Parameter descriptor: of the folder. It is closed with the entries, and at once where these are nil.
    init?(owning descriptor: CInt) {
        guard descriptor >= 0 else { return nil }
        guard let stream = fdopendir(descriptor) else {
            close(descriptor)
            return nil
        }
        self.stream = stream
    }

    /// The descriptor of the folder.
    var descriptor: CInt { dirfd(stream) }

    deinit {
        closedir(stream)
    }

    /// The next file, link or folder but `.git`; nil at the end. Other things, such as sockets, are passed over.
    func next() -> Entry? {
        while let entry = readdir(stream) {
            let start = UnsafeRawPointer(entry).advanced(by: Self.nameOffset)
            let count = strlen(start.assumingMemoryBound(to: CChar.self))
            let name = UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)
            if name.first == UInt8(ascii: "."), Self.isPassedOver(name) { continue }
            let kind: Kind
            switch CInt(entry.pointee.d_type) {
            case CInt(DT_DIR): kind = .folder
            case CInt(DT_REG), CInt(DT_LNK): kind = .file
            case CInt(DT_UNKNOWN):
                guard let asked = self.kind(of: start.assumingMemoryBound(to: CChar.self)) else { continue }
                kind = asked
            default: continue
            }
            return Entry(name: name, kind: kind)
        }
        return nil
    }

    /// The folder itself, the one above, and git's.
    private static func isPassedOver(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8) || name.elementsEqual(".git".utf8)
    }

    /// Where the file system doesn't say so by itself.
    private func kind(of name: UnsafePointer<CChar>) -> Kind? {
        var status = stat()
        guard fstatat(descriptor, name, &status, CInt(AT_SYMLINK_NOFOLLOW)) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return .folder
        case S_IFREG, S_IFLNK: return .file
        default: return nil
        }
    }

    /// All of a file in this folder; nil of one that is longer, isn't there, or is a link.
    func contents(of name: String, maximumBytes: Int) -> [UInt8]? {
        OpenFile(Array(name.utf8), in: descriptor)?.contents(maximumBytes: maximumBytes)
    }
}
