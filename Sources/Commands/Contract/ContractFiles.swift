import Contracts
import JSON

/// The files with the contracts of a package's view models, and their comparison with the code.
struct ContractFiles {
    /// A file that differs from the contract of the code.
    struct Change {
        let path: String
        /// The text of the file; nil if there is none.
        let old: String?
        /// The text that the file should have; nil if there should be no file.
        let new: String?
        let changes: [ContractChange]
    }

    /// The files that differ, by path.
    let changes: [Change]
    let count: Int
    /// The number of files that were read.
    let readCount: Int

    init(_ contracts: [ViewModelContract], in folder: String) throws(TextFile.Failure) {
        var changes: [Change] = []
        var paths: Set<String> = []
        let shared = Set(contracts.flatMap(\.shared).map(\.name))
        for contract in contracts {
            let path = "\(folder)/\(contract.fileName)"
            paths.insert(path)
            let old = try TextFile.read(path)
            let json = contract.fileJSON
            let new = json.text()
            guard old != new else { continue }
            changes.append(Change(path: path, old: old, new: new, changes: Self.changes(from: old, to: json, shared)))
        }
        for path in TextFile.paths(at: folder, endingIn: ViewModelContract.fileSuffix)
        where !paths.contains(path) && path != folder {
            // Files that aren't contracts stay.
            guard let old = try? TextFile.read(path), let tree = try? JSONTree(parsing: old),
                tree["viewModelEvent"] != nil
            else { continue }
            changes.append(Change(path: path, old: old, new: nil, changes: ContractChange.removal(of: tree)))
        }
        self.changes = changes.sorted { $0.path < $1.path }
        count = contracts.count
        readCount = contracts.count - changes.count { $0.old == nil } + changes.count { $0.new == nil }
    }

    func write() throws(TextFile.Failure) {
        for change in changes {
            if let new = change.new {
                try TextFile.write(new, to: change.path)
            } else {
                try TextFile.remove(change.path)
            }
        }
    }

    /// Returns how a new contract differs from the old text.
    ///
    /// - Parameter shared: the names of all shared objects.
    private static func changes(from old: String?, to new: JSONTree, _ shared: Set<String>) -> [ContractChange] {
        guard let old, let tree = try? JSONTree(parsing: old), tree["viewModelEvent"] != nil else {
            return []
        }
        return ContractComparison(old: tree, new: new, sharedElsewhere: shared).changes
    }
}

extension ContractFiles {
    private func count(_ effect: ContractChange.Effect) -> Int {
        changes.flatMap(\.changes).count { $0.effect == effect }
    }

    /// Whether any change breaks clients or stored sessions.
    var breaks: Bool { count(.breaking) > 0 || count(.breakingSessions) > 0 }

    /// The number of changes that break something, as in `2 changes that break clients`.
    var breaksInWords: String {
        let counts = [(count(.breaking), "clients"), (count(.breakingSessions), "stored sessions")]
        let words = counts.filter { $0.0 > 0 }.map { count, whom in
            count == 1 ? "1 change that breaks \(whom)" : "\(count) changes that break \(whom)"
        }
        guard words.isEmpty else { return words.joined(separator: " and ") }
        return changes.contains { $0.hasState } ? "no client and no stored session breaks" : "no client breaks"
    }
}

extension ContractFiles.Change {
    /// Whether the old or the new text describes stored state.
    fileprivate var hasState: Bool {
        let texts = [old, new].compactMap(\.self)
        return ["state", "shared"].contains { part in texts.contains { $0.contains("\n  \"\(part)\":") } }
    }
}
