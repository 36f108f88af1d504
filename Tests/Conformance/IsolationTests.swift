import FoundationEssentials
import Glibc
import Testing

/// A server with `--isolate`: each client's sessions are in a process of their own.
@Suite(.enabled(if: Tool.netcat.isInstalled, "nc isn't installed"), .ownThread) struct IsolationTests {
    private func isolated(_ arguments: String..., environment: [String: String] = [:]) throws -> Program {
        try Program(Checkout.server, ["--tcp", "0", "--isolate"] + arguments, environment: environment)
    }

    private func initialize(_ name: String) -> String {
        Wire.request(1, "initialize", #"{"clientInfo":{"name":"\#(name)"}}"#)
    }

    /// A client that has initialized.
    private func client(_ name: String, of address: String) throws -> Program {
        let client = try Program(netcat: address)
        try client.send(initialize(name))
        #expect(Wire.isInitialized(try client.line()))
        return client
    }

    /// Those that pass against a running server: the others need virtual time, or read more of a message than `nc` shows, or
    /// have view models of a scope, which they name.
    @Test(arguments: ["headers", "lines"])
    func `the transcripts pass`(_ framing: String) throws {
        let server = try isolated()
        let address = try server.listeningAddress()
        let names = [
            "arguments", "batch", "cancel", "counter", "describing", "errors", "hello", "navigation",
            "navigation-two-clients", "notifications", "opened-again", "orders", "orders-failing", "shutdown", "trace",
            "two-views",
        ]
        let paths = names.map { "\(Checkout.root)/Tests/Transcripts/\($0).jsonl" }
        let replay = try Program(Checkout.server, ["replay"] + paths + ["--to", address, "--framing", framing])
        let lines = try replay.lines()
        #expect(lines.last == "\(names.count) transcripts, 0 failed", "\(lines.joined(separator: "\n"))")
        #expect(try server.finishOrderly() == .status(0))
    }

    @Test func `a process that is killed ends its client's sessions alone, and the next open starts another`() throws {
        let server = try isolated()
        let address = try server.listeningAddress()
        let (one, other) = (try client("one", of: address), try client("other", of: address))
        for client in [one, other] {
            try client.send(Wire.open(2, "orders", #"{"count":1,"delay":60}"#), Wire.open(3, "counter"))
            try client.readLines { $0.contains(#""id":3,"result":{"session":2"#) }
            try client.readLines(upTo: Wire.viewModelEvent(2, 1, #"{"kind":"count","value":0}"#))
        }
        try one.send(
            Wire.request(
                4, "view/event", #"{"session":1,"event":{"kind":"loadOrders"},"workDoneToken":"load"}"#),
            Wire.viewEvent(5, 1, #"{"kind":"loadOrders"}"#))
        try one.readLines(upTo: Wire.viewModelEvent(1, 1, #"{"kind":"loading","value":true}"#))
        try server.crash("one")

        for id in 4...5 {
            let error = try #require(try one.line())
            #expect(error.hasPrefix(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-32014,"#), "\(error)")
            #expect(error.contains("was ended by SIGKILL"), "\(error)")
        }
        #expect(try one.line() == Wire.notification("$/progress", #"{"token":"load","value":{"kind":"end"}}"#))
        #expect(try one.line()?.contains(#""method":"window/logMessage""#) ?? false)
        for session in 1...2 {
            let closed = #"{"session":\#(session),"reason":"failed"}"#
            #expect(try one.line() == Wire.notification("session/closed", closed))
        }
        // Numbers of views aren't used again.
        try one.send(Wire.open(6, "counter"))
        #expect(try one.line()?.contains(#""id":6,"result":{"session":3,"#) ?? false)
        #expect(try one.line() == Wire.viewModelEvent(3, 1, #"{"kind":"count","value":0}"#))
        try one.send(Wire.viewEvent(7, 1, #"{"kind":"loadOrders"}"#))
        #expect(try one.line()?.contains(#""id":7,"error":{"code":-32012,"#) ?? false)

        try other.send(Wire.viewEvent(4, 2, #"{"kind":"increment","by":1}"#))
        #expect(try other.line() == Wire.viewModelEvent(2, 2, #"{"kind":"count","value":1}"#))
        #expect(try other.line() == Wire.result(4, #"{"seq":2}"#))
        // Another line, on scopes, comes a second after the start.
        try server.readErrorLines { $0.contains(#"of "one" was ended by SIGKILL; its sessions ended with it"#) }
    }

    @Test func `a batch that is under way is answered as a whole, and a client that only waits for answers has them`()
        throws
    {
        let server = try isolated()
        let client = try client("one", of: server.listeningAddress())
        try client.send(Wire.open(2, "orders", #"{"count":1,"delay":60}"#))
        try client.readLines { $0.contains(#""id":2,"result""#) }
        let load = #"{"kind":"loadOrders"}"#
        try client.send("[\(Wire.viewEvent(3, 1, load)),\(Wire.viewEvent(4, 1, load))]")
        client.closeInput()
        try client.readLines(upTo: Wire.viewModelEvent(1, 1, #"{"kind":"loading","value":true}"#))
        try server.crash("one")
        let answers = try #require(try client.line())
        #expect(answers.hasPrefix(#"[{"jsonrpc":"2.0","id":3,"error":{"code":-32014,"#), "\(answers)")
        #expect(answers.contains(#",{"jsonrpc":"2.0","id":4,"error":{"code":-32014,"#) && answers.hasSuffix("]"))
        #expect(try client.end() == .status(0))
    }

    @Test(arguments: [[], ["exit"], ["shutdown", "exit"]])
    func `what a client sends all at once is answered, also where it ends with exit`(_ ends: [String]) throws {
        let server = try isolated()
        let client = try Program(netcat: server.listeningAddress())
        try client.send(
            initialize("one"), Wire.open(2, "counter"), Wire.viewEvent(3, 1, #"{"kind":"increment","by":1}"#),
            Wire.notification("view/event", #"{"session":1,"event":{"kind":"increment","by":1}}"#))
        for end in ends { try client.send(end == "exit" ? Wire.notification(end) : Wire.request(4, end)) }
        client.closeInput()
        let lines = try client.lines()
        #expect(lines.contains(Wire.result(3, #"{"seq":2}"#)), "\(lines)")
        #expect(lines.contains(Wire.viewModelEvent(1, 3, #"{"kind":"count","value":2}"#)), "\(lines)")
        #expect(!ends.contains("shutdown") || lines.last == Wire.result(4, "null"), "\(lines)")
        #expect(try client.end() == .status(0))
    }

    @Test func `a client that said nothing of itself, and one that traces, are initialized again as they were`() throws
    {
        let server = try isolated()
        let client = try Program(netcat: server.listeningAddress())
        try client.send(
            Wire.initialize, Wire.notification("$/setTrace", #"{"value":"messages"}"#), Wire.request(2, "ping"))
        try client.readLines(upTo: Wire.result(2, "null"))
        let process = try #require(try server.processesOfClients()["clients without a name"])
        try check(kill(process.id, SIGKILL), "kill")
        try server.readErrorLines { $0.contains("was ended by SIGKILL") }
        try client.send(Wire.request(3, "ping"))
        try client.readLines { $0.contains("$/logTrace") && $0.contains("ping - (3)") }
        try client.readLines(upTo: Wire.result(3, "null"))
    }

    @Test func `a process that crashes again and again isn't started for a while, and others are`() throws {
        let server = try isolated("--limit", "isolatedCrashes=2")
        let address = try server.listeningAddress()
        let one = try client("one", of: address)
        for id in 2...3 {
            try server.crash("one", by: SIGSEGV)
            try server.readErrorLines { $0.contains(#"of "one" was ended by SIGSEGV"#) }
            try one.send(Wire.request(id, "ping"))
            if id == 2 { #expect(try one.line() == Wire.result(2, "null")) }
        }
        let error = try #require(try one.line())
        #expect(error.contains(#""id":3,"error":{"code":-32015,"#), "\(error)")
        #expect(error.contains(#""limit":"isolatedCrashes","retryAfterMs":"#), "\(error)")
        _ = try client("other", of: address)
    }

    @Test func `a process that uses too much memory is ended, and its client is told why`() throws {
        // Less than any process needs: it may be ended before it has answered anything.
        let server = try isolated("--limit", "isolatedBytes=1048576")
        let one = try Program(netcat: server.listeningAddress())
        try one.send(
            initialize("one"), Wire.open(2, "orders", #"{"count":1,"delay":60}"#),
            Wire.viewEvent(3, 1, #"{"kind":"loadOrders"}"#))
        let reason = #/was ended by SIGKILL: it used \d+ MiB, where 1 are allowed \(isolatedBytes\)/#
        try one.readLines { $0.contains(#""error":{"code":-32014,"#) && $0.contains(reason) }
        try server.readErrorLines { $0.contains(reason) && $0.hasSuffix("; its sessions ended with it") }
    }

    @Test(.enabled(if: Tool.python.isInstalled, "Python isn't installed"))
    func `a view model that allocates too much ends with its process, and others notice nothing`() throws {
        // Twice and more of what a process needs that does nothing, without optimization.
        let server = try isolated("--limit", "isolatedBytes=100MiB")
        let script = Checkout.conformance("Clients/isolated.py")
        let python = try Program(
            Tool.python.command, [script, server.listeningAddress(), "\(server.process.id)", "allocates"])
        let lines = try python.lines()
        let killed = #/the event that ran fails: the process of .* was ended by SIGKILL: it used \d+ MiB, where 100 .*/#
        #expect(lines.first == "more than one title was taken")
        #expect(lines.dropFirst().first?.wholeMatch(of: killed) != nil, "\(lines)")
        #expect(
            lines.dropFirst(2) == [
                "the view ends: failed", "the connection stays: True", "others notice nothing: True",
            ])
        #expect(try python.end() == .status(0), "\(python.report)")
        try server.readErrorLines {
            $0.contains(#"of "greedy" was ended by SIGKILL: it used "#) && $0.contains("(isolatedBytes)")
        }
    }

    @Test(.enabled(if: Tool.curl.isInstalled, "curl isn't installed"))
    func `the server's metrics are the sums over its processes, and no counter goes back`() throws {
        let server = try isolated()
        let address = try server.listeningAddress()
        func metrics() throws -> [Substring: Int] {
            let lines = try Program(Tool.curl.command, ["-s", "http://\(address)/metrics"]).lines()
            let samples = lines.filter { $0.hasPrefix("view_model_server_") }.map { $0.split(separator: " ") }
            return Dictionary(samples.map { ($0[0].dropFirst("view_model_server_".count), Int($0[1]) ?? -1) }) { $1 }
        }
        /// The processes report twice a second.
        func metrics(until isWanted: ([Substring: Int]) -> Bool) throws -> [Substring: Int] {
            let deadline = Deadline()
            while true {
                let metrics = try metrics()
                if isWanted(metrics) { return metrics }
                guard deadline.milliseconds > 0 else { throw Program.Late(description: "\(metrics)") }
            }
        }
        let (one, other) = (try client("one", of: address), try client("other", of: address))
        for client in [one, other] {
            try client.send(Wire.open(2, "counter"))
            try client.readLines(upTo: Wire.viewModelEvent(1, 1, #"{"kind":"count","value":0}"#))
        }
        try one.send(Wire.viewEvent(3, 1, #"{"kind":"increment","by":1}"#), Wire.viewEvent(4, 9, "{}"))
        try one.readLines { $0.contains(#""id":4,"error":{"code":-32012,"#) }
        let events: Substring = #"events_total{view_model="counter"}"#
        let sessions: Substring = #"sessions{view_model="counter"}"#
        let views: Substring = #"views{view_model="counter"}"#
        let both = try metrics { $0[events] == 3 && $0[#"errors_total{error="UnknownSession"}"#] == 1 }
        #expect(both[sessions] == 2 && both[views] == 2)
        #expect((both["kept_bytes"] ?? 0) > 0)

        try server.crash("one")
        try server.readErrorLines { $0.contains("was ended by SIGKILL") }
        let after = try metrics()
        #expect(after[sessions] == 1 && after[views] == 1 && after[events] == 3)
        #expect(after[#"errors_total{error="UnknownSession"}"#] == 1)

        // A process that ends in order says the last of it.
        try other.send(Wire.viewEvent(3, 1, #"{"kind":"increment","by":1}"#))
        try other.readLines(upTo: Wire.result(3, #"{"seq":2}"#))
        try server.crash("other", by: SIGTERM)
        try server.readErrorLines { $0.contains(#"of "other" exited"#) }
        let last = try metrics()
        #expect(last[sessions] == 0 && last[views] == 0 && last[events] == 4)
    }

    @Test func `a principal's clients share their sessions, and nobody else has them`() throws {
        let folder = try TemporaryFolder()
        let tokens = try folder.write(["ada ada-0123456789abcdef", "bob bob-0123456789abcdef"], to: "tokens")
        let server = try isolated("--token-file", tokens, environment: ["VIEW_MODEL_SERVER_TOKEN": "s3cret-0123456789"])
        let address = try server.listeningAddress()
        func client(_ principal: String) throws -> Program {
            let client = try Program(netcat: address)
            try client.send(Wire.request(1, "initialize", #"{"token":"\#(principal)-0123456789abcdef"}"#))
            #expect(Wire.isInitialized(try client.line()))
            return client
        }
        let (ada, page, bob) = (try client("ada"), try client("ada"), try client("bob"))
        try ada.send(Wire.open(2, "counter"))
        let opened = try #require(try ada.line())
        let key = try #require(opened.firstMatch(of: #/"key":"([^"]*)"/#)?.output.1)
        try page.send(Wire.request(2, "session/attach", #"{"key":"\#(key)","since":0}"#))
        #expect(try page.line()?.contains(#""id":2,"result":{"session":1,"#) ?? false)
        try bob.send(Wire.request(2, "session/attach", #"{"key":"\#(key)"}"#))
        #expect(try bob.line()?.contains(#""id":2,"error":{"code":-32012,"#) ?? false)
        let processes = try server.processesOfClients()
        #expect(processes.keys.sorted() == ["principal ada", "principal bob"])
        for process in processes.values {
            let environment = try String(contentsOfFile: "/proc/\(process.id)/environ", encoding: .utf8)
            #expect(environment.contains("PATH=") && !environment.contains("s3cret"))
        }
    }

    @Test(arguments: [SIGTERM, SIGKILL])
    func `nothing is left running when the server ends, however that is`(_ signal: Int32) throws {
        let server = try isolated()
        let address = try server.listeningAddress()
        let clients = try ["one", "other"].map { try client($0, of: address) }
        for client in clients {
            try client.send(Wire.open(2, "counter"))
            try client.readLines(upTo: Wire.viewModelEvent(1, 1, #"{"kind":"count","value":0}"#))
        }
        let processes = try server.processesOfClients()
        #expect(processes.count == 2)
        try server.signal(signal)
        #expect(try server.end() == (signal == SIGTERM ? .status(0) : .signal(SIGKILL)))
        for process in processes.values { #expect(process.ends()) }
        let last =
            signal == SIGTERM ? [Wire.notification("session/closed", #"{"session":1,"reason":"serverShutdown"}"#)] : []
        for client in clients {
            client.closeInput()
            #expect(try client.lines() == last)
        }
    }

    /// Nothing of the process itself can notice the server's end any more.
    @Test(arguments: [SIGTERM, SIGKILL])
    func `a process whose view model has closed its descriptors ends with the server`(_ signal: Int32) throws {
        let server = try Program(
            Checkout.shop, ["--tcp", "0", "--isolate", "--log-level", "info", "--limit", "drainGrace=0.1"])
        let client = try client("one", of: server.listeningAddress())
        try client.send(Wire.open(2, "mill"))
        try client.readLines { $0.contains(#""id":2,"result":{"session":1"#) }
        let process = try #require(try server.processesOfClients()["\"one\""])
        try client.send(Wire.viewEvent(3, 1, #"{"kind":"breakDown"}"#))
        // All but the standard output and error.
        while try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.id)/fd").count > 2 {}
        try server.signal(signal)
        #expect(try server.end() == (signal == SIGTERM ? .status(0) : .signal(SIGKILL)))
        #expect(process.ends())
    }

    @Test func `a process that has ended leaves no descriptor behind, though its client may come back`() throws {
        let server = try isolated()
        let address = try server.listeningAddress()
        func descriptors() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/\(server.process.id)/fd").count
        }
        let other = try client("other", of: address)
        let before = try descriptors()
        for name in ["one", "two", "three"] {
            let client = try client(name, of: address)
            try client.send(Wire.open(2, "counter"))
            try client.readLines(upTo: Wire.viewModelEvent(1, 1, #"{"kind":"count","value":0}"#))
            try server.crash(name)
            try client.readLines { $0.contains("session/closed") }
            #expect(try client.finish() == .status(0))
        }
        // The server closes a connection some time after its client has.
        while try descriptors() > before {}
        #expect(try other.finish() == .status(0))
    }

    @Test(.enabled(if: Tool.curl.isInstalled, "curl isn't installed"))
    func `a client that never opened anything leaves no process, and the figures are there`() throws {
        let server = try isolated()
        let address = try server.listeningAddress()
        let client = try client("one", of: address)
        let process = try #require(try server.processesOfClients()["\"one\""])
        let health = try Program(Tool.curl.command, ["-s", "http://\(address)/healthz"]).lines()
        #expect(health == ["ready", "1 processes run for clients, of 1 started; 0 crashed"])
        let metrics = try Program(Tool.curl.command, ["-s", "http://\(address)/metrics"]).lines()
        #expect(metrics.contains("view_model_server_isolated_processes 1"))
        #expect(metrics.contains("view_model_server_isolated_processes_crashed_total 0"))
        #expect(try client.finish() == .status(0))
        #expect(process.ends())
    }

    @Test func `a flood before login starts nothing, and names are bounded`() throws {
        let server = try isolated("--limit", "isolatedProcesses=2")
        let address = try server.listeningAddress()
        let flood = try Program(netcat: address)
        for id in 1...1_000 { try flood.send(Wire.request(id, "ping")) }
        for id in 1...1_000 {
            #expect(try flood.line()?.hasPrefix(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-32002,"#) ?? false)
        }
        #expect(try server.processesOfClients().isEmpty)
        let clients = try ["one", "other"].map { try client($0, of: address) }
        let third = try Program(netcat: address)
        try third.send(initialize("third"))
        #expect(try third.line()?.contains(#""data":{"limit":"isolatedProcesses","retryAfterMs":1000}"#) ?? false)
        #expect(try third.finish() == .status(0))
        #expect(try server.processesOfClients().count == 2)
        withExtendedLifetime(clients) {}
    }

    @Test(
        .enabled(if: Tool.python.isInstalled, "Python isn't installed"),
        arguments: [
            (
                "crash",
                [
                    "the event that ran fails: ServerError", "the views end: failed failed",
                    "the connection stays: True",
                    "a new session: {'kind': 'count', 'value': 1}",
                ]
            ),
            ("unread", ["others are answered", "the server holds little of it", "everything comes, in order"]),
            (
                "stopped",
                [
                    "nothing more is read for a process that is stopped", "others are answered",
                    "the server holds little of it", "then everything is answered",
                ]
            ),
        ])
    func `clients in Python go through a crash, and are held up where a process or they don't read`(
        _ story: String, _ lines: [String]
    ) throws {
        let server = try isolated()
        let script = Checkout.conformance("Clients/isolated.py")
        let python = try Program(
            Tool.python.command, [script, server.listeningAddress(), "\(server.process.id)", story],
            environment: ["PYTHONPATH": "\(Checkout.root)/clients/python"])
        #expect(try python.lines() == lines)
        #expect(try python.end() == .status(0), "\(python.report)")
    }

    @Test(.enabled(if: Tool.node.isInstalled, "Node isn't installed"))
    func `a page's client goes through a crash on one connection`() throws {
        let server = try isolated()
        let script = Checkout.conformance("Clients/isolated.mjs")
        let folder = "\(Checkout.root)/clients/javascript"
        let node = try Program(
            Tool.node.command, [script, folder, server.listeningAddress(), "\(server.process.id)"])
        #expect(
            try node.lines() == [
                "the event that ran fails: ViewModelFailed", "the views end: failed failed",
                "a new session handles events", "so does the session of another client",
                "states: connected all the time",
            ])
        #expect(try node.end() == .status(0), "\(node.report)")
    }

    @Test(arguments: [["--stdio"], ["--pipe", "path"], ["--socket", "1"], []])
    func `where the process is one client's already, it is refused`(_ transport: [String]) throws {
        let server = try Program(Checkout.server, ["--isolate"] + transport)
        #expect(try server.errorText().contains("--isolate"))
        #expect(try server.end() == .status(64))
    }
}
