#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import Synchronization

/// Finds the files below a folder: regular files and links, but not what links lead to.
///
/// It goes into no link, so that loops don't matter, and never into `.git`. A path can't be longer than the kernel takes,
/// about 4,096 bytes; a folder that is deeper counts as one that can't be read. Of folders that are still to be read it
/// keeps the paths.
package struct FileScan: Sendable {
    /// What was found.
    package struct Summary: Sendable, Equatable {
        /// How many files.
        package var files = 0
        /// How many folders were read, with the root.
        package var folders = 0
        /// How many folders couldn't be read: without the right to, or gone since.
        package var unreadableFolders = 0

        /// For tests.
        package init(files: Int = 0, folders: Int = 0, unreadableFolders: Int = 0) {
            (self.files, self.folders, self.unreadableFolders) = (files, folders, unreadableFolders)
        }

        fileprivate static func += (sum: inout Summary, part: Summary) {
            sum.files += part.files
            sum.folders += part.folders
            sum.unreadableFolders += part.unreadableFolders
        }
    }

    /// The root isn't there, is no folder, or can't be read.
    package struct UnreadableRoot: Error, CustomStringConvertible {
        /// The path that was asked for.
        package let root: String
        /// The C library's error code.
        package let code: CInt

        /// With the path, and the C library's words.
        package var description: String { "\(root) can't be read: \(String(cString: strerror(code)))" }
    }

    /// The path of the folder.
    package let root: String
    /// Whether files and folders are found whose names begin with a dot.
    package let findsHidden: Bool
    /// Whether those are found that git ignores.
    package let findsIgnored: Bool

    /// Nothing is read before `run`.
    package init(_ root: String, findsHidden: Bool = true, findsIgnored: Bool = false) {
        self.root = root
        self.findsHidden = findsHidden
        self.findsIgnored = findsIgnored
    }

    /// Walks through the folder, off the caller's executor: its threads are blocked while the file system works.
    ///
    /// - Parameters:
    ///   - tasks: how many walk at the same time.
    ///   - enter: is given each folder, below the root and empty for it, before it is read; by several tasks at once.
    ///   - deliver: is given the files, in no order, as they are found, by several tasks at once. While it waits, its task
    ///     finds no more.
    /// - Throws: `UnreadableRoot`, or `CancellationError` soon after the task is cancelled.
    @discardableResult
    package func run(
        tasks: Int = 2, enter: @escaping @Sendable (_ folder: [UInt8]) -> Void = { _ in },
        deliver: @escaping @Sendable (FileBatch) async -> Void
    ) async throws -> Summary {
        try await withThrowingTaskGroup(of: Summary.self) { group in
            // A handler's executor is its client's loop, which has other work.
            group.addTask(executorPreference: globalConcurrentExecutor) { try await walk(tasks, enter, deliver) }
            return try await group.next() ?? Summary()
        }
    }

    private func walk(
        _ tasks: Int, _ enter: @escaping @Sendable ([UInt8]) -> Void,
        _ deliver: @escaping @Sendable (FileBatch) async -> Void
    ) async throws -> Summary {
        let folder = try RootFolder(root)
        let rules = findsIgnored ? nil : WorkTree(around: root)
        let walk = FolderWalk(root: folder, workTree: rules, findsHidden: findsHidden, enter: enter, deliver: deliver)
        var (summary, running) = (Summary(), 0)
        var pending = [FolderWalk.Folder(path: [], rules: rules?.rules)]
        try await withThrowingTaskGroup(of: FolderWalk.Result.self) { group in
            while running > 0 || !pending.isEmpty {
                while running < max(1, tasks), !pending.isEmpty {
                    // From the end: a walk that goes deep first has fewer folders to come back to.
                    let share = Array(pending.suffix(max(1, min(pending.count / 2, FolderWalk.maximumShare))))
                    pending.removeLast(share.count)
                    running += 1
                    group.addTask { try await walk.run(share) }
                }
                guard let result = try await group.next() else { break }
                running -= 1
                summary += result.summary
                pending += result.rest
            }
        }
        try Task.checkCancellation()
        return summary
    }
}

/// An open folder.
final class RootFolder: Sendable {
    let descriptor: CInt

    /// - Throws: `FileScan.UnreadableRoot`
    init(_ path: String) throws {
        descriptor = untilUninterrupted { open(path, Self.flags) }
        guard descriptor >= 0 else { throw FileScan.UnreadableRoot(root: path, code: errno) }
    }

    /// A folder below another one. A link on the way isn't followed, as one may have come there since the folder was scanned.
    ///
    /// Nil where it can't be read, or its path is longer than the kernel takes at once: nothing else could open its files.
    init?(_ path: some Collection<UInt8>, below root: RootFolder) {
        descriptor = Self.descriptor(of: path, below: root)
        if descriptor < 0 { return nil }
    }

    fileprivate init?(copying descriptor: CInt) {
        self.descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        if self.descriptor < 0 { return nil }
    }

