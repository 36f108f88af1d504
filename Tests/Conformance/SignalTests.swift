import Glibc
import Testing

@Suite(.ownThread) struct SignalTests {
    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func `a signal tells each view of a pipe and ends with status 0`(_ number: Int32) throws {
        let server = try Program.server("--stdio")
        try server.send(Wire.initialize, Wire.open(2, "counter"), Wire.open(3, "counter"))
        while let line = try server.line(), line != Wire.count(2, 1, 0) {}
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
            while let line = try client.line(), line != Wire.count(1, 1, 0) {}
        }
        try server.signal(number)
        for client in clients { #expect(try client.line() == Wire.closed(1, "serverShutdown")) }
        #expect(try server.end() == .status(0))
    }

    @Test func `what is in the pipe when a signal comes is read first`() throws {
        let server = try Program.server("--stdio")
        try server.send(Wire.initialize, Wire.open(2, "counter"))
        while let line = try server.line(), line != Wire.count(1, 1, 0) {}
        // As Emacs ends a server. It stands still while all of this is put in front of it.
        try server.signal(SIGSTOP)
        try server.send(Wire.viewEvent(3, 1, #"{"kind":"increment","by":2}"#))
        server.closeInput()
        try server.signal(SIGHUP)
        try server.signal(SIGCONT)
        let lines = try server.lines()
        #expect(lines.prefix(2) == [Wire.count(1, 2, 2), Wire.result(3, #"{"seq":2}"#)])
        #expect(try server.end() == .status(0))
    }
}
