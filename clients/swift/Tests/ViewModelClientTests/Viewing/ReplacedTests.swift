import JSON
import TestSupport
import Testing
import ViewModelClient

/// A view that another one with its name has taken the place of: mostly what its client sent on an earlier connection, and
/// the server read late.
@Suite(.inTurn, .timeLimit(.minutes(2))) struct ReplacedTests {
    /// Ends each view as replaced, `limit` times.
    private func script(_ limit: Int) -> ScriptedServer {
        let ended = Locked(0)
        return ScriptedServer { line in
            if line.contains(#""initialize""#) { return [ScriptedServer.welcome] }
            guard let id = line.firstMatch(of: /"id":([0-9]+)/)?.1 else { return [] }
            let start = #"{"jsonrpc":"2.0","id":\#(id),"result":"#
            let number = ended.with { ended in
                ended += 1
                return ended
            }
            let event =
                ##"{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":1,"event":{"kind":"x"}}}"##
            let end =
                #"{"jsonrpc":"2.0","method":"session/closed","params":{"session":\#(number),"reason":"replaced"}}"#
            let ends = number <= limit ? [end] : []
            if line.contains("session/open") {
                return [start + #"{"session":1,"key":"key","viewModel":"a","epoch":"7"}}"#, event] + ends
            }
            if line.contains("session/attach") {
                let members = #""viewModel":"a","seq":5,"epoch":"8","snapshot":[{"kind":"y"}],"handled":0"#
                return [start + #"{"session":\#(number),\#(members)}}"#] + ends
            }
            return [start + "null}"]
        }
    }

    private func attachments(_ server: ScriptedServer) -> [String] {
        server.received.elements.filter { $0.contains("session/attach") }
    }

    @Test func `its client attaches again once, with the epoch of what it has`() async throws {
        try await withLoop { loop in
            let (server, news) = (script(1), Recorder<ViewNews>())
            let client = try await Client.connect(to: server.target, on: loop)
            let view = try await client.open("a") { news.record($0) }
            let shown = RemoteNavigation.shown(stack: [], presented: nil)
            #expect(
                await news.elements(count: 2) == [
                    .event(JSONText(#"{"kind":"x"}"#), seq: 1),
                    .snapshot([JSONText(#"{"kind":"y"}"#)], seq: 5, shown: shown),
                ])
            try await client.ping()
            let attachments = attachments(server)
            #expect(attachments.count == 1 && attachments[0].contains(#""since":1,"epoch":"7""#))
            withExtendedLifetime(view) {}
            await client.close()
        }
    }

    @Test func `it ends where that happens again on the same connection, as another client has the name`() async throws
    {
        try await withLoop { loop in
            let (server, news) = (script(2), Recorder<ViewNews>())
            let client = try await Client.connect(to: server.target, on: loop)
            let view = try await client.open("a") { news.record($0) }
            #expect(await news.elements(count: 3).last == .ended(.sessionEnded(.replaced)))
            try await client.ping()
            #expect(attachments(server).count == 1)
            withExtendedLifetime(view) {}
            await client.close()
        }
    }
}
