import FoundationEssentials
import Glibc
import Testing

/// `connect` as scripts use it, and as somebody at a terminal does.
@Suite(.ownThread) struct ConnectTests {
    /// The executable's output for a walk through the orders, line by line.
    private static let walk = [
        ("open orders delay=0 count=2", ["orders:"]),
        (
            "loadOrders",
            ["  loading true", "  orders count=2", "  loading false"]
        ),
        (
            "rows orders 1..2",
            [##"  1 id=1 name="Order #1""##, "  rows 1 to 1 of 2"]
        ),
        (
            "selectOrder 1",
            [
                "orders › orderDetails:", ##"  title "Details of Order #1""##, "  cancelled false",
                #"  note value="" isSaved=true"#,
            ]
        ),
        ("# a comment", []),
        ("cancelOrder", ["orders › orderDetails » confirmCancel:", ##"  question "Cancel Order #1?""##]),
        (
            "confirm",
            ["  [1 orders] cancelled id=1", "  [2 orderDetails] cancelled true", "orders › orderDetails:"]
        ),
        ("back", ["orders:"]),
        ("show cancelled", ["  cancelled id=1"]),
    ]

    @Test func `a script's lines are done one after the other, each with what came of it`() throws {
        for arguments in [["--", Checkout.server, "--stdio"], []] {
            let server = arguments.isEmpty ? try Program.server("--tcp", "0") : nil
            let address = try server.map { [try $0.listeningAddress()] } ?? []
            try Self.expectWalk(on: address + arguments)
        }
    }

    /// - Parameter target: as `connect` takes it.
    static func expectWalk(on target: [String]) throws {
        let program = try Program(Checkout.server, ["connect"] + target)
        try program.write(walk.map { $0.0 + "\n" }.joined())
        program.closeInput()
        let lines = try program.lines()
        // A handler is answered before what it took off the screen goes, so the two may change places.
        #expect(lines.sorted() == walk.flatMap(\.1).sorted())
        #expect(lines.first == "orders:" && lines.last == "  cancelled id=1")
        let errors = try program.errorText()
        #expect(errors == "… Loading orders\n… 2 orders 100 %")
        #expect(try program.end() == .status(0))
    }

    @Test func `what was left is listed with its key, and goes on with that`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("socket")
        let server = try Program.server("--unix", path, "--store", "sqlite:\(folder.file("store"))")
        _ = try server.listeningAddress()
        let first = try Program.server("connect", path)
        try first.write("open counter start=3\nopen todos list=garden\nadd title=Dig\nquit\n")
        first.closeInput()
        #expect(try first.end() == .status(0))
        let second = try Program.server("connect", path)
        try second.send("sessions")
        let kept = [try second.line() ?? "", try second.line() ?? ""].sorted()
        #expect(kept[0].contains(#"counter: {"start":3}  kept, last used "#) && kept[0].contains(" UTC  "))
        #expect(kept[1].contains("todos: 1 open, 0 done  kept, last used "))
        let key = try #require(kept[0].split(separator: " ").last)
        try second.write("attach \(key)\nsessions\n")
        #expect(try second.line() == "counter:")
        #expect(try second.line() == "  count 3")
        #expect(try second.line() == "* 1  counter  \(key)")
        #expect(try second.line() == kept[1])
        #expect(try second.finish() == .status(0))
    }

    @Test func `a session is shared by its key, or by one with which others only look`() throws {
        let server = try Program.server("--tcp", "0")
        let address = try server.listeningAddress()
        let first = try Program.server("connect", address)
        try first.write("open counter\nshare\nshare look\n")
        #expect(try first.line() == "counter:")
        #expect(try first.line() == "  count 0")
        let (key, lookingKey) = (try #require(try first.line()), try #require(try first.line()))
        #expect(key.count == 22 && lookingKey.count == 22 && key != lookingKey)
        let second = try Program.server("connect", address)
        try second.write("attach \(lookingKey)\nshare\n")
        let name = "view-model-server connect"
        #expect(try second.line() == "counter:")
        #expect(try second.line() == "  count 0")
        #expect(try second.line() == lookingKey)
        // Who is here is told a moment later.
        func sessions(_ program: Program) throws -> String {
            while true {
                try program.send("sessions")
                let line = try #require(try program.line())
                if line.contains("here: ") { return line }
            }
        }
        #expect(try sessions(first) == "* 1  counter  here: \(name), looking  \(key)")
        #expect(try sessions(second) == "* 1  counter  here: \(name)  \(lookingKey)")
        try second.write("increment by=1\n")
        second.closeInput()
        #expect(try second.end() == .status(1))
        let said = try second.errorText()
        #expect(said.contains("you may only look at counter"))
        #expect(said.contains(": this view was attached with a key that only lets it look"))
        #expect(try first.finish() == .status(0))
    }

    @Test func `a line is done before the next is read`() throws {
        let program = try Program.server("connect", "--open", "counter start=40", "--", Checkout.server, "--stdio")
        #expect(try program.line() == "counter:")
        #expect(try program.line() == "  count 40")
        for count in 41...43 {
            try program.send("increment by=1")
            #expect(try program.line() == "  count \(count)")
        }
        #expect(try program.finish() == .status(0))
    }

    @Test func `a script waits for an event that came already, that comes, and that never comes`() throws {
        let program = try Program.server("connect", "--open", "counter", "--", Checkout.server, "--stdio")
        let script = [
            "wait count value=0", "increment by=2", "wait count 2", "wait count value=2 --timeout 0.01",
            "wait cuont --timeout=0.01", "wait count value=x", "reset",
        ]
        try program.write(script.map { $0 + "\n" }.joined())
        program.closeInput()
        #expect(try program.lines() == ["counter:", "  count 0", "  count 2", "  count 0"])
        let errorText = try program.errorText()
        #expect(
            errorText == """
                line 4: no count value=2 came within 0.01 s; counter sends count, rows
                line 5: no cuont came within 0.01 s; counter sends count, rows
                line 6: value must be an integer, not x
                """)
        #expect(try program.end() == .status(1))
    }

    @Test(arguments: [
        ("increment", "line 1: increment needs by=INTEGER"), ("increment by=x", "line 1: by must be an integer, not x"),
        ("increment by=1\nnothing", #"line 2: counter has no event "nothing"; it takes increment, reset, load"#),
        ("open nothing", #"line 1: there is no view model "nothing" to open; there are "#), ("back", "line 1: "),
        ("attach nothing", "line 1: "),
        ("use 7", "line 1: there is no session 7 here; 'sessions' shows those that are"),
        ("\n\nincrement \"", #"line 3: the quote that begins at " isn't closed"#),
    ])
    func `a line that fails is named, the others are done, and the status is 1`(_ script: String, _ message: String)
        throws
    {
        let program = try Program.server("connect", "--open", "counter", "--", Checkout.server, "--stdio")
        try program.write(script + "\nreset\n")
        program.closeInput()
        #expect(try program.lines().last == "  count 0")
        let text = try program.errorText()
        #expect(text.hasPrefix(message), "\(text)")
        #expect(try program.end() == .status(1))
    }

    @Test(arguments: [SIGTERM, SIGHUP])
    func `a script that a signal ends says what isn't done, and what is kept`(_ number: Int32) throws {
        let folder = try TemporaryFolder()
        let store = "sqlite:\(folder.file("x.db"))"
        let program = try Program.server(
            "connect", "--open", "orders delay=100", "--", Checkout.server, "--stdio", "--store", store)
        _ = try program.line()
        try program.send("loadOrders")
        #expect(try program.errorLine() == "… Loading orders")
        try program.signal(number)
        #expect(try program.end() == .status(128 + number))
        let text = try program.errorText()
        #expect(text.contains("loadOrders may not have been handled"), "\(text)")
        #expect(text.contains("orders is kept, if it is durable: view-model-server connect --attach "), "\(text)")
    }

    @Test func `events are JSON where that is asked for`() throws {
        let program = try Program.server("connect", "--json", "--open", "counter", "--", Checkout.server, "--stdio")
        try program.send("increment by=2", "list")
        program.closeInput()
        #expect(
            try program.lines().prefix(2) == [
                #"{"session":1,"seq":1,"event":{"kind":"count","value":0}}"#,
                #"{"session":1,"seq":2,"event":{"kind":"count","value":2}}"#,
            ])
        #expect(try program.end() == .status(0))
    }

    @Test(
        arguments: [
            (["connect", "--frob"], 64, "'--frob'"), (["connect", "1", "2"], 64, "'2' is another"),
            (["connect", "1", "--", "server"], 64, "'--'"), (["connect", "/nowhere/socket"], 69, "/nowhere/socket"),
            (["connect", "--", "/nowhere/server"], 69, "/nowhere/server"), (["connect", "--", "true"], 69, "ended"),
            (["connect", "--token-file", "/nowhere/token"], 64, "/nowhere/token"),
        ] as [([String], Int32, String)])
    func `an unreachable or wrong target is named`(_ arguments: [String], _ status: Int32, _ word: String) throws {
        let program = try Program(Checkout.server, arguments)
        program.closeInput()
        let text = try program.errorText()
        #expect(text.contains(word), "\(text)")
        #expect(try program.lines() == [])
        #expect(try program.end() == .status(status))
    }

    @Test func `an event that a killed server never got is named, and what has ended is opened again`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("socket")
        let first = try Program.server("--unix", path)
        _ = try first.listeningAddress()
        let program = try Program.server("connect", path)
        try program.send("open counter start=5")
        #expect(try program.line() == "counter:")
        #expect(try program.line() == "  count 5")
        try first.signal(SIGKILL)
        #expect(try first.end() == .signal(SIGKILL))
        let lost = try program.errorLine()
        #expect(lost?.hasPrefix("the connection is lost (") == true, "\(lost ?? "")")
        #expect(
            lost?.hasSuffix("What is shown may be old; events wait, for as long as the server keeps the session.")
                == true, "\(lost ?? "")")
        try program.send("show", "increment by=1")
        #expect(try program.line() == "  count 5")
        #expect(try program.errorLine() == "this may be old: there is no connection")
        unlink(path)
        let second = try Program.server("--unix", path)
        _ = try second.listeningAddress()
        let gone = "the server doesn't know it any more"
        let remarks = try (0..<3).map { _ in try program.errorLine() }
        #expect(
            Set(remarks) == [
                "counter has ended: \(gone); 'reopen' opens it again",
                "line 3: increment by=1 was not sent: the session has ended: \(gone)",
                "connected again; the server has forgotten counter",
            ])
        try program.send("reopen", "increment by=1")
        #expect(try program.line() == "counter:")
        #expect(try program.line() == "  count 5")
        #expect(try program.line() == "  count 6")
        #expect(try program.finish() == .status(1))
        try second.signal(SIGTERM)
        #expect(try second.end() == .status(0))
    }

    /// It is attached, and fails then; or isn't attached.
    @Test(
        .enabled(if: Tool.python.isInstalled, "Python isn't installed"),
        arguments: [("saved", "text", "\"x\"", "7"), ("session", "viewModel", "nothing", "counter")])
    func `a session that can't go on for a while isn't said to be forgotten, and is gone back to by its key`(
        _ table: String, _ column: String, _ broken: String, _ right: String
    ) throws {
        let folder = try TemporaryFolder()
        let (path, file) = (folder.file("socket"), folder.file("x.db"))
        func store(_ text: String) throws {
            let script = """
                import sqlite3, sys
                store = sqlite3.connect(sys.argv[1])
                store.execute("UPDATE \(table) SET \(column) = CAST(? AS BLOB)", [sys.argv[2]])
                store.commit()
                """
            let python = try Program(Tool.python.command, ["-c", script, file, text])
            #expect(try python.end() == .status(0), "\(python.report)")
        }
        let first = try Program.server("--unix", path, "--store", "sqlite:\(file)")
        _ = try first.listeningAddress()
        let program = try Program.server("connect", path)
        try program.send("open counter start=5", "increment by=2")
        #expect(try (0..<3).map { _ in try program.line() } == ["counter:", "  count 5", "  count 7"])
        try first.signal(SIGKILL)
        #expect(try first.end() == .signal(SIGKILL))
        #expect(try program.errorLine()?.hasPrefix("the connection is lost (") == true)
        try store(broken)
        unlink(path)
        let second = try Program.server("--unix", path, "--store", "sqlite:\(file)")
        _ = try second.listeningAddress()
        // In either order.
        var remarks = ""
        while !(remarks.contains("connected again") && remarks.contains("has ended")) {
            remarks += try #require(try program.errorLine(), "\(remarks)") + "\n"
        }
        #expect(!remarks.contains("forgotten"), "\(remarks)")
        let advice = try #require(
            remarks.firstMatch(
                of: /counter has ended: .*; if the session is kept, '(attach .*)' goes back to it/),
            "\(remarks)")
        try store(right)
        try program.send(String(advice.1), "increment by=1")
        let lines = try (0..<4).map { _ in try program.line() }
        #expect(lines == ["counter:", "  count 5", "  count 7", "  count 8"])
        try second.signal(SIGTERM)
        #expect(try second.end() == .status(0))
    }

