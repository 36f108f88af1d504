import JSON
import Sessions
import TestSupport
import Testing
import ViewModelClient

@Suite(.inTurn, .timeLimit(.minutes(4))) struct ClientViewTests {
    /// Whether an error is the server's, with this code.
    private func isRefusal(_ error: RemoteError?, _ code: Int) -> Bool {
        if case .refused(let refusal) = error { refusal.code == code } else { false }
    }

    @Test func `a view hears what its view model sends, and its event is answered when it was handled`() async throws {
        try await withMemoryServer { server in
            let client = try await Client.connect(to: server.target, on: server.loop)
            #expect(client.server.viewModels.contains("counter"))
            let news = Recorder<ViewNews>()
            let view = try await client.open("counter", arguments: JSONText(#"{"start":5}"#)) { news.record($0) }
            #expect(try await view.send(JSONText(#"{"kind":"increment","by":2}"#)) == 2)
            #expect(
                news.elements == [
                    .event(JSONText(#"{"kind":"count","value":5}"#), seq: 1),
                    .event(JSONText(#"{"kind":"count","value":7}"#), seq: 2),
                ])
            try await view.close()
            await client.close()
            #expect(news.elements.count == 2)
        }
    }

    @Test func `events that are sent without waiting are handled in the order of the calls`() async throws {
        try await withMemoryServer { server in
            let client = try await Client.connect(to: server.target, on: server.loop)
            let (news, answers) = (Recorder<ViewNews>(), Recorder<Int>())
            let view = try await client.open("counter") { news.record($0) }
            for place in 0..<20 {
                let event = JSONText(#"{"kind":"increment","by":\#(1 << place)}"#)
                view.send(event) { answers.record((try? $0.get()) ?? 0) }
            }
            #expect(await answers.elements(count: 20) == Array(2...21))
            let counts = (0...20).map { place in
                ViewNews.event(JSONText(#"{"kind":"count","value":\#((1 << place) - 1)}"#), seq: place + 1)
            }
            #expect(news.elements == counts)
            await client.close()
        }
    }

    @Test func `a refusal of the server is told with its code, message and data`() async throws {
        try await withMemoryServer { server in
            let client = try await Client.connect(to: server.target, on: server.loop)
            let unknown = await #expect(throws: RemoteError.self) { _ = try await client.open("nothing") { _ in } }
            #expect(isRefusal(unknown, -32011))
            guard case .refused(let refusal)? = unknown else { return }
            #expect(refusal.data?.contains(#""known":["board""#) == true)

            let view = try await client.open("counter", arguments: JSONText(#"{"start":9223372036854775807}"#)) { _ in }
            let failed = await #expect(throws: RemoteError.self) {
                try await view.send(JSONText(#"{"kind":"increment","by":1}"#))
            }
            #expect(isRefusal(failed, -32014))
            #expect("\(try #require(failed))" == "9223372036854775807 + 1 is beyond what a counter can hold")
            let invalid = await #expect(throws: RemoteError.self) {
                try await view.send(JSONText(#"{"kind":"explode"}"#))
            }
            #expect(isRefusal(invalid, -32602))
            // Those that failed had their numbers, and the next one has the next.
            #expect(try await view.send(JSONText(#"{"kind":"increment","by":-1}"#)) == 2)
            await client.close()
        }
    }

    @Test func `an event is given up with its task, while it runs and while it waits`() async throws {
        try await withMemoryServer { server in
            let client = try await Client.connect(to: server.target, on: server.loop)
            let news = Recorder<ViewNews>()
            let view = try await client.open("orders") { news.record($0) }
            let running = Task { try await view.send(JSONText(#"{"kind":"loadOrders"}"#)) }
            await server.clock.sleepers(1)
            let waiting = Task { try await view.send(JSONText(#"{"kind":"selectOrder","index":0}"#)) }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { _ = try await waiting.value }
            running.cancel()
            await #expect(throws: CancellationError.self) { _ = try await running.value }
            #expect(
                news.elements == [
                    .event(JSONText(#"{"kind":"loading","value":true}"#), seq: 1),
                    .event(JSONText(#"{"kind":"loading","value":false}"#), seq: 2),
                ])
            await client.close()
        }
    }

    @Test func `progress is told while the handler runs`() async throws {
        try await withMemoryServer { server in
            let client = try await Client.connect(to: server.target, on: server.loop)
            let values = Recorder<String>()
            let view = try await client.open("orders", arguments: JSONText(#"{"count":2,"delay":0}"#)) { _ in }
            try await view.send(JSONText(#"{"kind":"loadOrders"}"#)) { values.record("\($0)") }
            #expect(
                values.elements == [
                    #"{"kind":"begin","title":"Loading orders","cancellable":true}"#,
                    #"{"kind":"report","message":"2 orders","percentage":100}"#, #"{"kind":"end"}"#,
                ])
            await client.close()
        }
    }

    @Test func `children are told in the stream of their host, and late views are told which are there`()
        async throws
    {
        try await withMemoryServer { server in
            let client = try await Client.connect(to: server.target, on: server.loop)
            let news = Recorder<ViewNews>()
            let list = try await client.open("orders", arguments: JSONText(#"{"delay":0}"#)) { news.record($0) }
            try await list.send(JSONText(#"{"kind":"loadOrders"}"#))
            try await list.send(JSONText(#"{"kind":"selectOrder","index":7}"#))
            guard case .navigation(.push(let child), seq: 4)? = news.elements.last else {
                Issue.record("\(news.elements)")
                return
            }
            #expect(child.viewModel == "orderDetails")
            let detailsNews = Recorder<ViewNews>()
            let details = try await client.attach(key: child.key, since: 0) { detailsNews.record($0) }
            let title = ViewNews.event(JSONText(#"{"kind":"title","value":"Details of Order #7"}"#), seq: 1)
            #expect(await detailsNews.elements(count: 1).first == title)

            try await details.send(JSONText(#"{"kind":"editNote","value":"call"}"#))
            let refused = await #expect(throws: RemoteError.self) { try await details.back() }
            #expect(isRefusal(refused, -32600))
            #expect("\(try #require(refused))".contains("the note isn't saved"))

            let late = Recorder<ViewNews>()
            let other = try await Client.connect(to: server.target, on: server.loop)
            _ = try await other.attach(key: list.key) { late.record($0) }
            guard case .snapshot(_, seq: 4, shown: let shown)? = await late.elements(count: 1).first else {
                Issue.record("\(late.elements)")
                return
            }
            #expect(shown == .shown(stack: [child], presented: nil))

            try await details.send(JSONText(#"{"kind":"saveNote"}"#))
            try await details.back()
            #expect(detailsNews.elements.last == .ended(.sessionEnded(.popped)))
            #expect(news.elements.last == .navigation(.pop(key: child.key), seq: 5))
            await #expect(throws: RemoteError.self) { try await details.back() }
            await client.close()
            await other.close()
        }
    }

    @Test func `a session that others close is over`() async throws {
        try await withMemoryServer { server in
            let (client, other) = (
                try await Client.connect(to: server.target, on: server.loop),
                try await Client.connect(to: server.target, on: server.loop)
            )
            let news = Recorder<ViewNews>()
            let view = try await client.open("counter") { news.record($0) }
            let otherView = try await other.attach(key: view.key, since: 0) { _ in }
            try await otherView.close()
            #expect(await news.elements(count: 2).last == .ended(.sessionEnded(.closed)))
            await #expect(throws: RemoteError.self) { try await view.send(JSONText(#"{"kind":"reset"}"#)) }
            try await view.close()
            await client.close()
            await other.close()
        }
    }

    @Test func `a session goes on without who detaches or lets go, and ends with who closes`() async throws {
        try await withMemoryServer { server in
            let client = try await Client.connect(to: server.target, on: server.loop)
            let other = try await Client.connect(to: server.target, on: server.loop)
            let news = Recorder<ViewNews>()
            var view: ClientView? = try await client.open("counter") { _ in }
            let key = try #require(view?.key)
            do {
                let watcher = try await other.attach(key: key, since: 0) { _ in }
                try await watcher.detach()
                _ = try await other.attach(key: key, since: 0) { _ in }
            }
            try await view?.send(JSONText(#"{"kind":"reset"}"#))
            let watcher = try await other.attach(key: key, since: 0) { news.record($0) }
            _ = await news.elements(count: 2)
            view = nil
            try await client.ping()
            try await watcher.send(JSONText(#"{"kind":"reset"}"#))
            #expect(news.elements.count == 3)
            let back = try await client.attach(key: key, since: 3) { _ in }
            try await back.close()
            #expect(await news.elements(count: 4).last == .ended(.sessionEnded(.closed)))
            withExtendedLifetime(watcher) {}
            await client.close()
            await other.close()
        }
    }

    @Test func `a message that the server wouldn't take isn't sent`() async throws {
        var limits = Limits()
        limits.messageBytes = 10_000
        try await withMemoryServer(limits: limits) { server in
            let client = try await Client.connect(to: server.target, on: server.loop)
            let long = String(repeating: "x", count: 10_000)
            let view = try await client.open("todos") { _ in }
            let tooLong = await #expect(throws: RemoteError.self) {
                try await view.send(JSONText(#"{"kind":"add","title":"\#(long)"}"#))
            }
            #expect(isRefusal(tooLong, -32015))
            let unopened = await #expect(throws: RemoteError.self) {
                _ = try await client.open("counter", arguments: JSONText(#"{"x":"\#(long)"}"#)) { _ in }
            }
            #expect(isRefusal(unopened, -32015))
            #expect(try await view.send(JSONText(#"{"kind":"add","title":"Milk"}"#)) == 2)
            await client.close()
        }
    }

    @Test(arguments: [#"{"session":1,"seq":2}"#, #"{"seq":2,"event":{}}"#])
    func `a message without its session or its event ends the connection`(second: String) async throws {
        try await withLoop { loop in
            let script = Self.script(sending: [#"{"session":1,"seq":1,"event":{}}"#, second])
            let client = try await Client.connect(to: script.target, on: loop)
            let news = Recorder<ViewNews>()
            let view = try await client.open("a") { news.record($0) }
            let elements = await news.elements(count: 2)
            #expect(elements[0] == .event(JSONText("{}"), seq: 1))
            guard case .ended(.invalidMessage) = elements[1] else {
                Issue.record("\(elements)")
                return
            }
            withExtendedLifetime(view) {}
        }
    }

    @Test(arguments: [#""seq":3"#, #""seq":5,"after":3"#])
    func `what is missing is asked for once, and a server that doesn't have it either ends the connection`(
        later: String
    ) async throws {
        try await withLoop { loop in
            let lines = Recorder<String>()
            let script = ScriptedServer { line in
                lines.record(line)
                if line.contains("initialize\"") { return [ScriptedServer.welcome] }
                if line.contains("session/open") {
                    return [
                        #"{"jsonrpc":"2.0","id":2,"result":{"session":1,"key":"k","viewModel":"a"}}"#,
                        #"{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":1,"event":{}}}"#,
                        #"{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,\#(later),"event":{}}}"#,
                    ]
                }
                guard line.contains("session/attach") else { return [] }
                return [
                    #"{"jsonrpc":"2.0","id":4,"result":{"session":2,"viewModel":"a","seq":5}}"#,
                    #"{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":2,\#(later),"event":{}}}"#,
                ]
            }
            let client = try await Client.connect(to: script.target, on: loop)
            let news = Recorder<ViewNews>()
            let view = try await client.open("a") { news.record($0) }
            guard case .ended(.invalidMessage) = await news.elements(count: 2)[1] else {
                Issue.record("\(news.elements)")
                return
            }
            #expect(lines.elements.count { $0.contains("session/detach") } == 1)
            #expect(lines.elements.count { $0.contains(#""since":1"#) } == 1)
            withExtendedLifetime(view) {}
        }
    }

    /// A server with one view model, which sends events with these params when it is opened.
    private static func script(sending events: [String]) -> ScriptedServer {
        ScriptedServer { line in
            if line.contains("initialize\"") { return [ScriptedServer.welcome] }
            guard line.contains("session/open") else { return [] }
            return [#"{"jsonrpc":"2.0","id":2,"result":{"session":1,"key":"k","viewModel":"a"}}"#]
                + events.map { #"{"jsonrpc":"2.0","method":"viewModel/event","params":\#($0)}"# }
        }
    }
}
