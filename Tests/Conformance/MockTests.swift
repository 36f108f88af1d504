import FoundationEssentials
import Glibc
import Testing

@Suite(.ownThread) struct MockTests {
    private let folder: TemporaryFolder
    private let counter: String

    init() throws {
        folder = try TemporaryFolder()
        counter = try folder.write(TranscriptText.counter, to: "counter.jsonl")
    }

    private func mock(_ arguments: String...) throws -> Program {
        try Program(Checkout.server, ["mock"] + arguments)
    }

    /// Sends what the client of the counter sends, and expects what it got.
    private func tellCounter(to mock: Program) throws {
        try mock.send(Wire.initialize)
        #expect(try mock.line() == Wire.result(1, "{}"))
        try mock.send(Wire.open(2, "counter"))
        #expect(try mock.line() == Wire.result(2, #"{"session":1,"key":"a key","viewModel":"counter"}"#))
        #expect(try mock.line() == Wire.count(1, 1, 0))
        try mock.send(Wire.viewEvent(3, 1, #"{"kind":"increment","by":2}"#))
        #expect(try mock.line() == Wire.count(1, 2, 2))
        #expect(try mock.line() == Wire.result(3, #"{"seq":2}"#))
        try mock.send(Wire.shutdown)
        #expect(try mock.line() == Wire.result(9, "null"))
        try mock.send(Wire.exit)
    }

    @Test func `a client on standard input and output gets what is recorded`() throws {
        let mock = try mock(counter)
        try tellCounter(to: mock)
        #expect(try mock.finish() == .status(0))
        #expect(try mock.lines() == [])
        let errorText = try mock.errorText()
        #expect(errorText == "\(counter): the client did as expected (11 messages)")
    }

    @Test(.enabled(if: Tool.netcat.isInstalled, "nc isn't installed"), arguments: ["--tcp", "--unix"])
    func `a client on a socket is waited for and gets what is recorded`(_ option: String) throws {
        let mock = try mock(counter, option, option == "--tcp" ? "0" : folder.file("socket"))
        let netcat = try Program(netcat: mock.listeningAddress())
        try tellCounter(to: netcat)
        #expect(try netcat.finish() == .status(0))
        #expect(try mock.end() == .status(0))
        #expect(!FileManager.default.fileExists(atPath: folder.file("socket")))
    }

    @Test func `another request is refused with what was expected, and standard error shows both`() throws {
        let mock = try mock(counter)
        try mock.send(Wire.initialize, Wire.open(2, "orders"))
        #expect(try mock.line() == Wire.result(1, "{}"))
        let refusal = try #require(try mock.line())
        #expect(refusal.hasPrefix(#"{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"#))
        #expect(refusal.contains("line 4 of the transcript") && refusal.contains("/params/viewModel"))
        #expect(try mock.lines() == [])
        let report = try mock.errorText()
        #expect(report.hasPrefix("\(counter):4: "))
        let compact = report.filter { !$0.isWhitespace }
        #expect(compact.contains(#""viewModel":"counter""#) && compact.contains(#""viewModel":"orders""#))
        #expect(try mock.end() == .status(1))
    }

    @Test func `a client that ends early is told what was still expected`() throws {
        let mock = try mock(counter)
        try mock.send(Wire.initialize)
        #expect(try mock.line() == Wire.result(1, "{}"))
        #expect(try mock.finish() == .status(1))
        #expect(try mock.errorText().hasPrefix("\(counter):4: "))
    }

    @Test func `a client on standard input and output is told that a transcript of two needs a socket`() throws {
        let line = #"{"from":"client","connection":2,"message":{"jsonrpc":"2.0","method":"hello"}}"#
        let two = try folder.write([#"{"transcript":1,"title":"two"}"#, line], to: "two.jsonl")
        let mock = try mock(two)
        #expect(try mock.end() == .status(1))
        let report = try mock.errorText()
        #expect(report.hasPrefix("\(two):") && report.contains("connection 2") && report.contains("Unix socket"))
    }

    @Test func `with a time-out, so is a client that says nothing`() throws {
        let mock = try mock(counter, "--timeout", "0.01")
        #expect(try mock.end() == .status(1))
        #expect(try mock.errorText().hasPrefix("\(counter):2: "))
    }

    @Test func `a signal ends it and names the line that it waited for`() throws {
        let mock = try mock(counter, "--unix", folder.file("socket"))
        _ = try mock.listeningAddress()
        try mock.signal(SIGTERM)
        #expect(try mock.end() == .status(128 + SIGTERM))
        let errorText = try mock.errorText()
        #expect(errorText == "\(counter): ended by signal 15; line 2 was expected next")
        #expect(!FileManager.default.fileExists(atPath: folder.file("socket")))
    }

    @Test func `a signal to one that has all it waits for is a good end`() throws {
        let mock = try mock(counter)
        try tellCounter(to: mock)
        try mock.signal(SIGTERM)
        #expect(try mock.end() == .status(0))
    }

    @Test(arguments: [
        ([], "transcript"), (["a", "b"], "'b'"), (["a", "--stdio", "--tcp", "0"], "--tcp"), (["a", "--", "b"], "--"),
        (["a", "--frob"], "'--frob'"),
    ])
    func `a wrong option ends with status 64`(_ arguments: [String], _ word: String) throws {
        let program = try Program(Checkout.server, ["mock"] + arguments)
        let text = try program.errorText()
        #expect(text.contains(word))
        #expect(text.contains("'view-model-server mock --help'"))
        #expect(try program.end() == .status(64))
    }

    @Test func `a port that is taken ends with status 69`() throws {
        let first = try mock(counter, "--tcp", "0")
        let address = try first.listeningAddress()
        let second = try mock(counter, "--tcp", address)
        #expect(try second.end() == .status(69))
    }
}