    /// A descriptor of a folder below another one, as `init(_:below:)` has it; negative where it can't be read.
    static func descriptor(of path: some Collection<UInt8>, below root: RootFolder) -> CInt {
        guard path.count < Int(PATH_MAX) else { return -1 }
        var current = untilUninterrupted { openat(root.descriptor, ".", flags) }
        for name in path.split(separator: UInt8(ascii: "/")) where current >= 0 {
            let next = descriptor(of: name, in: current)
            close(current)
            current = next
        }
        return current
    }

    /// Opens a folder that is right in this one.
    func descriptor(of name: some Collection<UInt8>) -> CInt { Self.descriptor(of: name, in: descriptor) }

    private static func descriptor(of name: some Collection<UInt8>, in folder: CInt) -> CInt {
        untilUninterrupted { openat(folder, cString(Array(name)), flags | O_NOFOLLOW) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    private static let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK
}

/// A part of a scan: some folders and, up to a bound, those in them.
private struct FolderWalk: Sendable {
    struct Folder: Sendable {
        /// Below the root.
        let path: [UInt8]
        let rules: IgnoreRules?
        /// The one that it is in, where that is still open: so it is found in one call, and not by one for each name of its
        /// path.
        var parent: OpenParent?

        /// Negative where it can't be read.
        func descriptor(below root: RootFolder) -> CInt {
            guard let parent, path.count < Int(PATH_MAX) else { return RootFolder.descriptor(of: path, below: root) }
            return parent.folder.descriptor(of: path[(path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...])
        }
    }

    /// A folder that stays open until those in it are read.
    final class OpenParent: Sendable {
        let folder: RootFolder
        private let count: OpenCount

        /// Nil where too many are open.
        init?(copying descriptor: CInt, _ count: OpenCount) {
            guard count.add() else { return nil }
            guard let folder = RootFolder(copying: descriptor) else {
                count.remove()
                return nil
            }
            (self.folder, self.count) = (folder, count)
        }

        deinit {
            count.remove()
        }
    }

    /// How many parents are open: a process has few descriptors, and a deep tree has folders to come back to at each level.
    final class OpenCount: Sendable {
        private static let maximum = 64
        private let value = Atomic(0)

        func add() -> Bool {
            if value.add(1, ordering: .relaxed).oldValue < Self.maximum { return true }
            remove()
            return false
        }

        func remove() {
            value.subtract(1, ordering: .relaxed)
        }
    }

    struct Result: Sendable {
        var summary = FileScan.Summary()
        /// Folders that weren't read yet.
        var rest: [Folder]
    }

    static let maximumShare = 64
    /// After so many files and folders the walk ends, so that the rest is shared anew.
    private static let maximumEntries = 4096

    let root: RootFolder
    let openCount = OpenCount()
    let workTree: WorkTree?
    let findsHidden: Bool
    let enter: @Sendable ([UInt8]) -> Void
    let deliver: @Sendable (FileBatch) async -> Void

    func run(_ folders: [Folder]) async throws -> Result {
        var result = Result(rest: folders)
        var batch = FileBatchBuilder()
        while result.summary.files + result.summary.folders * 16 < Self.maximumEntries,
            let folder = result.rest.popLast()
        {
            try Task.checkCancellation()
            try await read(folder, &result, &batch)
        }
        if !batch.isEmpty { await deliver(batch.take()) }
        return result
    }

    private func read(_ folder: Folder, _ result: inout Result, _ batch: inout FileBatchBuilder) async throws {
        enter(folder.path)
        guard let entries = FolderEntries(owning: folder.descriptor(below: root)) else {
            result.summary.unreadableFolders += 1
            return
        }
        result.summary.folders += 1
        var rules = folder.rules
        if let workTree, let text = entries.contents(of: ".gitignore", maximumBytes: IgnoreRules.maximumBytes) {
            rules = rules?.adding(text, in: workTree.path(of: folder.path))
        }
        // Each entry's path, as the rules and folders need it.
        var path = folder.path
        if !path.isEmpty { path.append(UInt8(ascii: "/")) }
        let folderCount = path.count
        let firstChild = result.rest.count
        batch.begin(folder: folder.path[...])
        while let entry = entries.next() {
            let isHidden = entry.name.first == UInt8(ascii: ".")
            if isHidden, !findsHidden { continue }
            path.removeLast(path.count - folderCount)
            path.append(contentsOf: entry.name)
            if let workTree, let rules,
                rules.ignores(workTree.path(of: path)[...], isFolder: entry.kind == .folder)
            {
                continue
            }
            switch entry.kind {
            case .folder: result.rest.append(Folder(path: path, rules: rules))
            case .file:
                batch.add(name: entry.name)
                result.summary.files += 1
            }
            if batch.isFull {
                try Task.checkCancellation()
                await deliver(batch.take())
            }
        }
        if firstChild < result.rest.count, let parent = OpenParent(copying: entries.descriptor, openCount) {
            for child in firstChild..<result.rest.count { result.rest[child].parent = parent }
        }
    }
}
