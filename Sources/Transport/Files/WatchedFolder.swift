import LibC

/// A folder that is watched, with everything in it that is included.
package struct WatchedFolder: Sendable {
    package let path: String
    /// Returns whether a file or folder counts, by its path relative to this folder. Nothing counts that is in a folder which
    /// doesn't.
    let includes: @Sendable (String) -> Bool

    /// - Parameter includes: called on the watcher's loop.
    package init(_ path: String, includes: @escaping @Sendable (String) -> Bool) {
        self.path = path
        self.includes = includes
    }

    /// Returns the path of something in the folder, which begins with this folder's `path`; "" stands for the folder itself.
    func path(of relative: String) -> String { relative.isEmpty ? path : "\(path)/\(relative)" }

    /// Calls `folder` with the relative path of every included folder, before it is listed, beginning with `start`, and
    /// `file` with that of every included file. Links aren't followed. What can't be read, or is removed meanwhile, is left
    /// out.
    func visit<Failure>(
        from start: String = "", folder: (String) throws(Failure) -> Void,
        file: (String) throws(Failure) -> Void = { _ in }
    ) throws(Failure) {
        try folder(start)
        for (name, isFolder) in Self.entries(of: path(of: start)) {
            let relative = start.isEmpty ? name : "\(start)/\(name)"
            guard includes(relative) else { continue }
            if isFolder {
                try visit(from: relative, folder: folder, file: file)
            } else {
                try file(relative)
            }
        }
    }

    private static func entries(of path: String) -> [(name: String, isFolder: Bool)] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var entries: [(name: String, isFolder: Bool)] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name != ".", name != ".." else { continue }
            entries.append((name, isFolder(entry.pointee.d_type, "\(path)/\(name)")))
        }
        return entries
    }

    /// Returns whether an entry is a folder.
    ///
    /// - Parameter type: the type in the folder's entry, which some file systems leave out.
    private static func isFolder(_ type: UInt8, _ path: String) -> Bool {
        guard type == 0 else { return type == 4 }
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}

/// The files of folders at one moment, for comparison where the kernel reports no changes.
struct FolderScan {
    private struct Stamp: Equatable {
        let inode: UInt
        let bytes: Int
        let seconds: Int
        let nanoseconds: Int
    }

    private let stamps: [String: Stamp]

    init(of folders: [WatchedFolder]) {
        var stamps: [String: Stamp] = [:]
        for folder in folders {
            folder.visit(folder: { _ in }) { relative in
                let path = folder.path(of: relative)
                var status = stat()
                guard lstat(path, &status) == 0 else { return }
                stamps[path] = Stamp(
                    inode: UInt(status.st_ino), bytes: Int(status.st_size), seconds: status.st_mtim.tv_sec,
                    nanoseconds: status.st_mtim.tv_nsec)
            }
        }
        self.stamps = stamps
    }

    /// Returns the paths of files that are new, changed or gone, sorted.
    func changes(since before: FolderScan) -> [String] {
        let changed = stamps.filter { before.stamps[$0.key] != $0.value }.map(\.key)
        return (changed + before.stamps.keys.filter { stamps[$0] == nil }).sorted()
    }
}
