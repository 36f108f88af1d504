import FoundationEssentials
import Testing

/// What the README and the articles show, as a package of a reader's own.
extension OutsidePackageTests {
    /// - Parameter folder: a package that was built, so that all that this one needs of it is built already.
    func checkDocumentation(_ folder: TemporaryFolder) throws {
        try DocumentedPackage().write(to: folder)
        let tests = try test(folder)
        #expect(tests.ending == .status(0), "\(tests.log)")
        #expect(tests.log.contains("a greeting is in the language of the arguments"))
        #expect(tests.log.contains(#/Test conversation.* passed/#))
        try build(folder)

        try greetInFrench(folder)
        try runTinyClient(folder)
        try talkToEachKind(folder)
        try askForPrice(folder)
        try addOrderDetails(folder)
        try writeTypes(folder)
        try breakContract(folder)
    }

    private func greetInFrench(_ folder: TemporaryFolder) throws {
        let server = try Program(folder.file("build/debug/greeter"), ["--stdio"])
        try server.send(
            Wire.initialize, Wire.open(2, "greeter", #"{"language":"fr"}"#),
            Wire.viewEvent(3, 1, #"{"kind":"greet","name":"Ada"}"#))
        #expect(Wire.isInitialized(try server.line()))
        #expect(try server.line()?.hasPrefix(#"{"jsonrpc":"2.0","id":2,"result":{"session":1,"#) ?? false)
        #expect(try server.line() == Wire.viewModelEvent(1, 1, #"{"kind":"greeting","value":"Bonjour, Ada"}"#))
        #expect(try server.line() == Wire.result(3, #"{"seq":1}"#))
    }

    private func runTinyClient(_ folder: TemporaryFolder) throws {
        guard Tool.python.isInstalled else { return }
        let text = try OwnBlock.client.block().text
        let command = #"["swift", "run", "greeter", "--stdio"]"#
        try #require(text.contains(command))
        try text.replacing(command, with: #"["\#(folder.file("build/debug/greeter"))", "--stdio"]"#)
            .write(toFile: folder.file("client.py"), atomically: false, encoding: .utf8)
        let python = try Program(Tool.python.command, [folder.file("client.py")])
        #expect(try python.lines() == OwnBlock.clientOutput.block().lines, "\(python.report)")
        #expect(try python.end() == .status(0))
    }

    /// Each kind of view model says on the wire what the text beside it shows.
    private func talkToEachKind(_ folder: TemporaryFolder) throws {
        let server = try Program(folder.file("build/debug/greeter"), ["--stdio"])
        /// Sends a request; returns all lines up to its answer and as many after it, without what varies.
        func lines(_ request: String, andAfter count: Int = 0) throws -> [String] {
            try server.send(request)
            var lines: [String] = []
            repeat {
                let line = try #require(try server.line())
                lines.append(line.replacing(#/,"more":true|,"(key|epoch)":"[^"]*"/#, with: ""))
            } while !(lines.last?.contains(#""id":"#) ?? false)
            for _ in 0..<count { lines.append(try #require(try server.line())) }
            return lines.map { $0.replacing(#/,"more":true|,"(key|epoch)":"[^"]*"/#, with: "") }
        }
        func opened(_ id: Int, _ session: Int, _ viewModel: String) -> String {
            Wire.result(id, #"{"session":\#(session),"viewModel":"\#(viewModel)"}"#)
        }
        try server.send(Wire.initialize)
        #expect(Wire.isInitialized(try server.line()))

        #expect(
            try lines(Wire.open(2, "stopwatch"), andAfter: 2) == [
                opened(2, 1, "stopwatch"), Wire.viewModelEvent(1, 1, #"{"kind":"isRunning","value":false}"#),
                Wire.viewModelEvent(1, 2, #"{"kind":"label","value":""}"#),
            ])
        #expect(
            try lines(Wire.viewEvent(3, 1, #"{"kind":"start"}"#)) == [
                Wire.viewModelEvent(1, 3, #"{"kind":"isRunning","value":true}"#), Wire.result(3, #"{"seq":3}"#),
            ])
        #expect(
            try lines(Wire.open(4, "todos"), andAfter: 1) == [
                opened(4, 2, "todos"), Wire.viewModelEvent(2, 1, #"{"kind":"changed","value":{"items":[]}}"#),
            ])
        #expect(
            try lines(Wire.viewEvent(5, 2, #"{"kind":"add","title":"Milk"}"#)) == [
                Wire.viewModelEvent(2, 2, #"{"kind":"changed","value":{"items":["Milk"]}}"#),
                Wire.result(5, #"{"seq":2}"#),
            ])
        #expect(
            try lines(Wire.open(6, "orders"), andAfter: 1) == [
                opened(6, 3, "orders"), Wire.viewModelEvent(3, 1, #"{"kind":"orders","value":["Tea","Milk"]}"#),
            ])
        #expect(
            try lines(Wire.viewEvent(7, 3, #"{"kind":"selectOrder","index":1}"#)) == [
                Wire.notification("navigation/push", #"{"session":3,"seq":2,"viewModel":"orderDetails"}"#),
                Wire.result(7, #"{"seq":2}"#),
            ])
        #expect(
            try lines(Wire.viewEvent(8, 3, #"{"kind":"done"}"#)) == [
                Wire.notification("navigation/pop", #"{"session":3,"seq":3}"#), Wire.result(8, #"{"seq":3}"#),
            ])
        #expect(try lines(Wire.open(9, "confirmCancel")).last?.contains("only shown by other view models") ?? false)
        #expect(try lines(Wire.open(10, "mailbox")) == [opened(10, 4, "mailbox")])
        #expect(try lines(Wire.viewEvent(11, 4, #"{"kind":"load"}"#)).last?.contains("NotYours") ?? false)
        #expect(
            try lines(Wire.open(12, "boardScreen")).last?.contains(#""viewModel":"boardScreen","isNew":true"#) ?? false)
        #expect(
            try lines(Wire.viewEvent(13, 5, #"{"kind":"move","id":1,"to":"done"}"#)).suffix(2) == [
                Wire.viewModelEvent(5, 3, #"{"kind":"news","value":"Milk was moved"}"#), Wire.result(13, #"{"seq":3}"#),
            ])
        // Last, since it sends each second.
        #expect(
            try lines(Wire.open(14, "gitStatus"), andAfter: 1) == [
                opened(14, 6, "gitStatus"), Wire.viewModelEvent(6, 1, #"{"kind":"status","value":"clean"}"#),
            ])
    }

    /// Clients get the form that a type states itself.
    private func askForPrice(_ folder: TemporaryFolder) throws {
        let server = try Program(folder.file("build/debug/greeter"), ["--stdio"])
        try server.send(
            Wire.initialize, Wire.request(2, "viewModel/describe", #"{"viewModel":"shop"}"#), Wire.open(3, "shop"),
            Wire.open(4, "digest"), Wire.viewEvent(5, 2, #"{"kind":"start"}"#))
        server.closeInput()
        let lines = try server.lines()
        #expect(lines.contains { $0.contains(#""id":2"#) && $0.contains(#"[0-9]{2} [A-Z]{3}$"#) }, "\(lines)")
        #expect(lines.contains(Wire.viewModelEvent(1, 1, #"{"kind":"price","value":"12.34 EUR"}"#)))
        #expect(lines.contains(Wire.viewModelEvent(2, 1, #"{"kind":"digest","value":499500}"#)))
    }

    /// The files that the text names, for the name that it gives.
    private func addOrderDetails(_ folder: TemporaryFolder) throws {
        let words = try #require(try OwnBlock.new.block().lines.first).split(separator: " ").map(String.init)
        #expect(words.prefix(4) == ["swift", "run", "greeter", "new"])
        let conflict = try new(folder, words[4])
        #expect(conflict.ending == .status(73), "the package has one of that name")
        let preview = try new(folder, "InvoiceDetails", "--dry-run")
        #expect(preview.ending == .status(0), "\(preview.errors)")
        for text in [
            "Sources/greeter/InvoiceDetails/InvoiceDetailsViewModel.swift", "Tests/greeterTests",
            #"registry.add("invoiceDetails") { InvoiceDetailsViewModel() }"#,
        ] {
            #expect(preview.output.contains(text))
            let shown = text.replacing("InvoiceDetails", with: "OrderDetails")
                .replacing("invoiceDetails", with: "orderDetails")
            #expect(try Document.article("WritingViewModels.md").text.contains(shown))
        }
    }

    /// The client's program is right by the types as they are, and wrong after the change that the text makes.
    private func writeTypes(_ folder: TemporaryFolder) throws {
        let line = try #require(try OwnBlock.types.block().lines.first)
        for name in ["web", "scripts"] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
        }
        #expect(try package(line, folder).ending == .status(0))
        #expect(FileManager.default.fileExists(atPath: folder.file("scripts/view_models.py")))
        guard Tool.tsc.isInstalled else { return }
        try OwnBlock.typeScript.block().text
            .write(toFile: folder.file("web/greet.ts"), atomically: false, encoding: .utf8)
        #expect(try compileClient(folder) == [])
        let path = folder.file("web/view-models.d.ts")
        let types = try String(contentsOfFile: path, encoding: .utf8)
        try types.replacing(#/(kind: "greet";\s+)name:/#) { "\($0.1)whom:" }
            .write(toFile: path, atomically: false, encoding: .utf8)
        let (errors, shown) = (try compileClient(folder), try OwnBlock.typeScriptError.block().lines)
        #expect(errors == shown)
    }

    private func compileClient(_ folder: TemporaryFolder) throws -> [String] {
        let options = "--strict --noEmit --pretty false --target es2018"
        let compiler = try Program(
            "bash", ["-c", "cd '\(folder.path)' && \(Tool.tsc.command) \(options) web/greet.ts"])
        compiler.closeInput()
        return try compiler.lines()
    }

    /// The contract is written, the code changed as the text says, and the check prints what the text shows.
    private func breakContract(_ folder: TemporaryFolder) throws {
        let lines = try OwnBlock.contract.block().lines
        try #require(lines.count == 2)
        let written = try package(lines[0], folder)
        #expect(written.ending == .status(0))
        // The articles' view models have nothing without an effect.
        #expect(!written.log.contains("warning:"), "\(written.log)")
        #expect(try package(lines[1], folder).ending == .status(0))
        let path = folder.file("Sources/greeter/Greeter.swift")
        let source = try String(contentsOfFile: path, encoding: .utf8)
        try source.replacing("greet(name: String)", with: "greet(whom: String)")
            .write(toFile: path, atomically: false, encoding: .utf8)
        let changed = try package(lines[1], folder)
        #expect(changed.ending == .status(1))
        let shown = try OwnBlock.breakingChange.block().text
        #expect(changed.log.contains(shown), "\(changed.log)")
    }

    /// Runs a line of the text, "swift package …", in the package.
    private func package(_ line: String, _ folder: TemporaryFolder) throws -> (log: String, ending: Program.Ending) {
        let words = line.prefix(while: { $0 != "#" }).split(separator: " ").map(String.init)
        try #require(words.prefix(2) == ["swift", "package"])
        let script =
            "cd '\(folder.path)' && exec '\(Tool.swift.command)' package --scratch-path '\(folder.file("build"))' "
        let swift = try Program(
            "bash", ["-c", script + words.dropFirst(2).joined(separator: " ")])
        swift.closeInput()
        let output = try swift.lines().joined(separator: "\n")
        let ending = try swift.end()
        return ("\(output)\n\(try swift.errorText())", ending)
    }
}
