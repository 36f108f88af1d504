import Glibc
import Testing

@Suite(.ownThread) struct EndOfInputTests {
    @Test func `shutdown and exit end with status 0`() throws {
        let server = try Program.server("--stdio")
        try server.send(Wire.initialize, Wire.shutdown, Wire.exit)
        #expect(Wire.isInitialized(try server.line()))
        #expect(try server.lines() == [Wire.result(9, "null")])
        #expect(try server.end() == .status(0))
    }

    @Test func `exit without shutdown ends with status 1`() throws {
        let server = try Program.server("--stdio")
        try server.send(Wire.initialize, Wire.exit)
        #expect(Wire.isInitialized(try server.line()))
        #expect(try server.lines() == [])
        #expect(try server.end() == .status(1))
    }

    @Test func `answers that can't be written are a line on standard error and a status, also after shutdown`() throws {
        let server = try Program("sh", ["-c", #"exec "$0" --stdio >/dev/full"#, Checkout.server])
        try server.send(Wire.initialize, Wire.shutdown, Wire.exit)
        server.closeInput()
        let text = try server.errorText()
        let failure = "error: stdio: closed: write stdio: No space left on device; "
        #expect(text.hasPrefix(failure) && text.hasSuffix(" bytes couldn't be written and are lost"), "\(text)")
        #expect(try server.end() == .status(74))
    }

    @Test func `exit before anything else ends with status 1`() throws {
        let server = try Program.server("--stdio")
        try server.send(Wire.exit)
        #expect(try server.end() == .status(1))
    }

    @Test func `at the end of the input what was read is answered first`() throws {
        let server = try Program.server("--stdio")
        try server.send(
            Wire.initialize, Wire.open(2, "counter"), Wire.viewEvent(3, 1, #"{"kind":"increment","by":2}"#),
            Wire.viewEvent(4, 1, #"{"kind":"increment","by":3}"#))
        server.closeInput()
        let lines = try server.lines()
        #expect(Wire.isInitialized(lines.first))
        #expect(lines.dropFirst().first?.hasPrefix(#"{"jsonrpc":"2.0","id":2,"result":{"session":1,"#) ?? false)
        #expect(
            lines.dropFirst(2) == [
                Wire.count(1, 1, 0), Wire.count(1, 2, 2), Wire.result(3, #"{"seq":2}"#), Wire.count(1, 3, 5),
                Wire.result(4, #"{"seq":3}"#),
            ])
        #expect(try server.end() == .status(1), "without shutdown")
    }

    @Test func `at the end of the input after shutdown the status is 0`() throws {
        let server = try Program.server("--stdio")
        try server.send(Wire.initialize, Wire.shutdown)
        #expect(try server.finish() == .status(0))
    }

    @Test func `input that ends in the middle of a line is a parse error`() throws {
        let server = try Program.server("--stdio")
        try server.send(Wire.initialize)
        try server.write(#"{"jsonrpc":"2.0","id":2,"met"#)
        server.closeInput()
        #expect(Wire.isInitialized(try server.line()))
        let lines = try server.lines()
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"#) ?? false)
        #expect(try server.end() == .status(1))
    }

    @Test func `input that ends in the middle of a framed message is a parse error`() throws {
        let server = try Program.server("--stdio")
        try server.write("Content-Length: 1000\r\n\r\n{\"jsonrpc\":")
        server.closeInput()
        let lines = try server.lines()
        #expect(lines.count == 3)
        let body = lines.last ?? ""
        #expect(body.hasPrefix(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"#))
        #expect(lines.dropLast() == ["Content-Length: \(body.utf8.count)", ""])
        #expect(try server.end() == .status(1))
    }

    @Test func `a client that goes while a handler runs takes the server with it`() throws {
        let server = try Program.server("--stdio")
        try server.send(
            Wire.initialize, Wire.open(2, "orders", #"{"delay":600}"#), Wire.viewEvent(3, 1, #"{"kind":"loadOrders"}"#))
        let loading = Wire.viewModelEvent(1, 1, #"{"kind":"loading","value":true}"#)
        try server.readLines(upTo: loading)
        #expect(try server.finish() == .status(1))
    }

    /// Where descriptor 0 is free, the next file that the process opens gets it, and must not be taken for the input.
    @Test(arguments: ["--stdio", ""])
    func `standard input that is closed has ended`(_ option: String) throws {
        let server = try Program(
            "sh", ["-c", #"exec "$0" \#(option) <&-"#, Checkout.server])
        #expect(try server.end() == .status(1))
    }

    @Test func `without arguments and a terminal it serves standard input and output`() throws {
        let server = try Program.server()
        try server.send(Wire.initialize, Wire.shutdown, Wire.exit)
        #expect(Wire.isInitialized(try server.line()))
        #expect(try server.end() == .status(0))
        let errorText = try server.errorText()
        #expect(errorText == "")
    }
}

@Suite(.ownThread) struct SignalTests {
    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func `a signal tells each view of a pipe and ends with status 0`(_ number: Int32) throws {
        let server = try Program.server("--stdio")
        try server.send(Wire.initialize, Wire.open(2, "counter"), Wire.open(3, "counter"))
        try server.readLines(upTo: Wire.count(2, 1, 0))
        try server.signal(number)
        #expect(Set(try server.lines()) == [Wire.closed(1, "serverShutdown"), Wire.closed(2, "serverShutdown")])
        #expect(try server.end() == .status(0))
    }

    @Test(.enabled(if: Tool.netcat.isInstalled, "nc isn't installed"), arguments: [SIGTERM, SIGINT, SIGHUP])
    func `a signal tells the views of every connection and ends with status 0`(_ number: Int32) throws {
        let folder = try TemporaryFolder()
        let server = try Program.server("--tcp", "0", "--unix", folder.file("socket"))
        let clients = [
            try Program(netcat: server.listeningAddress()), try Program(netcat: server.listeningAddress()),
        ]
        for client in clients {
            try client.send(Wire.initialize, Wire.open(2, "counter"))
            try client.readLines(upTo: Wire.count(1, 1, 0))
        }
        try server.signal(number)
        for client in clients { #expect(try client.line() == Wire.closed(1, "serverShutdown")) }
        #expect(try server.end() == .status(0))
    }

    /// - Parameter isClosed: whether the input ends, too, as where Emacs ends a server. That end may be noticed before the
    ///   signal, and is an exit without a shutdown.
    @Test(arguments: [false, true])
    func `messages that are in the pipe when a signal comes are read first`(isClosed: Bool) throws {
        let server = try Program.server("--stdio")
        try server.send(Wire.initialize, Wire.open(2, "counter"))
        try server.readLines(upTo: Wire.count(1, 1, 0))
        // The server is stopped until all of this is in its pipe.
        try server.signal(SIGSTOP)
        try server.send(Wire.viewEvent(3, 1, #"{"kind":"increment","by":2}"#))
        if isClosed { server.closeInput() }
        try server.signal(SIGHUP)
        try server.signal(SIGCONT)
        let lines = try server.lines()
        #expect(lines.prefix(2) == [Wire.count(1, 2, 2), Wire.result(3, #"{"seq":2}"#)])
        let ending = try server.end()
        #expect(ending == .status(0) || (isClosed && ending == .status(1)), "\(ending)")
    }

    @Test func `a second signal ends the server as if nobody handled it`() throws {
        let server = try Program.server("--stdio", "--log-level", "info")
        try server.send(
            Wire.initialize, Wire.open(2, "orders", #"{"delay":600}"#), Wire.viewEvent(3, 1, #"{"kind":"loadOrders"}"#))
        try server.readLines(upTo: Wire.viewModelEvent(1, 1, #"{"kind":"loading","value":true}"#))
        try server.signal(SIGTERM)
        // The handler has its grace period.
        while let line = try server.errorLine(), !line.hasSuffix("draining") {}
        try server.signal(SIGTERM)
        #expect(try server.end() == .signal(SIGTERM))
    }

    /// Nothing that the server does needs a thread of Swift's pool.
    @Test(.enabled(if: Tool.netcat.isInstalled && Tool.curl.isInstalled, "nc or curl isn't installed"))
    func `a server whose view models' tasks hold all threads of Swift's pool says so, goes on, and ends by a signal`()
        throws
    {
        let server = try Program(Checkout.shop, ["--tcp", "0"])
        let address = try server.listeningAddress()
        let (first, second) = (try Program(netcat: address), try Program(netcat: address))
        try first.send(Wire.initialize, Wire.open(2, "mill"), Wire.viewEvent(3, 1, #"{"kind":"grind","tasks":300}"#))
        try first.readLines(upTo: Wire.viewModelEvent(1, 1, #"{"kind":"ground"}"#))
        while let line = try server.anyErrorLine(), !line.contains("no task of Swift's own pool has begun") {}
        try second.send(Wire.initialize, Wire.open(2, "mill"), Wire.viewEvent(3, 1, #"{"kind":"grind","tasks":0}"#))
        try second.readLines(upTo: Wire.viewModelEvent(1, 1, #"{"kind":"ground"}"#))
        let health = try Program(Tool.curl.command, ["-s", "http://\(address)/healthz"]).lines()
        #expect(health.first == "ready")
        #expect(health.contains { $0.hasPrefix("Swift's own pool of threads has begun no task for ") })
        try server.signal(SIGTERM)
        for client in [first, second] { try client.readLines(upTo: Wire.closed(1, "serverShutdown")) }
        #expect(try server.end() == .status(0))
    }
}

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
