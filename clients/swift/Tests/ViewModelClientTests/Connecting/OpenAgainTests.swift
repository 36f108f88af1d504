import Glibc
import JSON
import TestSupport
import Testing
import ViewModelClient

/// Opens that are sent again, since the connection was lost before their answers came.
@Suite(.inTurn, .timeLimit(.minutes(4))) struct OpenAgainTests {
    private func eager() -> ClientOptions {
        var options = ClientOptions()
        options.backoff = Backoff(first: .zero, longest: .zero)
        return options
    }

    @Test(arguments: ["to the server", "to the client"])
    func `wherever the connection breaks, an open makes one session, and all its events come`(_ way: String)
        async throws
    {
        try await withMemoryServer { server in
            var cutCount = 0
            // A connection that is cut within the first bytes never was one. At the end it lasts long enough.
            for bytes in stride(from: 150, through: 1_500, by: 9) {
                server.cutAfter {
                    way == "to the server" ? .init(toServer: bytes) : .init(toClient: bytes)
                }
                let news = Recorder<ClientNews>()
                var options = eager()
                options.receive = { news.record($0) }
                let client: Client
                do {
                    client = try await Client.connect(to: server.target, options, on: server.loop)
                } catch RemoteError.unreachable {
                    continue
                }
                server.cutAfter(nil)
                let before = server.sessionCount("counter")
                let seen = Recorder<ViewNews>()
                let view = try await client.open("counter", arguments: JSONText(#"{"start":7}"#)) { seen.record($0) }
                try await view.send(JSONText(#"{"kind":"increment","by":1}"#))
                #expect(server.sessionCount("counter") == before + 1, "cut after \(bytes) bytes")
                let events = [(7, 1), (8, 2)].map { count, seq in
                    ViewNews.event(JSONText(#"{"kind":"count","value":\#(count)}"#), seq: seq)
                }
                #expect(seen.elements == events, "cut after \(bytes) bytes")
                if news.elements.contains(where: { if case .state(.waiting) = $0 { true } else { false } }) {
                    cutCount += 1
                }
                // One whose `shutdown` is cut goes on for a while.
                await client.close()
            }
            #expect(cutCount > 10, "\(cutCount) of them came after the greeting")
        }
    }

    @Test func `a view whose first events are no longer kept when the open is sent again begins with a snapshot`()
        async throws
    {
        let news = Recorder<ViewNews>()
        let server = ScriptedServer { line in
            if line.contains(#""method":"initialize""#) { return [ScriptedServer.welcome] }
            if line.contains(#""method":"session/open""#) {
                return [
                    #"{"jsonrpc":"2.0","id":2,"result":{"session":1,"key":"k","viewModel":"a"}}"#,
                    #"{"jsonrpc":"2.0","method":"session/closed","params":{"session":1,"reason":"overflow"}}"#,
                ]
            }
            if line.contains(#""method":"session/attach""#) {
                let snapshot = #""seq":9,"snapshot":[{"kind":"one"}]"#
                return [#"{"jsonrpc":"2.0","id":3,"result":{"session":2,"viewModel":"a",\#(snapshot)}}"#]
            }
            return []
        }
        try await withLoop { loop in
            let client = try await Client.connect(to: server.target, on: loop)
            let view = try await client.open("a") { news.record($0) }
            let shown = ViewNews.snapshot(
                [JSONText(#"{"kind":"one"}"#)], seq: 9, shown: .shown(stack: [], presented: nil))
            #expect(await news.elements(count: 1) == [shown])
            #expect(server.received.elements.contains { $0.contains(#""since":0"#) })
            withExtendedLifetime(view) {}
        }
    }
}
