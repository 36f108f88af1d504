/// The files that `new` writes, and the work that it leaves to the user.
struct NewPlan {
    /// A file to be created.
    struct File {
        let path: String
        let text: String
    }

    /// The file with `register(in:)`, to which one line is added.
    struct Registration {
        let path: String
        let line: Int
        let statement: String
        let text: String

        /// Finds the place for the line; nil if there isn't exactly one, or a simple reading of the file isn't sure of it.
        init?(of name: NewName, in target: NewPackage.Target) {
            let files = target.registrations
            // Bytes that aren't UTF-8 would be lost.
            guard files.count == 1, !files[0].source.text.contains("\u{FFFD}"),
                let place = NewRegistration(in: files[0].source)
            else { return nil }
            path = files[0].path
            statement = NewPlan.statement(of: name, in: place.registry)
            (text, line) = place.adding(statement)
        }
    }

    let files: [File]
    /// The change of `register(in:)`; nil if its place isn't clear.
    let registration: Registration?
    /// The work that is left to do by hand, one or more lines each.
    let notes: [String]
    /// The commands to type next.
    let commands: [String]

    init(of name: NewName, in target: NewPackage.Target, of package: NewPackage, for application: Application) {
        let tests = NewTests(of: target, in: package)
        let sources = "\(package.root)Sources/\(target.name)/\(name.type)"
        let transcript = "\(tests.transcripts)/\(name.registered).jsonl"
        var files = [
            File(path: "\(sources)/\(name.viewModel).swift", text: NewViewModelTemplate.text(name)),
            File(path: "\(sources)/\(name.view).swift", text: NewViewTemplate.text(name)),
            File(
                path: "\(tests.folder)/\(name.viewModel)Tests.swift",
                text: NewTestsTemplate.text(name, module: target.module)),
            File(
                path: transcript,
                text: NewTranscriptTemplate.text(name, server: "\(application.name) \(application.version)")),
        ]
        var notes = tests.notes
        if !tests.replays, let server = target.server {
            let text = NewConversationTemplate.text(module: target.module, server: server)
            files.append(File(path: "\(tests.folder)/ConversationTests.swift", text: text))
        } else if !tests.replays {
            notes.append(
                """
                \(tests.folder): nothing replays transcripts there, and it isn't clear on which server; a test does it \
                with 'Transcript.all(in:)' of TranscriptTesting
                """)
        }
        registration = Registration(of: name, in: target)
        if registration == nil { notes.append(Self.registrationNote(name, target)) }
        self.files = files
        self.notes = notes
        commands = Self.commands(name, target, package, transcript)
    }

    /// Writes all files, or none if one can't be written.
    func write() throws(TextFile.Failure) {
        var written: [String] = []
        do throws(TextFile.Failure) {
            for file in files {
                try TextFile.write(file.text, to: file.path)
                written.append(file.path)
            }
            if let registration { try TextFile.write(registration.text, to: registration.path) }
        } catch {
            for path in written { try? TextFile.remove(path) }
            throw error
        }
    }

    private static func statement(of name: NewName, in registry: String) -> String {
        "\(registry).add(\"\(name.registered)\") { \(name.viewModel)() }"
    }

    private static func registrationNote(_ name: NewName, _ target: NewPackage.Target) -> String {
        let files = target.registrations
        let places = files.isEmpty ? "your Server's" : files.map(\.path).joined(separator: " or ")
        let registry = files.first.flatMap { NewRegistration(in: $0.source)?.registry } ?? "registry"
        return "register(in:), \(places): add\n\n  \(statement(of: name, in: registry))"
    }

    private static func commands(
        _ name: NewName, _ target: NewPackage.Target, _ package: NewPackage, _ transcript: String
    ) -> [String] {
        let place = package.root.isEmpty ? "" : " --package-path \(package.root.dropLast())"
        let server = package.manifest.executable(with: target.name).map { " \($0)" }
        var commands = ["swift test\(place) --filter \(name.viewModel)Tests"]
        if let server { commands += ["swift run\(place)\(server) replay \(transcript)", "swift run\(place)\(server)"] }
        // A package with contract files must write them again.
        if TextFile.exists("\(package.root)\(ContractOptions().folder)") {
            commands.append("swift package\(place) contract")
        }
        return commands
    }
}

extension NewPlan {
    /// The files that were written, the work that is left, and the commands to type next.
    var report: String {
        let files = files.map { "new      \($0.path)" }
        let changed = registration.map { ["changed  \($0.path):\($0.line): \($0.statement)"] } ?? []
        let notes = notes.map { "\nstill to do, in \($0)" }
        return (files + changed + notes + ["", "next:"] + commands.map { "  \($0)" }).joined(separator: "\n")
    }

    /// The files that would be written, and the work that would be left.
    var preview: String {
        let files = files.map { "== new \($0.path)\n\($0.text)" }
        let changed = registration.map { ["== changed \($0.path):\($0.line)\n\($0.statement)\n"] } ?? []
        let notes = notes.map { "== still to do, in \($0)\n" }
        return (files + changed + notes + ["nothing is written with --dry-run"]).joined(separator: "\n")
    }
}
