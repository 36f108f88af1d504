import FoundationEssentials
import Testing

@Suite(.enabled(if: Tool.netcat.isInstalled, "nc isn't installed"), .ownThread)
struct TokenTests {
    private static let unauthorized = #"{"jsonrpc":"2.0","id":1,"error":{"code":-32010,"#

    @Test(arguments: [#"{"token":"wrong"}"#, #"{"token":""}"#, "{}"])
    func `a wrong token is refused and the connection closed`(_ params: String) throws {
        let (server, folder) = try serverWithToken()
        defer { withExtendedLifetime(folder) {} }
        let client = try Program(netcat: loopback(server))
        try client.send(Wire.request(1, "initialize", params))
        #expect(try client.line()?.hasPrefix(Self.unauthorized) ?? false)
        #expect(try client.finish() == .status(0))
        #expect(try client.lines() == [])
    }

    /// Or a client could guess as fast as it can send.
    @Test func `nothing that was sent behind a wrong token is answered, the right token neither`() throws {
        let (server, folder) = try serverWithToken()
        defer { withExtendedLifetime(folder) {} }
        let client = try Program(netcat: loopback(server))
        try client.send(
            Wire.request(1, "initialize", #"{"token":"wrong"}"#),
            Wire.request(2, "initialize", #"{"token":"s3cret-0123456789"}"#),
            Wire.request(3, "ping"))
        #expect(try client.line()?.hasPrefix(Self.unauthorized) ?? false)
        #expect(try client.finish() == .status(0))
        #expect(try client.lines() == [])
    }

    @Test(arguments: [#"{"token":"s3cret-0123456789"}"#, #"{"initializationOptions":{"token":"s3cret-0123456789"}}"#])
    func `the right token lets a client in`(_ params: String) throws {
        let (server, folder) = try serverWithToken()
        defer { withExtendedLifetime(folder) {} }
        let client = try Program(netcat: loopback(server))
        try client.send(Wire.request(1, "initialize", params), Wire.request(2, "ping"))
        #expect(Wire.isInitialized(try client.line()))
        #expect(try client.line() == Wire.result(2, "null"))
    }

    @Test func `a token may come from the environment`() throws {
        let server = try Program.server(
            "--tcp", "127.0.0.1:0", environment: ["VIEW_MODEL_SERVER_TOKEN": "s3cret-0123456789"])
        let client = try Program(netcat: server.listeningAddress())
        try client.send(Wire.initialize)
        #expect(try client.line()?.hasPrefix(Self.unauthorized) ?? false)
    }

    @Test func `a token is made for one run, and stands behind the # of the page's address`() throws {
        let server = try Program.server("--tcp", "0", "--token", "auto")
        let address = try server.listeningAddress()
        let line = try #require(try server.errorLine())
        let page = try #require(line.split(separator: " ").last)
        #expect(page.hasPrefix("http://\(address)/#token="))
        let token = page.dropFirst("http://\(address)/#token=".count)
        #expect(token.utf8.count == 22 && line.contains("the token \(token);"))
        let stranger = try Program(netcat: address)
        try stranger.send(Wire.initialize)
        #expect(try stranger.line()?.hasPrefix(Self.unauthorized) ?? false)
        let client = try Program(netcat: address)
        try client.send(Wire.request(1, "initialize", #"{"token":"\#(token)"}"#))
        #expect(Wire.isInitialized(try client.line()))
    }

    @Test(.enabled(if: Tool.curl.isInstalled, "curl isn't installed"), arguments: [true, false])
    func `with a token, the metrics want it, unless they are open`(_ isOpen: Bool) throws {
        let server = try Program(
            Checkout.server, ["--tcp", "0"] + (isOpen ? ["--open-metrics"] : []),
            environment: ["VIEW_MODEL_SERVER_TOKEN": "s3cret-0123456789"])
        let page = "http://\(try server.listeningAddress())/metrics"
        let status = ["-s", "-o", "/dev/null", "-w", "%{http_code}\n", page]
        #expect(try Program(Tool.curl.command, status).line() == (isOpen ? "200" : "401"))
        let header = ["-H", "Authorization: Bearer s3cret-0123456789"]
        #expect(try Program(Tool.curl.command, header + status).line() == "200")
    }

    @Test(.enabled(if: Tool.curl.isInstalled, "curl isn't installed"))
    func `each principal of a file has a token of its own, for the metrics too`() throws {
        let folder = try TemporaryFolder()
        let tokens = ["ada": "ada-0123456789abcdef", "bob": "bob-0123456789abcdef"]
        try Data("# two people\nada \(tokens["ada"] ?? "")\n\nbob\t\(tokens["bob"] ?? "")\n".utf8)
            .write(to: URL(filePath: folder.file("tokens")))
        let server = try Program.server(
            "--tcp", "0.0.0.0:0", "--token-file", folder.file("tokens"), "--log-level", "info")
        let address = try loopback(server)
        for (name, token) in tokens.sorted(by: { $0.key < $1.key }) {
            let client = try Program(netcat: address)
            try client.send(Wire.request(1, "initialize", #"{"token":"\#(token)"}"#))
            #expect(Wire.isInitialized(try client.line()))
            #expect(try server.errorLine()?.hasSuffix("a client initialized as \(name)") ?? false)
            let header = ["-s", "-o", "/dev/null", "-w", "%{http_code}\n", "-H", "Authorization: Bearer \(token)"]
            #expect(try Program(Tool.curl.command, header + ["http://\(address)/metrics"]).line() == "200")
        }
        let stranger = try Program(netcat: address)
        try stranger.send(Wire.request(1, "initialize", #"{"token":"ada"}"#))
        #expect(try stranger.line()?.hasPrefix(Self.unauthorized) ?? false)
    }

    @Test(arguments: [
        ("ada ada-0123456789abcdef\nada bob-0123456789abcdef\n", ":2: ada has a token already, in line 1"),
        ("#\nada short", ":2: the token of ada has 5 bytes; make 16 or more at random"),
        ("abc\n", ": the token has 3 bytes; make 16 or more at random, as by 'openssl rand -hex 16'"),
        ("#\n", ": there is no token in it"),
    ])
    func `a mistake in a file of tokens is told with its line`(_ text: String, _ words: String) throws {
        let folder = try TemporaryFolder()
        try Data(text.utf8).write(to: URL(filePath: folder.file("tokens")))
        let server = try Program.server("--tcp", "0", "--token-file", folder.file("tokens"))
        #expect(try server.errorText().contains("--token-file \(folder.file("tokens"))\(words)\n"))
        #expect(try server.end() == .status(64))
    }

    @Test func `a short token from the environment is refused, too, and a client may have one`() throws {
        let short = ["VIEW_MODEL_SERVER_TOKEN": "fifteen letters"]
        let server = try Program.server("--tcp", "0", environment: short)
        #expect(try server.errorText().contains("VIEW_MODEL_SERVER_TOKEN: the token has 15 bytes; make 16 or more"))
        #expect(try server.end() == .status(64))
        #expect(try Program.server("connect", "127.0.0.1:1", environment: short).finish() == .status(69))
    }

    @Test func `a client that is given the tokens of several says which file it needs`() throws {
        let folder = try TemporaryFolder()
        try Data("ada ada-0123456789abcdef\nbob bob-0123456789abcdef\n".utf8)
            .write(to: URL(filePath: folder.file("tokens")))
        let client = try Program.server("connect", "127.0.0.1:1", "--token-file", folder.file("tokens"))
        #expect(
            try client.errorText().contains("it has the tokens of ada, bob; put the one to send into a file of its own")
        )
        #expect(try client.end() == .status(64))
    }

    @Test func `a limit of the command line holds`() throws {
        let server = try Program.server("--tcp", "0", "--limit", "initialBytes=1KiB", "--limit=sessions=1")
        let address = try server.listeningAddress()
        let client = try Program(netcat: address)
        try client.send(Wire.initialize, Wire.open(2, "hello"), Wire.open(3, "hello"))
        #expect(Wire.isInitialized(try client.line()))
        try client.readLines { $0.hasPrefix(#"{"jsonrpc":"2.0","id":3,"error":{"code":-32015,"#) }
        let stranger = try Program(netcat: address)
        try stranger.send(Wire.request(1, "initialize", #"{"x":"\#(String(repeating: "x", count: 2_000))"}"#))
        #expect(try stranger.line()?.contains(#""data":{"limit":"initialBytes"}"#) ?? false)
    }

    /// On every address of this machine. The folder has the token and must outlive the start.
    private func serverWithToken() throws -> (Program, TemporaryFolder) {
        let folder = try TemporaryFolder()
        try Data("s3cret-0123456789\n".utf8).write(to: URL(filePath: folder.file("token")))
        return (try Program.server("--tcp", "0.0.0.0:0", "--token-file", folder.file("token")), folder)
    }

    private func loopback(_ server: Program) throws -> String {
        let address = try server.listeningAddress()
        #expect(address.hasPrefix("0.0.0.0:"))
        return "127.0.0.1:" + (address.split(separator: ":").last ?? "")
    }
}
