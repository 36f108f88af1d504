import JSON
import Sessions
import TestSupport
import Testing
import ViewModelClient

@Suite(.timeLimit(.minutes(1))) struct ClientViewTests {
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

    @Test func `what the server refuses is told with its code, message and data`() async throws {
        try await withMemoryServer { server in
            let client = try await Client.connect(to: server.target, on: server.loop)
            let unknown = await #expect(throws: RemoteError.self) { _ = try await client.open("nothing") { _ in } }
            #expect(isRefusal(unknown, -32011))
            guard case .refused(let refusal)? = unknown else { return }
            #expect(refusal.data?.contains(#""known":["confirmCancel""#) == true)

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
                    #"{"kind":"begin","title":"Loading orders"}"#,
                    #"{"kind":"report","message":"2 orders","percentage":100}"#, #"{"kind":"end"}"#,
                ])
            await client.close()
        }
    }

    @Test func `what is pushed and presented is told in the stream of its host, and late views are told what is there`()
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

    @Test func `a session goes on without who detaches, and ends with who closes or lets go`() async throws {
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
            #expect(await news.elements(count: 3).last == .ended(.sessionEnded(.closed)))
            withExtendedLifetime(watcher) {}
            await client.close()
            await other.close()
        }
    }

    @Test func `events that a session has no room for fail, and those behind them are handled all the same`()
        async throws
    {
        var limits = Limits()
        limits.pendingEvents = 3
        try await withMemoryServer(limits: limits) { server in
            let client = try await Client.connect(to: server.target, on: server.loop)
            let other = try await Client.connect(to: server.target, on: server.loop)
            let view = try await client.open("orders") { _ in }
            let otherView = try await other.attach(key: view.key, since: 0) { _ in }
            let loading = Task { try await view.send(JSONText(#"{"kind":"loadOrders"}"#)) }
            await server.clock.sleepers(1)
            // Two of another client's wait, so that one of three has room.
            let others = (0..<2).map { _ in
                Task { try? await otherView.send(JSONText(#"{"kind":"selectOrder","index":-1}"#)) }
            }
            try await waitForRefusal(of: otherView, others: 2)
            let mine = (0..<3).map { _ in
                Task { try await view.send(JSONText(#"{"kind":"selectOrder","index":-1}"#)) }
            }
            var codes: [Int] = []
            server.clock.advance(by: .seconds(1))
            for task in mine {
                do {
                    _ = try await task.value
                } catch RemoteError.refused(let refusal) {
                    codes.append(refusal.code)
                }
            }
            // Each was handled, and threw, or was refused for want of room; none is lost, and none says that its number is wrong.
            #expect(codes.count == 3 && Set(codes).isSubset(of: [-32014, -32015]), "\(codes)")
            _ = try await loading.value
            for task in others { _ = await task.value }
            let next = await #expect(throws: RemoteError.self) {
                try await view.send(JSONText(#"{"kind":"selectOrder","index":-1}"#))
            }
            #expect(isRefusal(next, -32014))
            await client.close()
            await other.close()
        }
    }

    /// Returns when so many events of another client wait in the session: asked of the server in an order that it keeps.
    private func waitForRefusal(of view: ClientView, others: Int) async throws {
        _ = try await view.client.describe("orders")
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

    @Test(arguments: [
        (#"{"session":1,"seq":1,"event":{}}"#, #"{"session":1,"seq":3,"event":{}}"#),
        (#"{"session":1,"seq":1,"event":{}}"#, #"{"session":1,"seq":1,"event":{}}"#),
        (#"{"session":1,"seq":1,"event":{}}"#, #"{"session":1,"seq":5,"after":3,"event":{}}"#),
        (#"{"session":1,"seq":1,"event":{}}"#, #"{"session":1,"seq":1,"after":1,"event":{}}"#),
        (#"{"session":1,"seq":1,"event":{}}"#, #"{"session":1,"seq":2}"#),
        (#"{"session":1,"seq":1,"event":{}}"#, #"{"seq":2,"event":{}}"#),
    ])
    func `a number that doesn't follow the one before ends the connection`(first: String, second: String) async throws {
        try await withLoop { loop in
            let script = Self.script(sending: [first, second])
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

    @Test func `events that newer ones have replaced aren't missed`() async throws {
        try await withLoop { loop in
            let script = Self.script(sending: [
                #"{"session":1,"seq":4,"after":0,"event":{"kind":"a"}}"#, #"{"session":9,"seq":1,"event":{}}"#,
                #"{"session":1,"seq":5,"event":{"kind":"b"}}"#,
            ])
            let client = try await Client.connect(to: script.target, on: loop)
            let news = Recorder<ViewNews>()
            let view = try await client.open("a") { news.record($0) }
            let expected: [ViewNews] = [
                .event(JSONText(#"{"kind":"a"}"#), seq: 4), .event(JSONText(#"{"kind":"b"}"#), seq: 5),
            ]
            #expect(await news.elements(count: 2) == expected)
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

    @Test func `a view that can't keep up is attached again`() async throws {
        try await withLoop { loop in
            let script = ScriptedServer { line in
                if line.contains("initialize\"") { return [ScriptedServer.welcome] }
                if line.contains("session/open") {
                    return [
                        #"{"jsonrpc":"2.0","id":2,"result":{"session":1,"key":"k","viewModel":"a"}}"#,
                        #"{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"seq":1,"event":{}}}"#,
                        #"{"jsonrpc":"2.0","method":"session/closed","params":{"session":1,"reason":"overflow"}}"#,
                    ]
                }
                guard line.contains(#""method":"session/attach","params":{"key":"k","since":1,"client":"#) else {
                    return []
                }
                return [
                    #"{"jsonrpc":"2.0","id":3,"result":{"session":2,"viewModel":"a","seq":2,"handled":0}}"#,
                    #"{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":2,"seq":2,"event":{}}}"#,
                ]
            }
            let client = try await Client.connect(to: script.target, on: loop)
            let news = Recorder<ViewNews>()
            let view = try await client.open("a") { news.record($0) }
            let expected: [ViewNews] = [.event(JSONText("{}"), seq: 1), .event(JSONText("{}"), seq: 2)]
            #expect(await news.elements(count: 2) == expected)
            withExtendedLifetime(view) {}
        }
    }
}

extension JSONText {
    /// A literal of a test's.
    init(_ text: String) {
        let bytes = Array(text.utf8)
        self = bytes.withUnsafeBytes { bytes in
            (try? JSONText(validating: bytes)) ?? JSONText { $0.string("not JSON: \(text)") }
        }
    }
}
