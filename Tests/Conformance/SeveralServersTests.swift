import FoundationEssentials
import Testing

/// What the article about several servers shows, and what `Tests/Servers` starts and ends.
@Suite(.ownThreadAtOnce, .serialized) struct SeveralServersTests {
    private static let hasAll =
        Tool.python.isInstalled && Tool.redis.isInstalled && Tool.haproxy.isInstalled && Tool.curl.isInstalled
    private static let comment: Comment = "Python, redis-server, HAProxy or curl isn't installed"
    private static let hasNginx =
        Tool.nginx.isInstalled && Tool.curl.isInstalled && Tool.netcat.isInstalled
        // Where Debian's libnginx-mod-stream puts it.
        && FileManager.default.fileExists(atPath: "/usr/lib/nginx/modules/ngx_stream_module.so")

    @Test func `the article shows the configuration that the script starts HAProxy with`() throws {
        let file = try String(contentsOfFile: "\(Checkout.root)/Tests/Servers/haproxy.cfg", encoding: .utf8)
        #expect(try OwnBlock.haproxy.block().text == file)
    }

    @Test(.enabled(if: Tool.haproxy.isInstalled, "HAProxy isn't installed"))
    func `HAProxy takes it without a warning`() throws {
        let haproxy = try Program(Tool.haproxy.command, ["-c", "-f", "\(Checkout.root)/Tests/Servers/haproxy.cfg"])
        let errorText = try haproxy.errorText()
        #expect(errorText == "")
        #expect(try haproxy.end() == .status(0))
    }

