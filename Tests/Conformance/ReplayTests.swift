import FoundationEssentials
import Glibc
import Testing

@Suite(.ownThread) struct ReplayTests {
    private let folder: TemporaryFolder
    private let counter: String

    init() throws {
        folder = try TemporaryFolder()
        counter = try folder.write(TranscriptText.counter, to: "counter.jsonl")
    }

    /// Runs `replay` and returns what it printed and its status.
    private func replay(_ arguments: String..., environment: [String: String] = [:]) throws -> (String, Program.Ending)
    {
        let program = try Program(Checkout.server, ["replay"] + arguments, environment: environment)
        program.closeInput()
        let text = try program.lines().joined(separator: "\n")
        let errors = try program.errorText()
        #expect(errors == "")
        return (text, try program.end())
    }

    private func expectPass(_ result: (text: String, ending: Program.Ending)) {
        #expect(result.text == "ok   \(counter) (11 messages)\n1 transcript, 0 failed")
        #expect(result.ending == .status(0))
    }

    @Test func `a transcript is replayed against the executable's own server, unless another is named`() throws {
        expectPass(try replay(counter))
        expectPass(try replay(counter, "--framing", "lines"))
    }

    @Test(arguments: ["headers", "lines"])
    func `a program is started and talked to by its standard input and output`(_ framing: String) throws {
        expectPass(try replay(counter, "--framing=\(framing)", "--", Checkout.server, "--stdio"))
    }

    @Test(arguments: ["--tcp", "--unix"])
    func `a server that runs already is connected to, as often as the transcript says`(_ option: String) throws {
        let shared = try folder.write(TranscriptText.shared, to: "shared.jsonl")
        let server = try Program.server(option, option == "--tcp" ? "0" : folder.file("socket"))
        let address = try server.listeningAddress()
        let (text, ending) = try replay(counter, shared, "--to", address)
        #expect(text == "ok   \(counter) (11 messages)\nok   \(shared) (10 messages)\n2 transcripts, 0 failed")
        #expect(ending == .status(0))
    }

    @Test func `a folder's transcripts are replayed by name, each with a server of its own`() throws {
        let shared = try folder.write(TranscriptText.shared, to: "a.jsonl")
        _ = try folder.write(["not one"], to: "notes.txt")
        let (text, ending) = try replay(folder.path)
        #expect(text == "ok   \(shared) (10 messages)\nok   \(counter) (11 messages)\n2 transcripts, 0 failed")
        #expect(ending == .status(0))
    }

    @Test(arguments: ["headers", "lines"])
    func `every transcript of this repository passes, in its own time`(_ framing: String) throws {
        let (text, ending) = try replay("\(Checkout.root)/Tests/Transcripts", "--framing", framing)
        #expect(text.hasSuffix(" transcripts, 0 failed"), "\(text)")
        #expect(ending == .status(0))
    }

    @Test func `a changed event fails with its line, its place in the message and both messages`() throws {
        let server = #""$0" --stdio | sed -u 's/"value":2/"value":3/'"#
        let (text, ending) = try replay(counter, "--framing", "lines", "--", "sh", "-c", server, Checkout.server)
        #expect(ending == .status(1))
        let lines = text.split(separator: "\n")
        #expect(lines.first?.hasPrefix("FAIL \(counter):8: ") ?? false)
        #expect(text.contains("/params/event/value"))
        let compact = text.filter { !$0.isWhitespace }
        #expect(compact.contains(#""value":2"#) && compact.contains(#""value":3"#))
        #expect(lines.last == "1 transcript, 1 failed")
    }

    @Test func `one that fails doesn't keep the others from their turn`() throws {
        let bad = try folder.write(Array(TranscriptText.counter[..<2]) + ["{"], to: "a.jsonl")
        let (text, ending) = try replay(folder.path)
        #expect(text.contains("FAIL \(bad):3: "))
        #expect(text.hasSuffix("ok   \(counter) (11 messages)\n2 transcripts, 1 failed"))
        #expect(ending == .status(1))
    }

    @Test func `a program has one connection, and the advice is to name a socket`() throws {
        let shared = try folder.write(TranscriptText.shared, to: "shared.jsonl")
        let (text, ending) = try replay(shared, "--", Checkout.server, "--stdio")
        #expect(text.hasPrefix("FAIL \(shared): the transcript opens connection 2"))
        #expect(text.contains("--to"))
        #expect(ending == .status(1))
    }

