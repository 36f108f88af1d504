import FoundationEssentials
import Glibc
import Testing

/// A service in a program of somebody else's.
@Suite(.ownThread) struct EmbeddingTests {
    /// The program's standard output comes a line at a time only where it is told so, as any program's.
    private func till() throws -> (program: Program, address: String) {
        let program = try Program("stdbuf", ["-oL", Checkout.till])
        let line = try #require(try program.line())
        try #require(line.hasPrefix("http://127.0.0.1:"), "\(line)")
        return (program, String(line.dropFirst("http://".count)))
    }

    @Test func `the article shows the program that is tested here`() throws {
        let program = try String(contentsOfFile: Checkout.root + "/Tests/Embedder/Till.swift", encoding: .utf8)
        #expect(try OwnBlock.till.block().text == program)
    }

    @Test func `a program serves beside its own work, and ends when that is over`() throws {
        let (program, address) = try till()
        let client = try Program(Checkout.server, ["connect", address])
        try client.send("open till", "wait sum value=0")
        #expect(try client.line() == "till:")
        #expect(try client.line() == "  sum 0")
        try program.send("5", "seven", "7")
        try client.send("wait sum value=12", "quit")
        client.closeInput()
        #expect(try client.lines() == ["  sum 5", "  sum 12"])
        #expect(try client.end() == .status(0))
        program.closeInput()
        #expect(try program.lines() == ["12 in the drawer"])
        #expect(try program.errorText() == "", "a service prints nothing")
        #expect(try program.end() == .status(0))
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func `a signal is the program's own affair`(_ signal: Int32) throws {
        let (program, _) = try till()
        try program.signal(signal)
        #expect(try program.end() == .signal(signal))
    }
}
