import Contracts
import JSON

/// The files with the contracts of a package's view models, and their comparison with the code.
struct ContractFiles {
    /// A file that differs.
    struct Change {
        let path: String
        /// Nil where there is none.
        let old: String?
        /// Nil where there should be no file.
        let new: String?
        let changes: [ContractChange]
    }

    /// The differences, by path.
    let changes: [Change]
    let count: Int

    init(_ contracts: [ViewModelContract], in folder: String) throws(TextFile.Failure) {
        var changes: [Change] = []
        var paths: Set<String> = []
        for contract in contracts {
            let path = "\(folder)/\(contract.fileName)"
            paths.insert(path)
            let old = try TextFile.read(path)
            let new = contract.json.text()
            guard old != new else { continue }
            changes.append(Change(path: path, old: old, new: new, changes: Self.changes(from: old, to: contract.json)))
        }
        for path in TextFile.paths(at: folder, endingIn: ViewModelContract.fileSuffix)
        where !paths.contains(path) && path != folder {
            // Other files in the folder stay.
            guard let old = try? TextFile.read(path), (try? JSONTree(parsing: old))?["viewModelEvent"] != nil else {
                continue
            }
            let removed = ContractChange(effect: .breaking, place: "view model", what: "is no longer registered")
            changes.append(Change(path: path, old: old, new: nil, changes: [removed]))
        }
        self.changes = changes.sorted { $0.path < $1.path }
        count = contracts.count
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

    private static func changes(from old: String?, to new: JSONTree) -> [ContractChange] {
        guard let old, let tree = try? JSONTree(parsing: old), tree["viewModelEvent"] != nil else {
            return []
        }
        return ContractComparison(old: tree, new: new).changes
    }
}
