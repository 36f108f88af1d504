/// What the `.gitignore` files of a work tree and its `.git/info/exclude` say, as git reads them.
///
/// The rules of a folder are those of the folder above and its own `.gitignore`. A walk asks them about each entry of the
/// folder, and doesn't go into a folder that is ignored: what is in there can't be included again.
///
/// It doesn't read the user's own file, `core.excludesFile`, for which it would have to know the environment.
package final class IgnoreRules: Sendable {
    /// Those of a file that is larger are left out, as git has it for files of over 100 MiB.
    static let maximumBytes = 1 << 20

    /// Consulted where these say nothing.
    private let above: IgnoreRules?
    /// How many bytes the path of the rules' folder has, with the `/` behind it.
    private let folderCount: Int
    /// The last one that matches decides.
    private let rules: [IgnoreRule]

    /// The rules of a work tree's top folder, apart from those of its `.gitignore`.
    ///
    /// - Parameter exclude: the text of `.git/info/exclude`.
    package convenience init(exclude: [UInt8] = []) {
        self.init(above: nil, folderCount: 0, rules: IgnoreRule.all(in: exclude))
    }

    private init(above: IgnoreRules?, folderCount: Int, rules: [IgnoreRule]) {
        self.above = above
        self.folderCount = folderCount
        self.rules = rules
    }

    /// The rules of a folder with a `.gitignore` of its own.
    ///
    /// - Parameters:
    ///   - text: of the `.gitignore`.
    ///   - folder: its path below the top folder, without `/` at its end.
    package func adding(_ text: [UInt8], in folder: some Collection<UInt8>) -> IgnoreRules {
        let rules = IgnoreRule.all(in: text)
        guard !rules.isEmpty else { return self }
        return IgnoreRules(above: self, folderCount: folder.isEmpty ? 0 : folder.count + 1, rules: rules)
    }

    /// Whether a walk leaves out an entry of the rules' folder, or of a folder in it without rules of its own.
    ///
    /// - Parameters:
    ///   - path: below the top folder.
    ///   - isFolder: not of a link to a folder.
    package func ignores(_ path: ArraySlice<UInt8>, isFolder: Bool) -> Bool {
        let name = path[(path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? path.startIndex)...]
        var files: IgnoreRules? = self
        while let file = files {
            let relative = path.dropFirst(file.folderCount)
            if let rule = file.rules.last(where: { $0.matches(relative, name: name, isFolder: isFolder) }) {
                return !rule.isNegative
            }
            files = file.above
        }
        return false
    }
}

/// A line of a `.gitignore`.
struct IgnoreRule: Sendable {
    /// What follows the literal beginning of a pattern.
    private enum Rest: Sendable {
        case nothing
        /// `*` and these bytes, which is most of the patterns of names.
        case suffix([UInt8])
        case glob(Glob)
    }

    /// Whether it includes what an earlier line ignores.
    let isNegative: Bool
    private let isForFolders: Bool
    /// Whether it is about the path below the rule's folder, and not about names in it and in the folders below.
    private let isForPaths: Bool
    /// What comes before the first character that has a meaning.
    private let prefix: [UInt8]
    private let rest: Rest

    /// The rules of a file, in order.
    static func all(in text: [UInt8]) -> [IgnoreRule] {
        let bytes = text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text[...]
        return bytes.split(separator: UInt8(ascii: "\n")).compactMap { IgnoreRule(line: $0) }
    }

    /// Nil for a comment, and for a line that can't match anything.
    private init?(line: ArraySlice<UInt8>) {
        guard line.first != UInt8(ascii: "#") else { return nil }
        var pattern = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        // Git reads lines as texts of C.
        pattern = Self.withoutBlanks(pattern.prefix { $0 != 0 })
        isNegative = pattern.first == UInt8(ascii: "!")
        if isNegative { pattern.removeFirst() }
        isForFolders = pattern.last == UInt8(ascii: "/")
        if isForFolders { pattern.removeLast() }
        isForPaths = pattern.contains(UInt8(ascii: "/"))
        if pattern.first == UInt8(ascii: "/") { pattern.removeFirst() }
        guard !pattern.isEmpty else { return nil }

        prefix = Array(pattern.prefix { !Glob.isSpecial($0) })
        let wild = pattern.dropFirst(prefix.count)
        if wild.isEmpty {
            rest = .nothing
        } else if !isForPaths, prefix.isEmpty, wild.first == UInt8(ascii: "*"),
            !wild.dropFirst().contains(where: Glob.isSpecial)
        {
            rest = .suffix(Array(wild.dropFirst()))
        } else {
            guard let glob = Glob(wild) else { return nil }
            rest = .glob(glob)
        }
    }

    /// Without those at the end, but for one behind a backslash.
    private static func withoutBlanks(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var end = line.startIndex
        var index = line.startIndex
        while index < line.endIndex {
            if line[index] == UInt8(ascii: "\\") {
                // A backslash at the very end keeps the blanks before it.
                index = min(index + 2, line.endIndex)
                end = index
            } else {
                index += 1
                if line[index - 1] != UInt8(ascii: " ") { end = index }
            }
        }
        return line[..<end]
    }

    /// - Parameters:
    ///   - path: below the rule's folder.
    ///   - name: the end of the path.
    func matches(_ path: ArraySlice<UInt8>, name: ArraySlice<UInt8>, isFolder: Bool) -> Bool {
        guard isFolder || !isForFolders else { return false }
        let subject = isForPaths ? path : name
        guard subject.starts(with: prefix) else { return false }
        switch rest {
        case .nothing: return subject.count == prefix.count
        case .suffix(let end): return subject.count >= end.count && subject.suffix(end.count) == end[...]
        case .glob(let glob): return glob.matches(subject.dropFirst(prefix.count))
        }
    }
}
