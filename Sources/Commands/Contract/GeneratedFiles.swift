import Contracts

/// Generated files, compared with those on disk.
struct GeneratedFiles {
    private struct File {
        let path: String
        let text: String
        /// The text on disk; nil if there is no file.
        let old: String?
        var isUpToDate: Bool { text == old }
    }

    private var files: [File] = []

    /// Makes the types for clients.
    init(_ contracts: [ViewModelContract], _ options: ContractOptions) throws(TextFile.Failure) {
        if let folder = options.typescript {
            try add(TypeScriptFile(contracts).text, at: "\(folder)/\(TypeScriptFile.name)")
        }
        if let folder = options.python {
            try add(PythonFile(contracts).text, at: "\(folder)/\(PythonFile.name)")
        }
    }

    /// Makes the schemas of this package's protocol, and the tables in its reference.
    ///
    /// - Throws: `JSONError` for an example of the protocol that isn't JSON, `TextFile.Failure` for a file that can't be read.
    init(_ description: ProtocolDescription, limits: String) throws {
        try add(description.schema.text(), at: "Schemas/protocol.schema.json")
        try add(description.openRPC.text(), at: "Schemas/openrpc.json")
        let tables = [
            "methods": description.methodsTable, "notifications": description.notificationsTable,
            "errors": description.errorsTable, "limits": limits,
        ]
        for path in TextFile.paths(under: "Sources", endingIn: ".md") {
            guard let page = try TextFile.read(path), page.contains("<!-- generated: ") else { continue }
            try add(Self.rewrite(page, tables, at: path), at: path)
        }
    }

    private static func rewrite(
        _ page: String, _ tables: [String: String], at path: String
    ) throws(TextFile.Failure) -> String {
        do throws(MarkdownTable.UnclosedRegion) {
            return try MarkdownTable.rewrite(page, regions: tables)
        } catch {
            throw TextFile.Failure(description: "\(path): \(error)")
        }
    }

    private mutating func add(_ text: String, at path: String) throws(TextFile.Failure) {
        files.append(File(path: path, text: text, old: try TextFile.read(path)))
    }

    /// Writes the files that differ, and returns the exit status.
    func write() throws(TextFile.Failure) -> Int32 {
        for file in files {
            if !file.isUpToDate { try TextFile.write(file.text, to: file.path) }
            print("\(file.isUpToDate ? "unchanged" : file.old == nil ? "new" : "rewritten")  \(file.path)")
        }
        return 0
    }

    /// Prints how the files on disk differ, and returns the exit status.
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
