import Glibc
import Testing

@Suite(.ownThread) struct ParentTests {
    /// The pipes stay open throughout: the tests hold them.
    @Test func `a server ends with the process that initialize names`() throws {
        let parent = try Program("cat")
        let server = try Program.server("--stdio")
        try server.send(Wire.request(1, "initialize", #"{"processId":\#(parent.process.id)}"#))
        #expect(Wire.isInitialized(try server.line()))
        #expect(try parent.finish() == .status(0))
        #expect(try server.end() == .status(1))
    }

    @Test func `a server ends with the process that --clientProcessId names`() throws {
        let parent = try Program("cat")
        let server = try Program.server("--stdio", "--clientProcessId=\(parent.process.id)")
        try server.send(Wire.initialize)
        #expect(Wire.isInitialized(try server.line()))
        try parent.signal(SIGKILL)
        #expect(try server.end() == .status(1))
    }

    @Test func `a process that isn't visible ends nothing`() throws {
        let server = try Program.server("--stdio")
        // Above what Linux ever numbers a process with.
        try server.send(Wire.request(1, "initialize", #"{"processId":\#(1 << 23)}"#), Wire.shutdown, Wire.exit)
        #expect(Wire.isInitialized(try server.line()))
        #expect(try server.line() == Wire.result(9, "null"))
        #expect(try server.end() == .status(0))
    }

    @Test func `a server that can't write any more ends when its input does`() throws {
        // The reader of its output is gone at once; its input stays open until it is closed here.
        let shell = try Program("sh", ["-c", #""$0" --stdio | true; echo gone"#, Checkout.server])
        try shell.send(Wire.initialize, Wire.initialize)
        shell.closeInput()
        #expect(try shell.line() == "gone")
        #expect(try shell.end() == .status(0))
    }
}
