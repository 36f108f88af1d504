import FoundationEssentials
import Glibc
import Testing

/// Sessions that a person finds again, in real processes: over sockets, of several users, after a restart, and with
/// `--isolate`.
@Suite(.enabled(if: Tool.netcat.isInstalled, "nc isn't installed"), .ownThread) struct FoundSessionsTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private static let scoped = #"{"name":"todos","type":"Examples.TodosViewModel","scope":"person"}"#

    /// A client that has initialized, and the answer to that.
    private func initialized(_ client: Program, _ params: String = "{}") throws -> (Program, String) {
        try client.send(Wire.request(1, "initialize", params))
        let answer = try client.line()
        #expect(Wire.isInitialized(answer))
        return (client, answer ?? "")
    }

    /// Opens the list of things to do, adds one, and returns the answer to the open.
    private func opened(by client: Program, adding title: String? = nil) throws -> String {
        try client.send(Wire.open(2, "todos"))
        let answer = try client.line() ?? ""
        if let title {
            try client.send(Wire.viewEvent(3, 1, #"{"kind":"add","title":"\#(title)"}"#))
            try client.readLines { $0.contains(#""id":3,"result""#) }
        }
        return answer
    }

    private static func isNew(_ answer: String) -> Bool { answer.contains(#""isNew":true"#) }

    private static func has(_ title: String, _ answer: String) -> Bool {
        answer.contains(#""isNew":false,"seq":2,"snapshot":["#) && answer.contains(#""title":"\#(title)""#)
    }

    @Test func `an editor's list is there for the next process, on another transport`() throws {
        let store = "sqlite:\(folder.file("store"))"
        let (editor, _) = try initialized(Program.server("--stdio", "--store", store))
        #expect(Self.isNew(try opened(by: editor, adding: "Milk")))
        try editor.send(Wire.request(4, "shutdown"), Wire.notification("exit"))
        #expect(try editor.end() == .status(0))
        let server = try Program.server("--tcp", "0", "--store", store)
        let (page, _) = try initialized(Program(netcat: server.listeningAddress()))
        #expect(Self.has("Milk", try opened(by: page)))
    }

    @Test(.enabled(if: getuid() == 0, "only root can start the process of another user"))
    func `each user of a Unix socket has a list`() throws {
        let path = folder.file("socket")
        let server = try Program.server("--unix", path)
        _ = try server.listeningAddress()
        #expect(chmod(folder.path, 0o755) == 0 && chmod(path, 0o666) == 0)
        let nobody = ["--reuid", "65534", "--clear-groups", Tool.netcat.command, "-N", "-U", path]
        let (mine, _) = try initialized(Program(netcat: path))
        #expect(Self.isNew(try opened(by: mine, adding: "Milk")))
        let (other, _) = try initialized(Program("setpriv", nobody))
        #expect(Self.isNew(try opened(by: other, adding: "Bread")))
        let (again, _) = try initialized(Program("setpriv", nobody))
        #expect(Self.has("Bread", try opened(by: again)))
        let (mineAgain, _) = try initialized(Program(netcat: path))
        #expect(Self.has("Milk", try opened(by: mineAgain)))
    }

    @Test func `in processes of their own, clients of one principal find the same list`() throws {
        let tokens = try folder.write(["ada ada-0123456789abcdef", "bob bob-0123456789abcdef"], to: "tokens")
        let server = try Program(Checkout.server, ["--tcp", "0", "--isolate", "--token-file", tokens])
        let address = try server.listeningAddress()
        func client(_ principal: String) throws -> Program {
            let token = #"{"token":"\#(principal)-0123456789abcdef"}"#
            let (client, answer) = try initialized(Program(netcat: address), token)
            #expect(answer.contains(Self.scoped))
            return client
        }
        #expect(Self.isNew(try opened(by: client("ada"), adding: "Milk")))
        #expect(Self.has("Milk", try opened(by: client("ada"))))
        #expect(Self.isNew(try opened(by: client("bob"))))
    }

    /// Of the transcripts that name a scope, those whose clients can be a principal's: they begin without params. A session of
    /// everyone isn't found there, and clients are told no such scope.
    @Test(arguments: ["children", "found-again", "todos"], ["headers", "lines"])
    func `in processes of their own, the transcripts of a person pass`(_ name: String, _ framing: String) throws {
        let tokens = try folder.write(["ada ada-0123456789abcdef"], to: "tokens")
        let own = try folder.write(["ada-0123456789abcdef"], to: "own")
        let recorded = try String(
            contentsOfFile: "\(Checkout.root)/Tests/Transcripts/\(name).jsonl", encoding: .utf8)
        let lines = recorded.split(separator: "\n").map { line in
            line.replacing(
                #""method":"initialize","params":{}"#, with: #""method":"initialize","params":{"token":"[redacted]"}"#
            )
            .replacing(#","scope":"everyone""#, with: "")
        }
        let path = try folder.write(lines.map(String.init), to: "\(name).jsonl")
        let server = try Program(Checkout.server, ["--tcp", "0", "--isolate", "--token-file", tokens])
        let address = try server.listeningAddress()
        let replay = try Program(
            Checkout.server, ["replay", path, "--to", address, "--framing", framing, "--token-file", own])
        let told = try replay.lines()
        #expect(told.last == "1 transcript, 0 failed", "\(told.joined(separator: "\n"))")
    }

    @Test func `in processes of their own, clients that aren't principals find nothing, and are told so`() throws {
        let server = try Program(Checkout.server, ["--tcp", "0", "--isolate"])
        let address = try server.listeningAddress()
        let (client, answer) = try initialized(Program(netcat: address))
        #expect(answer.contains(#"{"name":"todos","type":"Examples.TodosViewModel"}"#))
        #expect(!(try opened(by: client)).contains("isNew"))
        let words = "clients in different processes don't find the same session by opening "
        var line = ""
        try server.readErrorLines {
            line = $0
            return $0.contains(words)
        }
        #expect(line.contains("opening board, boardScreen, finder, todos"), "\(line)")
    }
}
