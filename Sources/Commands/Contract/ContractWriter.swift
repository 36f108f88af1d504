import Contracts
import FoundationEssentials
import JSON
import Serving
import Sessions
import Transport

/// Writes the contracts of the view models, or reports the files that are out of date.
struct ContractWriter {
    static let command = Command(
        name: "contract", summary: "writes the JSON Schemas of the view models' events, or types for clients",
        help: { ContractOptions.help(name: $0.name, $0.options) },
        run: { application, arguments in
            let options = try ContractOptions(arguments, application.options)
            return try await application.withRegistry { try ContractWriter(registry: $0, options: options).run() }
        })

    let registry: Registry
    let options: ContractOptions
    private let terminal = Terminal()

    init(registry: Registry, options: ContractOptions) {
        self.registry = registry
        self.options = options
    }

    /// Writes or checks the files, and returns the exit status.
    func run() throws -> Int32 {
        Stdio.bufferOutputByLine()
        do {
            let documentation = try self.documentation()
            var builder = ContractBuilder(documentation)
            let contracts = registry.allNames.compactMap { registry.types(of: $0) }.map { builder.contract(of: $0) }
            for oversight in Oversight.all(in: registry, documentation) {
                print("\(place(oversight.place))warning: \(oversight.text)")
            }
            for problem in builder.problems { print(text(problem, documentation)) }
            // `builder.problems` has the properties that can't be saved, with their places.
            let refusals = registry.durabilityProblems(withValues: false)
            for refusal in refusals { print("error: \(refusal)") }
            let status = try write(contracts, documentation)
            // The view models without problems are described all the same.
            return builder.problems.contains(where: \.isError) || !refusals.isEmpty ? max(status, 1) : status
        } catch let failure as TextFile.Failure {
            StandardError.write("contract: \(failure)")
            return ExitStatus.inputOutput
        }
    }

    private func write(_ contracts: [ViewModelContract], _ documentation: Documentation) throws -> Int32 {
        if options.isForClients {
            let types = try GeneratedFiles(contracts, options)
            return options.isCheck ? types.report() : try types.write()
        }
        if let folder = options.against { return try report(ContractFiles(contracts, in: folder), against: folder) }
        let files = try ContractFiles(contracts, in: options.folder)
        let status = options.isCheck ? report(files) : try write(files)
        return options.includesProtocol ? max(status, try writeProtocol(documentation)) : status
    }

    /// Writes or checks the files of the protocol, for the package that declares it.
    private func writeProtocol(_ documentation: Documentation) throws -> Int32 {
        let description = ProtocolDescription(documentation)
        guard description.problems.isEmpty else {
            for problem in description.problems {
                print("error: the protocol has no schema: \(problem.part) needs \(problem.type): \(problem.reason)")
            }
            return 1
        }
        let files = try GeneratedFiles(description, limits: LimitsTable.text(documentation))
        return options.isCheck ? files.report() : try files.write()
    }

    private func documentation() throws -> Documentation {
        var documentation = Documentation()
        for given in options.symbols {
            let paths = TextFile.paths(at: given, endingIn: ".symbols.json")
            guard !paths.isEmpty else { throw UsageError(message: "--symbols: there is no symbol graph at '\(given)'") }
            for path in paths {
                guard var text = try TextFile.read(path) else { continue }
                do {
                    try text.withUTF8 { bytes in
                        try documentation.add(symbolGraph: JSONValue(validating: UnsafeRawBufferPointer(bytes)))
                    }
                } catch {
                    throw TextFile.Failure(description: "\(path): is no symbol graph: \(error)")
                }
            }
        }
        return documentation
    }

    private func write(_ files: ContractFiles) throws(TextFile.Failure) -> Int32 {
        try files.write()
        for change in files.changes {
            print(
                "\(change.new == nil ? "removed" : change.old == nil ? "new" : "rewritten")  \(relative(change.path))")
            printChanges(change)
        }
        let changed = files.changes.isEmpty ? "nothing changed" : "\(files.changes.count) changed"
        print("\(count(files.count, "view model")) in \(options.folder), \(changed)")
        return 0
    }