    @Test(.enabled(if: hasAll, comment))
    func `the script starts servers and their balancer, and leaves nothing behind`() throws {
        let script = "\(Checkout.root)/Tests/Servers/start"
        let start = try Program(Tool.python.command, [script, "--server", Checkout.server])
        var lines: [String] = []
        while lines.last?.hasPrefix("Ctrl-C") != true {
            lines.append(try #require(try start.line(), "\(start.report)"))
        }
        let processes = try start.process.children().map { try ProcessHandle($0) }
        // Redis, three servers and HAProxy.
        #expect(processes.count == 5, "\(lines)")
        let page = try #require(lines.first { $0.hasPrefix("HAProxy") }?.firstMatch(of: #/http:[^ ]*/#)?.output)
        #expect(try Program(Tool.curl.command, ["-s", "\(page)healthz"]).lines() == ["ready"])
        // The figures are those of one server.
        let metrics = ["-s", "-o", "/dev/null", "-w", "%{http_code}\n", "\(page)metrics"]
        #expect(try Program(Tool.curl.command, metrics).lines() == ["403"])
        let folder = try #require(lines.first { $0.hasPrefix("Redis") }?.firstMatch(of: #/\/\/(.*)\/redis /#)?.output.1)
        try start.signal(15)
        #expect(try start.end() == .status(0), "\(start.report)")
        for process in processes { #expect(process.ends()) }
        #expect(!FileManager.default.fileExists(atPath: String(folder)))
    }

    @Test(.enabled(if: hasAll, comment))
    func `servers end in every way, and clients lose nothing`() throws {
        let script = "\(Checkout.root)/Tests/Servers/run"
        // Beside all other tests nobody is in time.
        let arguments = ["--seconds", "10", "--clients", "24", "--lease", "2", "--any-pause"]
        let run = try Program(Tool.python.command, [script, "--server", Checkout.server] + arguments)
        let lines = try run.lines()
        #expect(lines.last == "kept", "\(lines)")
        #expect(try run.end() == .status(0), "\(run.report)")
    }

    @Test(.enabled(if: Tool.redis.isInstalled, "redis-server isn't installed"))
    func `a server that finds no Redis at its start waits for it, and says so`() throws {
        let folder = try TemporaryFolder()
        let arguments = ["--tcp", "0", "--store", "unix://\(folder.file("redis"))", "--log-level", "info"]
        let password = ["VIEW_MODEL_SERVER_STORE_PASSWORD": "secret-of-this-test"]
        let server = try Program(Checkout.server, arguments, environment: password)
        let line = try #require(try server.errorLine())
        #expect(line.contains("waiting for the store before clients are served: ") && line.contains("can't be reached"))
        let redis = try redis(in: folder)
        _ = try server.listeningAddress()
        try server.signal(15)
        #expect(try server.end() == .status(0))
        withExtendedLifetime(redis) {}
    }

    @Test(.enabled(if: Tool.redis.isInstalled, "redis-server isn't installed"))
    func `the unit starts a server on a Redis as the article sets it, and there is nothing to warn of`() throws {
        let folder = try TemporaryFolder()
        let redis = try redis(in: folder)
        for name in ["token", "store-password"] {
            try "secret-of-this-test\n".write(toFile: folder.file(name), atomically: false, encoding: .utf8)
        }
        let unit = try OwnBlock.severalUnit.block()
        let start = try #require(unit.lines.first { $0.hasPrefix("ExecStart=") }).dropFirst("ExecStart=".count)
        let places = [
            ("--tcp 127.0.0.1:%i", "--tcp 127.0.0.1:0"),
            // Where others would reach it. There are none.
            ("%i", "7351"), ("%d", folder.path), ("redis://127.0.0.1:6379", "unix://\(folder.file("redis"))"),
        ]
        let command = places.reduce(String(start)) { $0.replacing($1.0, with: $1.1) }
        let words = command.split(separator: " ").map(String.init)
        #expect(words.first == "/usr/local/bin/view-model-server" && !words.contains { $0.contains("%") })
        let server = try Program(Checkout.server, Array(words.dropFirst()))
        #expect(try server.errorLine()?.hasPrefix("listening on 127.0.0.1:") == true)
        try server.signal(15)
        #expect(try server.end() == .status(0))
        let place = try #require(words.firstIndex(of: "--advertise"))
        let hidden = try Program(Checkout.server, Array(words[1..<place] + words[(place + 2)...]))
        #expect(try hidden.errorLine()?.contains("without --advertise HOST:PORT no other server reaches") == true)
        _ = try hidden.listeningAddress()
        try hidden.signal(15)
        #expect(try hidden.end() == .status(0))
        withExtendedLifetime(redis) {}
    }

    /// With the article's settings and a password. Ready when this returns; it goes with the program.
    private func redis(in folder: TemporaryFolder) throws -> Program {
        try OwnBlock.redis.block().text.write(toFile: folder.file("redis.conf"), atomically: false, encoding: .utf8)
        let options = [
            "--port", "0", "--unixsocket", folder.file("redis"), "--dir", folder.path, "--requirepass",
            "secret-of-this-test",
        ]
        let redis = try Program(Tool.redis.command, [folder.file("redis.conf")] + options)
        try redis.readLines { $0.contains("eady to accept connections") }
        return redis
    }

    @Test(.enabled(if: hasNginx, "nginx, its stream module, curl or nc isn't installed"))
    func `through nginx clients reach a server by TCP and WebSocket, also where others are gone`() throws {
        let folder = try TemporaryFolder()
        let server = try Program.server("--tcp", "0")
        let nginx = try nginx(folder, server: server.listeningAddress())
        for _ in 1...3 {
            let client = try Program(Tool.netcat.command, ["-U", folder.file("tcp")])
            try client.send(Wire.initialize)
            #expect(Wire.isInitialized(try client.line()))
        }
        let curl = ["-s", "--unix-socket", folder.file("web")]
        #expect(try Program(Tool.curl.command, curl + ["http://localhost/healthz"]).lines() == ["ready"])
        let upgrade = [
            "-i", "-N", "-H", "Upgrade: websocket", "-H", "Connection: Upgrade", "-H", "Sec-WebSocket-Version: 13",
            "-H", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "http://localhost/ws",
        ]
        #expect(try Program(Tool.curl.command, curl + upgrade).line()?.contains(" 101 ") == true)
        withExtendedLifetime(nginx) {}
    }

    /// With one server and two addresses at which nobody listens. Started when this returns; it goes with the program.
    private func nginx(_ folder: TemporaryFolder, server address: String) throws -> Program {
        var text = try OwnBlock.severalNginx.block().text
        let places = [
            "listen 8080": "listen unix:\(folder.file("web"))", "listen 7350": "listen unix:\(folder.file("tcp"))",
            "127.0.0.1:7351": "127.0.0.1:1", "127.0.0.1:7352": "127.0.0.1:2", "127.0.0.1:7353": address,
        ]
        for (shown, here) in places {
            try #require(text.contains(shown))
            text = text.replacing(shown, with: here)
        }
        // It tries to make these in the system's folders otherwise.
        let kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        let own = kinds.map { "    \($0)_temp_path \(folder.file($0));\n" }.joined() + "    access_log off;\n"
        text = text.replacing("http {\n", with: "http {\n\(own)")
        try text.write(toFile: folder.file("nginx.conf"), atomically: false, encoding: .utf8)
        let settings = "daemon off; pid \(folder.file("pid")); error_log stderr notice;"
        let nginx = try Program(
            Tool.nginx.command, ["-p", folder.path, "-c", folder.file("nginx.conf"), "-g", settings])
        while let line = try nginx.errorLine(), !line.contains("start worker process") {}
        return nginx
    }
}
