import JSON
import TestSupport
import Testing
import ViewModelClient

@Suite(.timeLimit(.minutes(1))) struct ClientTests {
    @Test func `a program is started, and has ended when the client is closed`() async throws {
        let news = Recorder<ClientNews>()
        var options = ClientOptions()
        options.receive = { news.record($0) }
        let client = try await Client.connect(to: .program([Executable.path, "--stdio"]), options)
        #expect(client.server.viewModels.contains("orders"))
        await client.close()
        #expect(news.elements == [.state(.connecting), .state(.connected), .state(.closed(nil))])
    }

    @Test(arguments: [
        (["/nowhere/at/all"], "start /nowhere/at/all: No such file or directory"),
        (["no-such-program-anywhere"], "start no-such-program-anywhere: there is no such program in PATH"),
        (["true"], "true ended with status 0 before it answered"),
        (["sh", "-c", "exit 3"], "sh ended with status 3 before it answered"),
        (["sh", "-c", "read line; kill -9 $$"], "sh was ended by signal 9 before it answered"),
        (["sh", "-c", "exec 0<&- 1>&-; exit 7"], "sh ended with status 7 before it answered"),
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
}
