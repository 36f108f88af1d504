import FoundationEssentials
import Glibc
import Testing

@Suite(.ownThread, .enabled(if: getenv("LONG_TESTS") != nil, "it builds for minutes; LONG_TESTS=1 runs it"))
struct OutsidePackageTests {
    /// One build, of this whole package from nothing, for everything that a package of one's own has to show.
    @Test(.enabled(if: Tool.netcat.isInstalled, "nc isn't installed"))
    func `packages of one's own build and serve their view models, which may print, or block, and do no harm`() throws {
        let folder = try TemporaryFolder()
        try copySources(to: folder)
        try build(folder)

        try greet(folder)
        try useOwnOptions(folder)
        try addViewModel(folder)
        try testTranscripts(folder)
        try replayNewTranscript(folder)
        try keepContract(folder)
        try keepState(folder)
        try endWhileHandlerBlocks(folder)
        try printWithoutReader(folder)
        try crash(folder)
        try develop(folder)

        try checkDocumentation(folder)

        try writeClientPackage(to: folder)
        try build(folder)
        try countWithClientPackage(folder)
    }

    /// Written by the package's own server, a view model builds without a warning, and its tests pass. It takes
    /// nobody's place.
    private func addViewModel(_ folder: TemporaryFolder) throws {
        let before = try sources(of: folder)
        let undecided = try new(folder, "MeetingRoom")
        #expect(undecided.ending == .status(64))
        #expect(undecided.errors.contains("--target") && undecided.errors.contains("greeter, sleeper"))
        for name in ["Greeting", "greetingViewModel"] {
            #expect(try new(folder, name, "--target", "greeter").ending == .status(73))
        }
        let preview = try new(folder, "MeetingRoom", "--target", "greeter", "--dry-run")
        #expect(preview.ending == .status(0))
        #expect(preview.output.contains("actor MeetingRoomViewModel: ViewModel {"))
        #expect(try sources(of: folder) == before)

        let written = try new(folder, "MeetingRoom", "--target", "greeter")
        #expect(written.ending == .status(0))
        #expect(written.output.contains("Greeter.swift:8: registry.add(\"meetingRoom\") { MeetingRoomViewModel() }"))
        #expect(!written.output.contains("still to do"))
        let after = try sources(of: folder)
        #expect(after.count == before.count + 4, "the package replays transcripts already")

        let tests = try test(folder)
        #expect(tests.ending == .status(0))
        #expect(!tests.log.contains(#/(MeetingRoom\w*\.swift|Greeter\.swift:8).*warning:/#))
        #expect(tests.log.contains("Suite MeetingRoomViewModelTests passed"))
        #expect(tests.log.contains("meetingRoom"), "its transcript is replayed")

        let again = try new(folder, "MeetingRoom", "--target", "greeter")
        #expect(again.ending == .status(73))
        #expect(again.errors.contains("exists already"))
        #expect(try sources(of: folder) == after)
    }

    /// The commands that `new` suggests next.
    private func replayNewTranscript(_ folder: TemporaryFolder) throws {
        let path = folder.file("Tests/greeterTests/Transcripts/meetingRoom.jsonl")
        let replay = try Program(folder.file("build/debug/greeter"), ["replay", path])
        #expect(try replay.lines().last == "1 transcript, 0 failed")
        #expect(try replay.end() == .status(0))
    }

    func new(
        _ folder: TemporaryFolder, _ arguments: String...
    ) throws -> (output: String, errors: String, ending: Program.Ending) {
        let program = try Program(
            folder.file("build/debug/greeter"), ["new"] + arguments + ["--folder", folder.path])
        let output = try program.lines().joined(separator: "\n")
        return (output, try program.errorText(), try program.end())
    }

    /// All files of a package that aren't built, by path.
    private func sources(of folder: TemporaryFolder) throws -> [String: String] {
        var files: [String: String] = [:]
        for part in ["Sources", "Tests"] {
            for name in try FileManager.default.subpathsOfDirectory(atPath: folder.file(part)) {
                let path = folder.file("\(part)/\(name)")
                files[path] = try? String(contentsOfFile: path, encoding: .utf8)
            }
        }
        return files
    }

