import Testing

@Suite(.enabled(if: Tool.script.isInstalled, "script (of bsdutils) isn't installed"), .ownThread)
struct TerminalTests {
    @Test func `on a terminal without arguments it serves a person, and Ctrl-C ends it`() throws {
        // `script` gives the server a terminal and copies what it shows; -e makes the server's status its own. It runs the
        // command by `$SHELL`: some stay between the two, get the Ctrl-C as well and end by it, so they are told not to.
        let terminal = try Program(Tool.script.command, ["-qefc", "exec \(Checkout.server)", "/dev/null"])
        var shown: [String] = []
        while let line = try terminal.line() {
            shown.append(line)
            if line.contains("session/open") { break }
        }
        let prefix = "listening on "
        let address = try #require(shown.first { $0.hasPrefix(prefix) }?.dropFirst(prefix.count))
        #expect(address.hasPrefix("127.0.0.1:"))
        #expect(shown.contains { $0.contains("nc 127.0.0.1 ") })
        if Tool.netcat.isInstalled {
            let client = try Program(netcat: String(address))
            try client.send(Wire.initialize)
            #expect(Wire.isInitialized(try client.line()))
        }
        try terminal.write("\u{3}")
        #expect(try terminal.end() == .status(0))
    }
}
