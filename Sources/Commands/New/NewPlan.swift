/// All that `new` writes, and what it leaves to the user.
struct NewPlan {
    /// A file that isn't there yet.
    struct File {
        let path: String
        let text: String
    }

    /// The file that names view models, with one more.
    struct Registration {
        let path: String
        let line: Int
        let statement: String
        let text: String

        /// Nil where there is not exactly one place for it.
        init?(of name: NewName, in target: NewPackage.Target) {
            let places = target.registrations
            // What isn't UTF-8 would be lost.
            guard places.count == 1, let (file, place) = places.first, !file.code.text.contains("\u{FFFD}") else {
                return nil
            }
            path = file.path
            statement = NewPlan.statement(of: name, in: place.registry)
            (text, line) = place.adding(statement)
        }
    }

    let files: [File]
    /// Nil where it isn't clear where it goes.
    let registration: Registration?
    /// What is left to do by hand, each of one or more lines.
    let notes: [String]
    /// What to type next.
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

    /// Writes all or nothing.
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
        let places = target.registrations
        let files = places.isEmpty ? "your Server's" : places.map(\.file.path).joined(separator: " or ")
        let registry = places.first?.place.registry ?? "registry"
        return "register(in:), \(files): add\n\n  \(statement(of: name, in: registry))"
    }

    private static func commands(
        _ name: NewName, _ target: NewPackage.Target, _ package: NewPackage, _ transcript: String
    ) -> [String] {
        let place = package.root.isEmpty ? "" : " --package-path \(package.root.dropLast())"
        let server = package.manifest.executable(with: target.name).map { " \($0)" }
        var commands = ["swift test\(place) --filter \(name.viewModel)Tests"]
        if let server { commands += ["swift run\(place)\(server) replay \(transcript)", "swift run\(place)\(server)"] }
        // A package that keeps its contract has one more to keep.
        if TextFile.exists("\(package.root)\(ContractOptions().folder)") {
            commands.append("swift package\(place) contract")
        }
        return commands
    }
}