    private func report(_ files: ContractFiles) -> Int32 {
        for change in files.changes {
            let state = change.old == nil ? "is missing" : "is out of date"
            print("\(relative(change.path)) \(state)")
            printChanges(change)
            guard let old = change.old, let new = change.new else { continue }
            print(LineDiff.text(old: old, new: new))
        }
        guard !files.changes.isEmpty else {
            print("\(count(files.count, "view model")) in \(options.folder), up to date")
            return 0
        }
        print(
            """
            \(count(files.changes.count, "file")) of \(options.folder) out of date, \(files.breaksInWords); \
            'swift package contract' brings \(files.changes.count == 1 ? "it" : "them") up to date
            """)
        return 1
    }

    /// Prints how the code differs from an older version.
    private func report(_ files: ContractFiles, against folder: String) throws -> Int32 {
        guard files.readCount > 0 else { throw UsageError(message: "--against: there is no contract in '\(folder)'") }
        for change in files.changes {
            print("\(relative(change.path)) \(change.old == nil ? "is missing: the view model is new" : "differs")")
            printChanges(change)
        }
        print("\(count(files.count, "view model")) against \(folder): \(files.breaksInWords)")
        return files.breaks ? 1 : 0
    }

    private func printChanges(_ change: ContractFiles.Change) {
        var changes = change.changes[...]
        while let one = changes.popFirst() {
            switch one.effect {
            case .breaking: print("  \(terminal.red("breaks clients"))  \(one.place): \(one.what)")
            case .breakingSessions: print("  \(terminal.red("breaks stored"))   \(one.place): \(one.what)")
            case .migrated: print("  \(terminal.green("migrated"))        \(one.place): \(one.what)")
            case .compatible: print("  \(terminal.green("compatible"))      \(one.place): \(one.what)")
            }
            // Advice that several changes share is printed once.
            if let advice = one.advice, !changes.contains(where: { $0.advice == advice }) {
                print("                  \(advice)")
            }
        }
        if change.old != nil, change.new != nil, change.changes.isEmpty {
            print("  \(terminal.green("compatible"))      nothing but descriptions, or how the file is written")
        }
    }

    /// Returns a problem as text. The place is in the format of compilers, which editors know.
    private func text(_ problem: ContractProblem, _ documentation: Documentation) -> String {
        guard !problem.isOfStored else { return textOfState(problem, documentation) }
        let found = documentation.place(of: problem)
        let member = problem.member.map { ".\($0)" } ?? ""
        let subject = ([problem.part] + (problem.event?.suffix(1) ?? [])).joined(separator: " ")
        let error = """
            \(place(found))error: \(problem.viewModel): \(subject) can't be described: \(problem.type)\(member): \
            \(problem.reason)
            """
        guard let event = documentation.placeOfEvent(problem), event != found else { return error }
        return "\(error)\n\(place(event))note: \(subject) is declared here"
    }

    private func textOfState(_ problem: ContractProblem, _ documentation: Documentation) -> String {
        let member = problem.member.map { ".\($0)" } ?? ""
        let stored = problem.part == "state" ? "state" : "shared objects"
        let words = problem.isError ? "" : "a change of its \(stored) isn't noticed, as the form isn't known: "
        return """
            \(place(documentation.place(of: problem)))\(problem.isError ? "error" : "warning"): \(problem.viewModel): \
            \(words)\(problem.type)\(member): \(problem.reason)
            """
    }

    private func place(_ place: Documentation.Place?) -> String {
        place.map { "\(relative($0.path)):\($0.line): " } ?? ""
    }

    private func relative(_ path: String) -> String {
        let here = FileManager.default.currentDirectoryPath + "/"
        return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
    }

    private func count(_ count: Int, _ name: String) -> String { "\(count) \(name)\(count == 1 ? "" : "s")" }
}
