import FoundationEssentials
import Testing

@Suite(.ownThread) struct CoverageTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `replay --coverage says what no transcript has seen, and starts nothing`() throws {
        let path = try write(
            #"{"transcript":1,"title":"a"}"#, #"{"from":"client","message":\#(Wire.request(1, "ping"))}"#,
            #"{"from":"server","message":{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":""}}}"#)
        let program = try Program.server("replay", "--coverage", path)
        let lines = try program.lines()
        #expect(lines.first == "1 transcript, 2 messages")
        #expect(lines.contains { $0.contains(#/methods +1 of \d+  not seen: initialize, /#) })
        #expect(lines.contains { $0.hasPrefix("error codes ") && $0.contains("1 of 15  not seen: -32700 Parse") })
        let counter = try #require(lines.first { $0.hasPrefix("counter: view events ") })
        #expect(counter.hasSuffix(" 0 of 3   not seen: increment, load, reset"))
        #expect(try program.end() == .status(0))
    }

    @Test func `a folder counts with all its transcripts`() throws {
        let program = try Program.server("replay", "--coverage", "\(Checkout.root)/Tests/Transcripts")
        let lines = try program.lines()
        #expect(lines.contains { $0.contains(/methods +(\d+) of \1$/) }, "\(lines)")
        #expect(try program.end() == .status(0))
    }

    @Test func `a broken transcript is told with its line`() throws {
        let path = try write(#"{"transcript":1,"title":"a"}"#, #"{"from":"client"#)
        let program = try Program.server("replay", "--coverage", path)
        #expect(try program.errorText().contains("\(path):2: the line is cut off"))
        #expect(try program.end() == .status(1))
    }

    @Test(arguments: [["--to", "127.0.0.1:1"], ["--update"], ["--pace"], ["--", "true"]])
    func `options that only a replay needs don't go with it`(_ arguments: [String]) throws {
        let program = try Program(Checkout.server, ["replay", "--coverage", "a.jsonl"] + arguments)
        #expect(try program.errorText().contains("--coverage only reads"))
        #expect(try program.end() == .status(64))
    }

    private func write(_ lines: String...) throws -> String {
        let path = folder.file("a.jsonl")
        try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: false, encoding: .utf8)
        return path
    }
}
