import Contracts

/// The files with types for clients, made from contracts, and their comparison with the files on disk.
struct ClientTypes {
    private struct File {
        let path: String
        let text: String
        /// Nil where there is none.
        let old: String?
        var isUpToDate: Bool { text == old }
    }

    private let files: [File]

    init(_ contracts: [ViewModelContract], _ options: ContractOptions) throws(TextFile.Failure) {
        var files: [File] = []
        func add(_ text: String, at path: String) throws(TextFile.Failure) {
            files.append(File(path: path, text: text, old: try TextFile.read(path)))
        }
        if let folder = options.typescript {
            try add(TypeScriptFile(contracts).text, at: "\(folder)/\(TypeScriptFile.name)")
        }
        if let folder = options.python {
            try add(PythonFile(contracts).text, at: "\(folder)/\(PythonFile.name)")
        }
        self.files = files
    }

    /// Returns the exit status.
    func write() throws(TextFile.Failure) -> Int32 {
        for file in files {
            if !file.isUpToDate { try TextFile.write(file.text, to: file.path) }
            print("\(file.isUpToDate ? "unchanged" : file.old == nil ? "new" : "rewritten")  \(file.path)")
        }
        return 0
    }

    /// Shows the differences. Returns the exit status.
    func report() -> Int32 {
        for file in files {
            guard let old = file.old else {
                print("\(file.path) is missing")
                continue
            }
            print("\(file.path) is \(file.isUpToDate ? "up to date" : "out of date")")
            if !file.isUpToDate { print(LineDiff.text(old: old, new: file.text)) }
        }
        guard !files.allSatisfy(\.isUpToDate) else { return 0 }
        print("the same command without --check brings them up to date")
        return 1
    }
}
