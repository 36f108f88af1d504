#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The work tree of git that a folder is in, and the rules that hold there before its own `.gitignore` is read.
///
/// A folder that is in none is one itself.
struct WorkTree: Sendable {
    /// From above the folder and from `.git/info/exclude`.
    let rules: IgnoreRules
    /// The folder's path below the top folder, with `/` at its end; empty of the top folder.
    private let prefix: [UInt8]

    init(around folder: String) {
        let path = Self.resolved(folder)
        guard let top = Self.top(above: path) else {
            (rules, prefix) = (IgnoreRules(), [])
            return
        }
        var rules = IgnoreRules(exclude: Self.exclude(of: top))
        let below = path.dropFirst(top.count + 1)
        var above = below.startIndex
        while above < below.endIndex {
            let relative = below[..<above]
            let file = top + [UInt8(ascii: "/")] + relative + Array(".gitignore".utf8)
            if let text = OpenFile(file)?.contents(maximumBytes: IgnoreRules.maximumBytes) {
                rules = rules.adding(text, in: relative.dropLast())
            }
            above = below[above...].firstIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? below.endIndex
        }
        self.rules = rules
        prefix = below.isEmpty ? [] : below + [UInt8(ascii: "/")]
    }

    /// A path below the top folder.
    ///
    /// - Parameter path: below the folder.
    func path(of path: [UInt8]) -> [UInt8] {
        if prefix.isEmpty { return path }
        return path.isEmpty ? prefix.dropLast() : prefix + path
    }

    /// Without links in it.
    private static func resolved(_ path: String) -> [UInt8] {
        guard let resolved = realpath(path, nil) else { return Array(path.utf8) }
        defer { free(resolved) }
        return Array(UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)))
    }

    /// The folder, or the nearest one above it, that has a `.git`; without `/` at its end.
    private static func top(above path: [UInt8]) -> [UInt8]? {
        var folder = path
        while true {
            if folder.last == UInt8(ascii: "/") { folder.removeLast() }
            if exists(folder + Array("/.git".utf8)) { return folder }
            guard let slash = folder.lastIndex(of: UInt8(ascii: "/")) else { return nil }
            folder.removeSubrange(slash...)
        }
    }

    private static func exists(_ path: [UInt8]) -> Bool { access(cString(path), F_OK) == 0 }

    /// The text of `info/exclude`. Where `.git` is a file, as in a second work tree, it says where git's folder is.
    private static func exclude(of top: [UInt8]) -> [UInt8] {
        var folder = top + Array("/.git".utf8)
        if let text = OpenFile(folder)?.contents(maximumBytes: 8192), text.starts(with: "gitdir: ".utf8) {
            folder = joined(top, line(text.dropFirst(8)))
            if let common = OpenFile(folder + Array("/commondir".utf8))?.contents(maximumBytes: 8192) {
                folder = joined(folder, line(common[...]))
            }
        }
        return OpenFile(folder + Array("/info/exclude".utf8))?.contents(maximumBytes: IgnoreRules.maximumBytes) ?? []
    }

    private static func line(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        text.prefix { $0 != UInt8(ascii: "\n") }
    }

    private static func joined(_ folder: [UInt8], _ path: ArraySlice<UInt8>) -> [UInt8] {
        path.first == UInt8(ascii: "/") ? Array(path) : folder + [UInt8(ascii: "/")] + path
    }
}
