/// A few thousand files that a scan found, with their paths below its root.
///
/// A file takes 16 bytes and its name; those of a folder share the folder's path.
package final class FileBatch: Sendable {
    struct Folder: Sendable {
        let start: UInt32
        let count: UInt32
        /// The characters of the path, and the `/` behind it.
        let characters: CharacterSet64

        var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
    }

    struct File: Sendable {
        /// Where its name begins.
        let start: UInt32
        let count: UInt16
        /// An index of `folders`.
        let folder: UInt16
        /// The characters of the whole path.
        let characters: CharacterSet64

        var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
    }

    /// Paths of folders and names of files.
    private let bytes: [UInt8]
    let folders: [Folder]
    let files: [File]

    fileprivate init(bytes: [UInt8], folders: [Folder], files: [File]) {
        self.bytes = bytes
        self.folders = folders
        self.files = files
    }

    /// How many files there are.
    package var count: Int { files.count }

    /// The path of the folder at an index of `folders`, without a `/` at its end; empty for the root.
    func path(ofFolder index: Int) -> ArraySlice<UInt8> {
        bytes[folders[index].range]
    }

    func name(at index: Int) -> ArraySlice<UInt8> {
        bytes[files[index].range]
    }

    /// All paths of folders and names of files, for many of them at once: a slice of the array is retained each time.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        bytes.withUnsafeBufferPointer(body)
    }

    /// The bytes of a file's path below the root, which need not be UTF-8.
    package func path(at index: Int) -> [UInt8] {
        let folder = path(ofFolder: Int(files[index].folder))
        return folder.isEmpty ? Array(name(at: index)) : folder + [UInt8(ascii: "/")] + name(at: index)
    }

    /// Whether the path of the file at `index` comes before that of another one, by bytes.
    func path(at index: Int, precedes other: FileBatch, at otherIndex: Int) -> Bool {
        let (file, otherFile) = (files[index], other.files[otherIndex])
        if self === other, file.folder == otherFile.folder {
            return name(at: index).lexicographicallyPrecedes(other.name(at: otherIndex))
        }
        let (count, otherCount) = (pathCount(of: file), other.pathCount(of: otherFile))
        for offset in 0..<min(count, otherCount) {
            let (byte, otherByte) = (self.byte(offset, of: file), other.byte(offset, of: otherFile))
            if byte != otherByte { return byte < otherByte }
        }
        return count < otherCount
    }

    private func pathCount(of file: File) -> Int {
        let folder = Int(folders[Int(file.folder)].count)
        return Int(file.count) + (folder == 0 ? 0 : folder + 1)
    }

    private func byte(_ offset: Int, of file: File) -> UInt8 {
        let folder = folders[Int(file.folder)]
        let folderCount = Int(folder.count)
        if offset < folderCount { return bytes[Int(folder.start) + offset] }
        if folderCount == 0 { return bytes[Int(file.start) + offset] }
        return offset == folderCount ? UInt8(ascii: "/") : bytes[Int(file.start) + offset - folderCount - 1]
    }
}

/// A batch that is being filled.
struct FileBatchBuilder: Sendable {
    private static let maximumFiles = 4096
    private static let maximumBytes = 1 << 20

    private var bytes: [UInt8] = []
    private var folders: [FileBatch.Folder] = []
    private var files: [FileBatch.File] = []

    var isEmpty: Bool { files.isEmpty }

    /// Whether the batch should be taken before more is added.
    var isFull: Bool {
        files.count >= Self.maximumFiles || bytes.count >= Self.maximumBytes || folders.count > Int(UInt16.max)
    }

    /// Begins the files of a folder. One without files costs nothing once the next begins.
    ///
    /// - Parameter path: below the root, without `/` at its end.
    mutating func begin(folder path: ArraySlice<UInt8>) {
        if let last = folders.last, Int(files.last?.folder ?? .max) != folders.count - 1 {
            bytes.removeLast(Int(last.count))
            folders.removeLast()
        }
        var characters = CharacterSet64(of: path)
        if !path.isEmpty { characters.insert(UInt8(ascii: "/")) }
        folders.append(
            FileBatch.Folder(
                start: UInt32(clamping: bytes.count), count: UInt32(clamping: path.count), characters: characters))
        bytes.append(contentsOf: path)
    }

    /// Adds a file to the folder that was begun last.
    ///
    /// - Parameter name: of 65,535 bytes at most; a longer one is left out.
    mutating func add(name: some Collection<UInt8>) {
        guard let folder = folders.last, let count = UInt16(exactly: name.count),
            let index = UInt16(exactly: folders.count - 1)
        else { return }
        var characters = folder.characters
        for byte in name { characters.insert(byte) }
        files.append(
            FileBatch.File(
                start: UInt32(clamping: bytes.count), count: count, folder: index, characters: characters))
        bytes.append(contentsOf: name)
    }

    /// The batch; this one is empty then, and goes on in the same folder.
    mutating func take() -> FileBatch {
        let batch = FileBatch(bytes: bytes, folders: folders, files: files)
        let path = folders.indices.last.map { batch.path(ofFolder: $0) }
        self = FileBatchBuilder()
        if let path { begin(folder: path) }
        return batch
    }
}

extension FileBatch {
    /// A batch of paths that are known already.
    ///
    /// - Parameter paths: below a root, by `/`; all in one batch, so a few thousand.
    package convenience init(paths: some Sequence<some Collection<UInt8>>) {
        var builder = FileBatchBuilder()
        for path in paths {
            let path = Array(path)
            let slash = path.lastIndex(of: UInt8(ascii: "/"))
            builder.begin(folder: path[..<(slash ?? 0)])
            builder.add(name: path[(slash.map { $0 + 1 } ?? 0)...])
        }
        let batch = builder.take()
        self.init(bytes: batch.bytes, folders: batch.folders, files: batch.files)
    }
}
