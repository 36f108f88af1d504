import Contracts
import FoundationEssentials
import Testing

/// The types that `contract` makes for clients, as compilers of their languages see them.
@Suite(.ownThread) struct ClientTypesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func contract(_ arguments: String...) throws -> (text: String, ending: Program.Ending) {
        let program = try Program(Checkout.server, ["contract"] + arguments)
        program.closeInput()
        return (try program.lines().joined(separator: "\n"), try program.end())
    }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: folder.file(name)))
    }

    /// Puts a program beside the types, and returns its lines.
    private func place(_ name: String) throws -> [Substring] {
        let path = Checkout.conformance("Clients/Types/\(name)")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try write(text, name)
        return text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    @Test(arguments: TypeChecker.allCases.filter(\.tool.isInstalled))
    func `a program that uses the types as they are meant is right, and wrong lines are refused`(
        _ checker: TypeChecker
    ) throws {
        #expect(try contract(checker.option, folder.path).ending == .status(0))
        _ = try place("orders\(checker.suffix)")
        let lines = try place("wrong_orders\(checker.suffix)")
        let marked = lines.indices.filter { lines[$0].hasSuffix(checker.mark) }
        let expected = marked.map { "wrong_orders\(checker.suffix):\($0 + 1)" }
        #expect(expected.count >= 20)
        let errors = try checker.errors(
            in: checker.fileName, "orders\(checker.suffix)", "wrong_orders\(checker.suffix)", folder: folder)
        #expect(Set(errors.map(\.place)).sorted() == expected.sorted(), "\(errors)")
    }

    @Test(.enabled(if: Tool.mypy.isInstalled, "mypy isn't installed"))
    func `Python with every form, and with names and comments that no language likes, is right`() throws {
        try write(PythonFile(EveryForm.contracts).text, PythonFile.name)
        let errors = try TypeChecker.python.errors(in: PythonFile.name, folder: folder)
        #expect(errors.map(\.text) == [])
    }

    @Test(.enabled(if: Tool.mypy.isInstalled && Tool.python.isInstalled, "a program is missing"))
    func `a script that follows a push is right by its types, and does so`() throws {
        #expect(try contract("--python", folder.path).ending == .status(0))
        _ = try place("follow.py")
        try FileManager.default.copyItem(
            atPath: "\(Checkout.root)/clients/python/view_model_client", toPath: folder.file("view_model_client"))
        let errors = try TypeChecker.python.errors(in: PythonFile.name, "follow.py", folder: folder)
        #expect(errors.map(\.text) == [])

        let script = try Program(Tool.python.command, [folder.file("follow.py"), Checkout.server, "--stdio"])
        script.closeInput()
        #expect(try script.lines() == ["pushed orderDetails", "Details of Order #1", "Fragile", "0 0 0"])
        #expect(try script.end() == .status(0), "\(script.report)")
    }

    @Test(.enabled(if: Tool.tsc.isInstalled, "tsc isn't installed"))
    func `the project's client in JavaScript is a client by the types, and so in a program that follows a push`() throws
    {
        #expect(try contract("--typescript", folder.path).ending == .status(0))
        try FileManager.default.copyItem(
            atPath: "\(Checkout.root)/clients/javascript/view-model-client.d.ts",
            toPath: folder.file("view-model-client.d.ts"))
        try write(
            """
            import { connect } from "./view-model-client";
            import type { Client, ViewModels } from "./view-models";
            import { follow } from "./orders";
            export const client: Promise<Client> = connect<ViewModels>({ tcp: "127.0.0.1:7351" });
            export const lines: Promise<string[]> = client.then(follow);
            """, "real.ts")
        _ = try place("orders.ts")
        let errors = try TypeChecker.typescript.errors(
            in: TypeScriptFile.name, "view-model-client.d.ts", "orders.ts", "real.ts", folder: folder)
        #expect(errors.map(\.text) == [])
    }

    @Test(.enabled(if: Tool.tsc.isInstalled, "tsc isn't installed"))
    func `TypeScript with every form takes what is on the wire, and so do the examples' types`() throws {
        #expect(try contract("--typescript", folder.path).ending == .status(0))
        try write(TypeScriptFile(EveryForm.contracts).text, "forms.d.ts")
        try write(Self.program(EveryForm.messages, "./forms"), "forms_messages.ts")
        try write(Self.program(WireEvents.all(), "./view-models"), "messages.ts")
        let files = (TypeScriptFile.name, "forms.d.ts", "forms_messages.ts", "messages.ts")
        let errors = try TypeChecker.typescript.errors(in: files.0, files.1, files.2, files.3, folder: folder)
        #expect(errors.map(\.text) == [])
    }

    /// A constant for each message, of the type that it must have.
    private static func program(_ messages: [EveryForm.Message], _ module: String) -> String {
        let constants = Set(
            messages.map { message in
                let name = JSONTree.string(message.viewModel).line
                return "ViewModels[\(name)][\"\(message.part)\"] = \(message.json);"
            })
        let lines = constants.sorted().enumerated().map { "export const event\($0): \($1)" }
        let text = "import type { ViewModels } from \"\(module)\";\n" + lines.joined(separator: "\n") + "\n"
        return text.replacing("\u{2028}", with: "\\u2028")
    }

    @Test(.enabled(if: Tool.python.isInstalled, "Python isn't installed"), arguments: [true, false])
    func `Python writes an event as it read it`(_ isExamples: Bool) throws {
        let messages = isExamples ? try WireEvents.all() : EveryForm.messages
        if isExamples {
            #expect(try contract("--python", folder.path).ending == .status(0))
            // All kinds of events are in the transcripts, which another test holds.
            #expect(Set(messages.map(\.viewModel)).isSuperset(of: ["orders", "todos", "stopwatch", "counter"]))
            #expect(Set(messages.map(\.part)) == ["viewEvent", "viewModelEvent"])
        } else {
            try write(PythonFile(EveryForm.contracts).text, PythonFile.name)
        }
        #expect(messages.count >= 50)
        for (message, outcome) in try zip(messages, read(messages)) {
            #expect(outcome == "same", "\(message)")
        }
    }

    @Test(
        .enabled(if: Tool.python.isInstalled, "Python isn't installed"),
        arguments: [
            (
                #"{"kind":"orders","count":1,"first":0,"rows":[{"id":0,"name":"a","more":1}],"else":{}}"#,
                #"{"count": 1, "first": 0, "kind": "orders", "rows": [{"id": 0, "name": "a"}]}"#
            ),
            (
                #"{"kind":"orders","count":2,"rows":[{"id":0,"name":"a"},{"id":1}]}"#,
                "UnexpectedJSON: rows[1].name: is missing"
            ),
            (
                #"{"kind":"orders","count":1,"rows":[{"id":"0","name":"a"}]}"#,
                "UnexpectedJSON: rows[0].id: is no whole number: '0'"
            ),
            (#"{"kind":"orders","count":1,"rows":{}}"#, "UnexpectedJSON: rows: is no array: {}"),
            (#"{"kind":"loading","value":1}"#, "UnexpectedJSON: value: is no boolean: 1"),
            (#"{"kind":"failed","message":null}"#, "UnexpectedJSON: message: is no string: None"),
            (#"{"kind":"cancelled","id":1.0}"#, "UnexpectedJSON: id: is no whole number: 1.0"),
            (#"{"kind":"cancelled","id":true}"#, "UnexpectedJSON: id: is no whole number: True"),
            (#"{"kind":"archived","id":1}"#, "UnknownCase: kind: is a case that is not known: 'archived'"),
            (#"{"id":1}"#, "UnexpectedJSON: kind: is missing"),
            (#"[]"#, "UnexpectedJSON: is no object: []"),
        ])
    func `Python passes over members that it doesn't know, and says where an event is wrong`(
        _ json: String, _ outcome: String
    ) throws {
        #expect(try contract("--python", folder.path).ending == .status(0))
        let message = EveryForm.Message(viewModel: "orders", part: "viewModelEvent", json: json)
        #expect(try read([message]) == [outcome])
    }

    @Test(
        .enabled(if: Tool.python.isInstalled, "Python isn't installed"),
        arguments: [
            (
                #""open","value1":1,"value2":{"later":1,"none":{"x":1}}"#,
                #"{"kind": "enums", "value": "open", "value1": 1, "value2": {"none": {}}}"#
            ),
            (
                #""open","value1":1,"value2":{"one":{},"none":{}}"#,
                "UnexpectedJSON: value2: is more than one case: ['none', 'one']"
            ),
            (#""open","value1":1,"value2":{"one":{"_0":"open"}}"#, "UnexpectedJSON: value2._1: is missing"),
            (#""open","value1":1,"value2":{"later":{}}"#, "UnknownCase: value2: is a case that is not known: 'later'"),
            (#""open","value1":1,"value2":{}"#, "UnknownCase: value2: is a case that is not known: ''"),
            (#""lost","value1":1,"value2":{"none":{}}"#, "UnknownCase: value: is a value that is not known: 'lost'"),
            (#""open","value1":true,"value2":{"none":{}}"#, "UnknownCase: value1: is a value that is not known: True"),
        ])
    func `Python tells cases that it doesn't know from what is wrong`(_ values: String, _ outcome: String) throws {
        try write(PythonFile(EveryForm.contracts).text, PythonFile.name)
        let json = #"{"kind":"enums","value":\#(values)}"#
        #expect(try read([.init(viewModel: "forms", part: "viewModelEvent", json: json)]) == [outcome])
    }

    /// The outcome of reading and writing each message in Python.
    private func read(_ messages: [EveryForm.Message]) throws -> [String] {
        let script = Checkout.conformance("Clients/Types/round_trip.py")
        let python = try Program(Tool.python.command, [script, folder.path])
        for message in messages {
            let name = JSONTree.string(message.viewModel).line
            try python.send("{\"viewModel\":\(name),\"part\":\"\(message.part)\",\"event\":\(message.json)}")
        }
        python.closeInput()
        let lines = try python.lines()
        #expect(try python.end() == .status(0), "\(python.report)")
        try #require(lines.count == messages.count, "\(python.report)")
        return lines
    }

    @Test func `files that are out of date are shown, and nothing is written`() throws {
        // The command wants doc comments; a graph without symbols will do.
        try write(#"{"module":{"name":"Examples"},"symbols":[],"relationships":[]}"#, "none.symbols.json")
        let options = ["--symbols", folder.path, "--typescript", folder.path, "--python", folder.path]
        func run(_ more: String...) throws -> (text: String, ending: Program.Ending) {
            let program = try Program(Checkout.server, ["contract"] + options + more)
            program.closeInput()
            return (try program.lines().joined(separator: "\n"), try program.end())
        }
        let missing = try run("--check")
        #expect(missing.ending == .status(1) && missing.text.contains("view_models.py is missing"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["none.symbols.json"])
        #expect(try run().ending == .status(0))
        #expect(try run("--check").ending == .status(0))

        let path = folder.file("view_models.py")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try write(text.replacing("        name: str\n", with: ""), "view_models.py")
        let changed = try run("--check")
        #expect(changed.ending == .status(1))
        #expect(changed.text.contains("view-models.d.ts is up to date"))
        #expect(changed.text.contains("view_models.py is out of date"))
        #expect(changed.text.contains("\n+        name: str\n"))
        #expect(try run().text.contains("rewritten"))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }
}
