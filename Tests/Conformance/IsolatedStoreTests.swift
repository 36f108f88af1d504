import FoundationEssentials
import Glibc
import Testing

/// A server with `--isolate` and `--store`: the end of a process costs its client a pause, and no durable session.
@Suite(.enabled(if: Tool.netcat.isInstalled, "nc isn't installed"), .ownThread) struct IsolatedStoreTests {
    private func server(
        _ folder: borrowing TemporaryFolder, _ program: String = Checkout.server, _ arguments: String...
    ) throws -> Program {
        let store = "sqlite:\(folder.file("store.db"))"
        return try Program(
            program, ["--tcp", "0", "--isolate", "--store", store, "--limit", "isolatedCrashes=1000"] + arguments)
    }

    /// A client that has initialized.
    private func client(_ name: String, of address: String) throws -> Program {
        let client = try Program(netcat: address)
        try client.send(Wire.request(1, "initialize", #"{"clientInfo":{"name":"\#(name)"}}"#))
        #expect(Wire.isInitialized(try client.line()))
        return client
    }

    /// - Returns: the session's key.
    private func open(_ client: Program, adding title: String) throws -> Substring {
        try client.send(
            Wire.request(2, "session/open", #"{"viewModel":"todos","client":"c"}"#),
            Wire.request(
                3, "view/event", #"{"session":1,"number":1,"event":{"kind":"add","title":"\#(title)"}}"#))
        var key: Substring?
        try client.readLines { line in
            key = key ?? line.firstMatch(of: #/"key":"([^"]*)"/#)?.output.1
            return line.hasPrefix(#"{"jsonrpc":"2.0","id":3,"result""#)
        }
        return try #require(key)
    }

    private func attach(_ client: Program, _ key: Substring) throws -> String {
        try client.send(Wire.request(4, "session/attach", #"{"key":"\#(key)","client":"c"}"#))
        var answer = ""
        try client.readLines { line in
            answer = line
            return line.contains(#""id":4,"#)
        }
        return answer
    }

    @Test func `a client whose process is killed comes back to its sessions, and others notice nothing`() throws {
        let folder = try TemporaryFolder()
        let server = try server(folder)
        let address = try server.listeningAddress()
        let (one, other) = (try client("one", of: address), try client("other", of: address))
        let key = try open(one, adding: "bread")
        try server.crash("one")
        // The connection ends, as that of a server that ends: a client comes back then.
        try server.readErrorLines { $0.contains("; what is stored of its sessions goes on in the next one") }
        #expect(try one.finish() == .status(0))
        let again = try client("one", of: address)
        let answer = try attach(again, key)
        #expect(answer.contains(#""handled":1"#) && answer.contains(#""title":"bread""#), "\(answer)")
        try other.send(Wire.request(2, "ping"))
        #expect(try other.line() == Wire.result(2, "null"))
    }

    @Test func `a person's list has what is in their process and what is stored, and nothing of other people`() throws {
        let folder = try TemporaryFolder()
        let tokens = folder.file("tokens")
        try "ada aaaaaaaaaaaaaaaa\nbob bbbbbbbbbbbbbbbb".write(toFile: tokens, atomically: false, encoding: .utf8)
        func list(of person: String, at address: String) throws -> String {
            let client = try Program(netcat: address)
            let token = String(repeating: String(person.prefix(1)), count: 16)
            try client.send(
                Wire.request(1, "initialize", #"{"token":"\#(token)"}"#),
                Wire.request(2, "session/list", #"{"kept":true}"#))
            _ = try client.line()
            return try #require(try client.line())
        }
        var key: Substring = ""
        do {
            let server = try server(folder, Checkout.server, "--token-file", tokens)
            let address = try server.listeningAddress()
            let ada = try Program(netcat: address)
            try ada.send(Wire.request(1, "initialize", #"{"token":"aaaaaaaaaaaaaaaa"}"#))
            _ = try ada.line()
            key = try open(ada, adding: "milk")
            let listed = try list(of: "ada", at: address)
            #expect(listed.contains(#""key":"\#(key)","viewModel":"todos","title":"1 open, 0 done""#), "\(listed)")
            #expect(listed.contains(#""views":1"#), "\(listed)")
            #expect(try list(of: "bob", at: address) == Wire.result(2, #"{"sessions":[]}"#))
            #expect(try server.finishOrderly() == .status(0))
        }
        let server = try server(folder, Checkout.server, "--token-file", tokens)
        let address = try server.listeningAddress()
        let listed = try list(of: "ada", at: address)
        #expect(listed.contains(#""key":"\#(key)","viewModel":"todos","title":"1 open, 0 done""#), "\(listed)")
        #expect(listed.contains(#""views":0"#), "\(listed)")
        #expect(try list(of: "bob", at: address) == Wire.result(2, #"{"sessions":[]}"#))
        #expect(try server.finishOrderly() == .status(0))
    }

    @Test(arguments: [SIGTERM, SIGKILL])
    func `sessions go on in the processes of the next server`(_ signal: Int32) throws {
        let folder = try TemporaryFolder()
        var key: Substring = ""
        do {
            let server = try server(folder)
            let one = try client("one", of: try server.listeningAddress())
            key = try open(one, adding: "milk")
            try server.signal(signal)
            _ = try server.end()
            // Neither is a session closed, nor does anybody say so.
            one.closeInput()
            #expect(try one.lines().filter { $0.contains("session/closed") || $0.contains("logMessage") } == [])
        }
        let server = try server(folder)
        let answer = try attach(client("one", of: try server.listeningAddress()), key)
        #expect(answer.contains(#""handled":1"#) && answer.contains(#""title":"milk""#), "\(answer)")
        #expect(try server.finishOrderly() == .status(0))
    }

    @Test func `a session moves to the process of another client once nobody has a view of it`() throws {
        let folder = try TemporaryFolder()
        let server = try server(folder, Checkout.server, "--limit", "storeTime=1")
        let address = try server.listeningAddress()
        let (one, other) = (try client("one", of: address), try client("other", of: address))
        let key = try open(one, adding: "salt")
        let refused = try attach(other, key)
        #expect(refused.contains(#""error":{"code":-32016,"#), "\(refused)")
        #expect(refused.contains("of another client, which didn't give it up"), "\(refused)")
        try one.send(Wire.request(9, "session/detach", #"{"session":1}"#))
        try one.readLines { $0.contains(#""id":9,"#) }
        let answer = try attach(other, key)
        #expect(answer.contains(#""handled":1"#) && answer.contains(#""title":"salt""#), "\(answer)")
        // And back.
        try other.send(Wire.request(9, "session/detach", #"{"session":1}"#))
        try other.readLines { $0.contains(#""id":9,"#) }
        #expect(try attach(one, key).contains(#""title":"salt""#))
    }

    @Test(.enabled(if: Tool.python.isInstalled, "Python isn't installed"))
    func `each event takes effect once while the process of its client is killed again and again`() throws {
        let folder = try TemporaryFolder()
        let server = try server(folder)
        let python = try story("kept", server)
        #expect(
            try python.lines() == [
                "killed 8 times", "every event took effect once, in order", "the view never ended",
            ])
        #expect(try python.end() == .status(0), "\(python.report)")
    }

    @Test(.enabled(if: Tool.python.isInstalled, "Python isn't installed"))
    func `an event whose handler traps is answered with that, and its session goes on`() throws {
        let folder = try TemporaryFolder()
        let server = try server(folder, Checkout.shop)
        let python = try story("traps", server)
        let lines = try python.lines()
        let reason =
            #/a process of this session ended each time that it handled this event: till.jam trapped \(SIG\w+\)/#
        #expect(lines.first?.wholeMatch(of: reason) != nil, "\(lines)")
        #expect(lines.dropFirst() == ["another one is answered the same", "the session goes on: 3"], "\(lines)")
        #expect(try python.end() == .status(0), "\(python.report)")
        var line: String? = ""
        while let other = line, !other.contains("till.jam trapped") { line = try server.errorLine() }
        #expect(line?.hasSuffix("ends, and every session with it that isn't stored") ?? false, "\(line ?? "")")
    }

    private func story(_ name: String, _ server: Program) throws -> Program {
        let script = Checkout.conformance("Clients/isolated.py")
        return try Program(
            Tool.python.command, [script, server.listeningAddress(), "\(server.process.id)", name],
            environment: ["PYTHONPATH": "\(Checkout.root)/clients/python"])
    }

    @Test func `no other server's clients are let into processes`() throws {
        let server = try Program(
            Checkout.server,
            ["--tcp", "0", "--isolate", "--store", "redis://127.0.0.1:1", "--advertise", "127.0.0.1:1"])
        #expect(try server.errorText().contains("--advertise goes with servers without --isolate"))
        #expect(try server.end() == .status(64))
    }
}