    @Test func `a server that isn't there is named in the system's words`() throws {
        let nobody = folder.file("nobody")
        #expect(try replay(counter, "--to", nobody).0.contains("\(nobody): No such file or directory"))
        let (text, ending) = try replay(counter, "--", "no-such-program")
        #expect(text.contains("no-such-program: there is no such program"))
        #expect(ending == .status(1))
    }

    @Test(arguments: [("exit 3", "with status 3"), ("kill -SEGV $$", "by signal 11")])
    func `a server that ends early is told with how it ended`(_ script: String, _ words: String) throws {
        let (text, ending) = try replay(counter, "--", "sh", "-c", script)
        #expect(text.contains("the server ended \(words)"))
        #expect(ending == .status(1))
    }

    @Test func `a server that says nothing fails when the time-out is over`() throws {
        let (text, ending) = try replay(counter, "--timeout", "0.1", "--", "sleep", "600")
        #expect(text.hasPrefix("FAIL \(counter):3: "))
        #expect(ending == .status(1))
    }

    @Test func `a server that crashes once all is said has not passed`() throws {
        let script = #""$0" --stdio; kill -SEGV $$"#
        let (text, ending) = try replay(counter, "--", "sh", "-c", script, Checkout.server)
        #expect(text.contains("the server ended by signal 11"))
        #expect(ending == .status(1))
    }

    @Test func `--update rewrites what is expected and keeps the matchers, once`() throws {
        var lines = TranscriptText.counter
        lines[7] = TranscriptText.server(Wire.count(1, 2, 7))
        lines.remove(at: 5)
        let path = try folder.write(lines, to: "old.jsonl")
        #expect(try replay(path).1 == .status(1))
        let (text, ending) = try replay(path, "--update")
        #expect(text.hasSuffix("messages), rewritten\n1 transcript, 0 failed"))
        #expect(ending == .status(0))
        #expect(try folder.read("old.jsonl") == TranscriptText.counter)
        #expect(try replay(path, "--update").0.hasPrefix("ok   \(path) (11 messages)\n"))
        #expect(try replay(path).1 == .status(0))
    }

    @Test func `a token that was taken out comes from a file or the environment`() throws {
        var lines = TranscriptText.counter
        lines[1] = TranscriptText.client(Wire.request(1, "initialize", #"{"token":"[redacted]"}"#))
        let path = try folder.write(lines, to: "token.jsonl")
        let token = try folder.write(["secret-0123456789"], to: "token")
        let server = [Checkout.server, "--stdio", "--token-file", token]
        for (options, environment) in [
            (["--token-file", token], [:]), ([], ["VIEW_MODEL_SERVER_TOKEN": "secret-0123456789"]),
        ] {
            let program = try Program(
                Checkout.server, ["replay", path] + options + ["--"] + server, environment: environment)
            #expect(try program.line() == "ok   \(path) (11 messages)")
        }
        let refused = try Program(Checkout.server, ["replay", path, "--"] + server)
        refused.closeInput()
        _ = try refused.lines()
        let errorText = try refused.errorText()
        #expect(errorText == "warning: stdio: a wrong token")
        #expect(try refused.end() == .status(1))
    }

    @Test(arguments: [
        ([], "transcript"), (["a", "--to", "1", "--", "b"], "--to"), (["a", "--"], "--"),
        (["a", "--timeout", "0"], "'0'"),
        (["a", "--framing", "xml"], "'xml'"), (["a", "--frob"], "'--frob'"), (["a", "--to", "many"], "'many'"),
    ])
    func `a wrong option ends with status 64`(_ arguments: [String], _ word: String) throws {
        let program = try Program(Checkout.server, ["replay"] + arguments)
        let text = try program.errorText()
        #expect(text.contains(word))
        #expect(text.contains("'view-model-server replay --help'"))
        #expect(try program.end() == .status(64))
    }

    @Test func `--help tells all of it`() throws {
        let (text, ending) = try replay("--help")
        for word in ["Usage: ", "--to", "--update", "--pace", "--timeout", "--framing", "--token-file", "Status: "] {
            #expect(text.contains(word))
        }
        #expect(ending == .status(0))
    }
}
