import JSON
import TestSupport
import Testing
import Transport
import ViewModelClient

@Suite(.inTurn, .timeLimit(.minutes(4))) struct ClientTests {
    @Test func `a program is started, and has ended when the client is closed`() async throws {
        let news = Recorder<ClientNews>()
        var options = ClientOptions()
        options.receive = { news.record($0) }
        let client = try await Client.connect(to: .program([Executable.path, "--stdio"]), options)
        #expect(client.server.viewModels.contains("orders"))
        #expect(client.server.types["orders"] == "Examples.OrdersViewModel")
        await client.close()
        #expect(news.elements == [.state(.connecting), .state(.connected), .state(.closed(nil))])
        await #expect(throws: RemoteError.closed) { _ = try await client.describe("orders") }
    }

    @Test(arguments: [
        (["/nowhere/at/all"], "start /nowhere/at/all: No such file or directory"),
        (["no-such-program-anywhere"], "start no-such-program-anywhere: there is no such program in PATH"),
        (["true"], "true ended with status 0 before it answered"),
        (["sh", "-c", "exit 3"], "sh ended with status 3 before it answered"),
        (["sh", "-c", "read line; kill -9 $$"], "sh was ended by signal 9 before it answered"),
        (["sh", "-c", "exec 0<&- 1>&-; exit 7"], "sh ended with status 7 before it answered"),
        // Another one keeps its output open.
        (
            ["sh", "-c", "exec 3<&0; while read line; do :; done <&3 & exit 4"],
            "sh ended with status 4 before it answered"
        ),
    ])
    func `a program that isn't there or doesn't stay is told as that`(command: [String], reason: String) async throws {
        await #expect(throws: RemoteError.unreachable(reason)) {
            _ = try await Client.connect(to: .program(command))
        }
    }

    @Test(arguments: [
        #"echo hello"#,
        #"printf 'Content-Length: x\r\n\r\n'"#,
        #"echo '{"jsonrpc":'"#,
        #"echo '{"jsonrpc":"2.0","id":1,"result":{}}'"#,
        #"echo '{"jsonrpc":"2.0","id":1,"result":7}'"#,
        #"echo '[]'"#,
        #"printf '{"a\0":\n'"#,
    ])
    func `a server that speaks something else is left`(script: String) async throws {
        let error = await #expect(throws: RemoteError.self) {
            _ = try await Client.connect(to: .program(["sh", "-c", "\(script); exec cat >/dev/null"]))
        }
        guard case .invalidMessage = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `where nobody listens there is no server`() async throws {
        try await withSocketPath { path in
            await #expect(throws: RemoteError.unreachable("connect \(path): No such file or directory")) {
                _ = try await Client.connect(to: .unix(path))
            }
        }
        // A port that was free a moment ago, and nobody's since.
        let port = try await freePort()
        await #expect(throws: RemoteError.unreachable("connect 127.0.0.1:\(port): Connection refused")) {
            _ = try await Client.connect(to: .tcp(host: "127.0.0.1", port: port))
        }
    }

    private func freePort() async throws -> UInt16 {
        let loop = try EventLoop(name: "port")
        try loop.start()
        let port = try await withCheckedThrowingContinuation { continuation in
            loop.execute {
                continuation.resume(
                    with: Result {
                        let listener = try Listener.tcp(host: "127.0.0.1", port: 0, on: loop) { $0.close() }
                        listener.close()
                        return listener.port ?? 1
                    })
            }
        }
        loop.stop()
        await loop.join()
        return port
    }

    @Test(arguments: ["wrong", nil])
    func `a server that wants a token lets in who has it`(token: String?) async throws {
        try await withMemoryServer(token: "open sesame") { server in
            var options = ClientOptions()
            options.token = token
            let error = await #expect(throws: RemoteError.self) {
                _ = try await Client.connect(to: server.target, options, on: server.loop)
            }
            guard case .notAllowed(let reason) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.hasPrefix("the token is wrong or missing"))
            options.token = "open sesame"
            try await Client.connect(to: server.target, options, on: server.loop).close()
        }
    }

    @Test func `a server that is silent is left after the client's patience`() async throws {
        try await withLoop { loop in
            let (script, clock) = (ScriptedServer(), ManualClock())
            var options = ClientOptions()
            (options.clock, options.patience) = (clock, .seconds(30))
            let connecting = Task { [options] in try await Client.connect(to: script.target, options, on: loop) }
            _ = await script.received.elements(count: 1)
            await clock.sleepers(1)
            clock.advance(by: .seconds(30))
            let error = await #expect(throws: RemoteError.self) { _ = try await connecting.value }
            #expect(error == .unreachable("script didn't answer within 30.0 seconds"))
        }
    }

    @Test func `who gives up while it connects is told so at once`() async throws {
        try await withLoop { loop in
            let script = ScriptedServer()
            let connecting = Task { try await Client.connect(to: script.target, on: loop) }
            _ = await script.received.elements(count: 1)
            connecting.cancel()
            await #expect(throws: CancellationError.self) { _ = try await connecting.value }
        }
    }

    @Test func `it says who it is`() async throws {
        try await withLoop { loop in
            let script = ScriptedServer { $0.contains("initialize\"") ? [ScriptedServer.welcome] : [] }
            var options = ClientOptions()
            (options.name, options.version, options.token) = ("test", "1.2", "secret")
            let client = try await Client.connect(to: script.target, options, on: loop)
            let lines = await script.received.elements(count: 2)
            let start =
                #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1.2","#
                + #""clientInfo":{"name":"test","version":"1.2"},"processId":"#
            #expect(lines[0].hasPrefix(start) && lines[0].hasSuffix(#","token":"secret"}}"#), "\(lines[0])")
            #expect(lines[1] == #"{"jsonrpc":"2.0","method":"initialized","params":{}}"#)
            #expect(client.server.types == ["b": "M.B"], "an older server tells no type, and children have one, too")
            withExtendedLifetime(client) {}
        }
    }

    @Test func `an answer to nothing is told and has no effect`() async throws {
        try await withLoop { loop in
            let script = ScriptedServer { line in
                line.contains("initialized")
                    ? [#"{"jsonrpc":"2.0","id":99,"result":null}"#]
                    : line.contains("initialize") ? [ScriptedServer.welcome] : []
            }
            let news = Recorder<ClientNews>()
            var options = ClientOptions()
            options.receive = { news.record($0) }
            let client = try await Client.connect(to: script.target, options, on: loop)
            #expect(await news.elements(count: 3).last == .ignored("a response (99) to nothing that was asked"))
            withExtendedLifetime(client) {}
        }
    }
}