    @Test func `a script ends where its server dies under an event and doesn't come back`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("socket")
        let server = try Program.server("--unix", path)
        _ = try server.listeningAddress()
        let program = try Program.server("connect", "--reconnect-time", "0.1", path)
        try program.write("open orders delay=3600 count=2\nloadOrders\nshow\n")
        program.closeInput()
        #expect(try program.errorLine() == "… Loading orders")
        try server.signal(SIGKILL)
        #expect(try server.end() == .signal(SIGKILL))
        #expect(try program.errorLine()?.hasPrefix("the connection is lost (") == true)
        #expect(try program.errorLine() == "line 2: loadOrders may not have been handled")
        #expect(
            try program.errorLine()
                == "view-model-server: the connection has ended: it couldn't be made again within 0.1 seconds")
        #expect(try program.end() == .status(69))
    }

    @Test func `a token opens the door`() throws {
        let secret = ["VIEW_MODEL_SERVER_TOKEN": "open sesame, please"]
        let server = try Program.server("--tcp", "0", environment: secret)
        let address = try server.listeningAddress()
        let stranger = try Program.server("connect", address)
        #expect(try stranger.finish() == .status(69))
        let guest = try Program.server("connect", address, environment: secret)
        try guest.send("open hello")
        #expect(try guest.finish() == .status(0), "\(guest.report)")
    }

    @Test(.enabled(if: Tool.tmux.isInstalled && Tool.python.isInstalled, "tmux or Python isn't installed"))
    func `somebody types in a terminal`() throws {
        let server = try Program.server("--tcp", "0")
        let script = Checkout.conformance("Clients/connect.py")
        let python = try Program(
            Tool.python.command, [script, Checkout.server, server.listeningAddress()])
        #expect(
            try python.lines() == [
                "the view models are listed",
                "commands, arguments and kinds are completed, and the list is shown",
                "a wrong member is refused with what is expected",
                "a refused back is said in words",
                "the prompt shows the stack, and the order is cancelled",
                "progress is shown, and Ctrl-C cancels",
                "Ctrl-C clears the line",
                "events that come while one types stand above the prompt",
                "a screen of another size shows the line once",
                "the line is edited",
                "it stops and goes on",
                "the terminal is as it was, however it ends",
                "lines that were typed come back in the next run",
                "after a cut connection nothing is lost and nothing comes twice",
            ])
        #expect(try python.end() == .status(0), "\(python.report)")
    }

    @Test(.enabled(if: Tool.tmux.isInstalled && Tool.python.isInstalled, "tmux or Python isn't installed"))
    func `somebody finds files in a terminal`() throws {
        let python = try Program(Tool.python.command, [Checkout.conformance("Clients/find.py"), Checkout.server])
        #expect(
            try python.lines() == [
                "files are found as one types",
                "the selection moves",
                "Enter opens the file in the editor, and comes back",
                "lines are found, and opened at their numbers",
                "the file is previewed where there is room",
                "Escape, Ctrl-G and Ctrl-C close it, and the screen is as it was",
                "it stops and goes on",
                "the terminal is as it was, however it ends",
                "without an editor the place is printed",
            ])
        #expect(try python.end() == .status(0), "\(python.report)")
    }

    @Test func `a script finds files, and lines in them`() throws {
        let folder = try TemporaryFolder()
        try "one\nlet needle = 1\n".write(toFile: folder.file("a b.swift"), atomically: false, encoding: .utf8)
        try "two\n".write(toFile: folder.file("c.txt"), atomically: false, encoding: .utf8)
        let inFolder = ["sh", "-c", "cd \"$0\" && exec \"$1\" --stdio", folder.path, Checkout.server]
        let program = try Program(Checkout.server, ["connect", "--"] + inFolder)
        let script = [
            "find swift$", "find needle mode=text", "find nothing", "find x mode=lines", "find root=/nowhere/at/all",
            "find hidden=7",
        ]
        try program.write(script.map { $0 + "\n" }.joined())
        program.closeInput()
        #expect(try program.lines() == ["a b.swift", "a b.swift:2:let needle = 1"])
        let errors = try program.errorText().split(separator: "\n")
        #expect(errors.first == "line 4: mode must be one of files, text, regex, not lines")
        #expect(errors.dropFirst().map { $0.prefix(7) } == ["line 5:", "line 6:"], "\(errors)")
        #expect(try program.end() == .status(1))
    }
}

/// The same, where most of the time is spent waiting for a server that says nothing: this begins with the first tests, and the
/// others don't wait for it.
@Suite(.ownThreadAtOnce) struct LeavingTests {
    @Test(.enabled(if: Tool.tmux.isInstalled && Tool.python.isInstalled, "tmux or Python isn't installed"))
    func `somebody leaves, ends a session, and has a server that says nothing`() throws {
        let python = try Program(Tool.python.command, [Checkout.conformance("Clients/leave.py"), Checkout.server])
        let lines = try python.lines()
        #expect(
            lines == [
                "who leaves doesn't end the session, for others or for oneself, and is told how to come back",
                "a session that others see is ended by a second 'close', right behind the first",
                "a server that says nothing is noticed, what waits is marked, and it asks before it leaves",
                "who leaves all the same is told what wasn't done",
                "a server of one's own that says nothing is waited for",
                "who leaves by Ctrl-C, or is ended by a signal, is told what may not have been handled",
                "a server that doesn't greet is said to be waited for",
            ], "\(lines)")
        #expect(try python.end() == .status(0), "\(python.report)")
    }
}