    /// A transcript is a test of its own name; one that is wrong fails at its line, and is rewritten when that is asked
    /// for.
    private func testTranscripts(_ folder: TemporaryFolder) throws {
        let path = folder.file("Tests/greeterTests/Transcripts/greeting.jsonl")
        let original = try String(contentsOfFile: path, encoding: .utf8)
        #expect(try test(folder).ending == .status(0))

        try original.replacing("Hello, Grace", with: "Hi, Grace")
            .write(toFile: path, atomically: false, encoding: .utf8)
        let failed = try test(folder)
        #expect(failed.ending == .status(1))
        #expect(failed.log.contains("greeting.jsonl:10:"))
        #expect(failed.log.contains(#""Hi, Grace""#) && failed.log.contains(#""Hello, Grace""#))
        #expect(failed.log.contains("UPDATE_TRANSCRIPTS=1 swift test"))

        let updated = try test(folder, environment: ["UPDATE_TRANSCRIPTS": "1"])
        #expect(updated.ending == .status(1), "whoever updates looks at the changes first")
        #expect(updated.log.contains("was rewritten"))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == original)
        #expect(try test(folder).ending == .status(0))
    }

    /// Writes the contract; a later change of the code is reported until it is written again.
    private func keepContract(_ folder: TemporaryFolder) throws {
        let source = folder.file("Sources/greeter/Greeter.swift")
        let original = try String(contentsOfFile: source, encoding: .utf8)
        func edit(_ old: String, _ new: String) throws {
            try #require(original.contains(old))
            try original.replacing(old, with: new).write(toFile: source, atomically: false, encoding: .utf8)
        }

        #expect(try contract(folder, "--check").log.contains("greeting.schema.json is missing"))
        #expect(try contract(folder).ending == .status(0))
        let path = folder.file("Schemas/view-models/greeting.schema.json")
        let schema = try String(contentsOfFile: path, encoding: .utf8)
        #expect(schema.contains(#""description": "What the user did.""#))
        #expect(try contract(folder, "--check").ending == .status(0))

        try edit("greet(name: String)", "greet(whom: String)")
        let changed = try contract(folder, "--check")
        #expect(changed.ending == .status(1))
        #expect(changed.log.contains(#"breaks clients  viewEvent greet: "name" was removed"#))
        #expect(changed.log.contains(#"-        "required": ["kind", "name"],"#))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == schema, "--check changes nothing")

        try edit(
            "    enum ViewModelEvent: Codable { case greeting(String, number: Int) }",
            """
                enum ViewModelEvent: Codable { case greeting(Loudness, number: Int) }
                struct Loudness: Codable, ExpressibleByStringInterpolation {
                    init(stringLiteral text: String) {}
                    init(from decoder: any Decoder) throws {}
                    func encode(to encoder: any Encoder) throws {}
                }
            """)
        let refused = try contract(folder, "--check")
        #expect(refused.ending == .status(1))
        #expect(refused.log.contains(#/Greeter.swift:[0-9]+: note: viewModelEvent greeting is declared here/#))
        #expect(
            refused.log.contains(#/Greeter.swift:[0-9]+: error: greeting: .* can't be described.*Loudness.*by hand/#))
        try edit(
            "    func handle(event: ViewEvent) {",
            """
                func snapshot() -> String { "none" }
                func start() -> Int { 1 }
                func willGoBack() {}
                func viewsDidAppear() throws {}
                func viewersDidChange(_ viewers: [Client]) {}
                func stop() -> Int { 1 }
                static let savedStateVersion = 2
                enum CodingKeys: String, CodingKey { case count }

                func handle(event: ViewEvent) {
            """)
        let unheard = try contract(folder, "--check")
        #expect(unheard.ending == .status(0), "\(unheard.log)")
        for words in [
            "func snapshot() -> String is never called: it must be func snapshot() -> [ViewModelEvent]",
            "func start() -> Int is never called: it must return nothing",
            "func stop() -> Int is never called: it must return nothing",
            "func willGoBack() is never called: conform to BackHandling",
            "func viewsDidAppear() throws is never called: it must return nothing, and throw nothing",
            "func viewersDidChange(_ viewers: [Client]) is never called: conform to PresenceViewModel",
        ] {
            let line = unheard.log.split(separator: "\n").first { $0.contains("warning: greeting: \(words)") }
            #expect(line?.contains(#/Greeter.swift:[0-9]+: warning/#) == true, "\(words): \(unheard.log)")
        }
        for name in ["savedStateVersion", "CodingKeys"] {
            let words = "warning: greeter.GreetingViewModel: \(name) is never asked for: conform to DurableViewModel"
            let line = unheard.log.split(separator: "\n").first { $0.contains(words) }
            #expect(line?.contains(#/Greeter.swift:[0-9]+: warning/#) == true, "\(words): \(unheard.log)")
        }
        try original.write(toFile: source, atomically: false, encoding: .utf8)
    }

    func contract(
        _ folder: TemporaryFolder, _ options: String...
    ) throws -> (log: String, ending: Program.Ending) {
        try swift(
            ["package", "--package-path", folder.path, "--scratch-path", folder.file("build")]
                + ["--allow-writing-to-package-directory", "contract", "--product", "greeter"] + options)
    }

    func test(
        _ folder: TemporaryFolder, environment: [String: String] = [:]
    ) throws -> (log: String, ending: Program.Ending) {
        try swift(["test", "--package-path", folder.path, "--scratch-path", folder.file("build")], environment)
    }

    func swift(
        _ arguments: [String], _ environment: [String: String] = [:]
    ) throws -> (log: String, ending: Program.Ending) {
        let swift = try Program(Tool.swift.command, arguments, environment: environment)
        swift.closeInput()
        let output = try swift.lines().joined(separator: "\n")
        let ending = try swift.end()
        return ("\(output)\n\(try swift.errorText())", ending)
    }

    /// What the README of the client in Swift shows.
    private func writeClientPackage(to folder: TemporaryFolder) throws {
        let readme = try Document("clients/swift/README.md")
        let manifest = try #require(readme.block(with: "swift-tools-version"))
        let source = try #require(readme.block(with: "@main struct Counting"))
        try #require(manifest.text.contains(#""../view-model-server""#))
        try manifest.text.replacing("../view-model-server", with: Checkout.root)
            .write(toFile: folder.file("Package.swift"), atomically: false, encoding: .utf8)
        try FileManager.default.createDirectory(
            atPath: folder.file("Sources/counting"), withIntermediateDirectories: true)
        try source.text.write(
            toFile: folder.file("Sources/counting/Counting.swift"), atomically: false, encoding: .utf8)
    }

    private func countWithClientPackage(_ folder: TemporaryFolder) throws {
        let path = "\(Checkout.server.dropLast("/view-model-server".count)):/usr/bin:/bin"
        // Line by line, as on a terminal: into a pipe it would print when it ends.
        let counting = ["-oL", folder.file("build/debug/counting")]
        let program = try Program("stdbuf", counting, environment: ["PATH": path])
        #expect(try program.line() == "count: 0")
        try program.write("2\n")
        #expect(try program.line() == "count: 2")
        try program.write("40\n")
        #expect(try program.line() == "count: 42")
        try program.write("9223372036854775807\n")
        #expect(try program.line() == "42 + 9223372036854775807 is beyond what a counter can hold")
        #expect(try program.finish() == .status(0))
    }

    private func greet(_ folder: TemporaryFolder) throws {
        let server = try Program(folder.file("build/debug/greeter"), ["--stdio"])
        try server.send(
            Wire.initialize, Wire.open(2, "greeting"), Wire.viewEvent(3, 1, #"{"kind":"greet","name":"Ada"}"#),
            Wire.viewEvent(4, 1, #"{"kind":"greet","name":"Grace"}"#))
        #expect(try server.line()?.contains(#""serverInfo":{"name":"greeter","#) ?? false)
        #expect(try server.line()?.hasPrefix(#"{"jsonrpc":"2.0","id":2,"result":{"session":1,"#) ?? false)
        let greetings = [
            Wire.viewModelEvent(1, 1, #"{"kind":"greeting","value":"Hello, Ada","number":1}"#),
            Wire.result(3, #"{"seq":1}"#),
            Wire.viewModelEvent(1, 2, #"{"kind":"greeting","value":"Hello, Grace","number":2}"#),
            Wire.result(4, #"{"seq":2}"#),
        ]
        for expected in greetings { #expect(try server.line() == expected) }
        try server.send(Wire.shutdown, Wire.exit)
        #expect(try server.lines() == [Wire.result(9, "null")])
        #expect(try server.end() == .status(0))
        let errorText = try server.errorText()
        #expect(errorText == "greeting Ada\ngreeting Grace")
    }

    /// A server's own name and options, its refusals, and its end.
    private func useOwnOptions(_ folder: TemporaryFolder) throws {
        func run(_ arguments: String...) throws -> (lines: [String], errors: String, ending: Program.Ending) {
            let program = try Program(folder.file("build/debug/sleeper"), arguments)
            program.closeInput()
            return (try program.lines(), try program.errorText(), try program.end())
        }
        let version = try run("--version").lines
        #expect(version.count == 1 && version[0].hasPrefix("sleeper 0.0.0 (view-model-server "))
        let help = try run("--help")
        #expect(help.lines.contains("Usage: sleeper [options]") && help.errors.isEmpty)
        let heading = try #require(help.lines.firstIndex(of: "Options of sleeper:"))
        #expect(
            help.lines[(heading + 1)...].prefix(3) == [
                "  --refusal WORDS       doesn't start, and says why", "  --lingers             never shuts down", "",
            ])

        let wrong = try run("--refusal")
        #expect(wrong.ending == .status(64) && wrong.errors.hasPrefix("sleeper: --refusal needs a value\nTry 'sleeper"))
        let both = try run("--stdio", "--lingers", "--refusal", "no")
        #expect(both.ending == .status(64) && both.errors.hasPrefix("sleeper: --lingers goes without --refusal\n"))
        for arguments in [["--stdio", "--refusal=no disk"], ["contract", "--refusal=no disk", "--output", "x"]] {
            let program = try Program(folder.file("build/debug/sleeper"), arguments)
            program.closeInput()
            #expect(try program.lines() == [], "standard output is the client's")
            let errorText = try program.errorText()
            #expect(errorText == "registering\nsleeper: can't start: no disk")
            #expect(try program.end() == .status(1))
        }
        #expect(try run("connect", "--refusal", "no").ending == .status(64), "it needs no view models")

        // It has the 50 ms of the drain's grace.
        for option in [[], ["--lingers"]] {
            let server = try Program(folder.file("build/debug/sleeper"), ["--stdio"] + option)
            try server.send(Wire.initialize, Wire.shutdown, Wire.exit)
            #expect(try server.lines().count == 2)
            #expect(try server.end() == .status(0))
            let errors = try server.errorText()
            #expect(errors.hasPrefix("registering\nshutting down"))
            #expect(errors.contains("drainGrace") == !option.isEmpty)
        }
    }

    /// Neither a signal nor the end of the client waits for a handler that blocks its thread.
    private func endWhileHandlerBlocks(_ folder: TemporaryFolder) throws {
        let parent = try Program("cat")
        for status: Int32 in [0, 1] {
            let server = try Program(folder.file("build/debug/sleeper"), ["--stdio"])
            try server.send(
                Wire.request(1, "initialize", #"{"processId":\#(parent.process.id)}"#), Wire.open(2, "sleeper"),
                Wire.viewEvent(3, 1, #"{"kind":"sleepOnce"}"#))
            #expect(try server.errorLine() == "registering")
            #expect(try server.errorLine() == "sleeping")
            if status == 0 { try server.signal(SIGTERM) } else { try parent.signal(SIGKILL) }
            #expect(try server.end() == .status(status))
        }
    }

    /// A parent that never reads what a view model prints holds nobody up, neither at the end.
    private func printWithoutReader(_ folder: TemporaryFolder) throws {
        for isSignalled in [false, true] {
            let path = folder.file("errors \(isSignalled)")
            try check(mkfifo(path, 0o600), "mkfifo")
            // A pipe that the shell opened to read, too, so that it stays open and fills up.
            let server = try Program(
                "/bin/sh", ["-c", #"exec "$0" --stdio 2<>"$1""#, folder.file("build/debug/sleeper"), path])
            try server.send(
                Wire.initialize, Wire.open(2, "printer"), Wire.viewEvent(3, 1, #"{"kind":"printLines","count":3000}"#),
                Wire.request(4, "ping"))
            try server.readLines(upTo: Wire.result(4, "null"))
            if isSignalled { try server.signal(SIGTERM) } else { server.closeInput() }
            #expect(try server.end() == .status(isSignalled ? 0 : 1))
        }
    }

    private func copySources(to folder: TemporaryFolder) throws {
        let original = Checkout.conformance("OutsidePackage")
        for name in ["Sources", "Tests"] {
            try FileManager.default.copyItem(atPath: "\(original)/\(name)", toPath: folder.file(name))
        }
        let manifest = try String(contentsOfFile: "\(original)/Package.swift", encoding: .utf8)
        try #require(manifest.contains(#""../../..""#))
        try manifest.replacing("../../..", with: Checkout.root)
            .write(toFile: folder.file("Package.swift"), atomically: false, encoding: .utf8)
    }

    func build(_ folder: TemporaryFolder) throws {
        let arguments = ["build", "--package-path", folder.path, "--scratch-path", folder.file("build")]
        let swift = try Program(Tool.swift.command, arguments)
        swift.closeInput()
        let log = try swift.lines().joined(separator: "\n")
        let ending = try swift.end()
        try #require(ending == .status(0), "\(log)\n\(swift.report)")
    }
}
