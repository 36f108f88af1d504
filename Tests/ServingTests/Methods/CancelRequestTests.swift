import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(4)))
struct CancelRequestTests {
    static func cancel(_ id: String, likeVim: Bool) -> String {
        likeVim ? Wire.request(id, "$/cancelRequest") : Wire.notification("$/cancelRequest", #"{"id":\#(id)}"#)
    }

    @Test(arguments: [false, true])
    func `a running handler is cancelled and its events come before the answer`(likeVim: Bool) async throws {
        try await withServer { server in
            let client = try await server.connected()
            let hold = "running \(likeVim)"
            client.send(
                Wire.open("1", "probe", #"{"hold":"\#(hold)"}"#), Wire.viewEvent(#""x""#, 1, #"{"kind":"wait"}"#))
            try await client.expect(Wire.opened("1", 1, "key-1", "probe"), Wire.one(1, 1, -1))
            client.send(Self.cancel(#""\u0078""#, likeVim: likeVim))
            try await client.expectNothing()
            Hold.named(hold).gate.open()
            try await client.expectError(-32800, id: #""x""#)
        }
    }

    @Test(arguments: [false, true])
    func `one that waits is taken out of the queue`(likeVim: Bool) async throws {
        try await withServer { server in
            let client = try await server.connected()
            let hold = "waiting \(likeVim)"
            client.send(
                Wire.open("1", "probe", #"{"hold":"\#(hold)"}"#), Wire.viewEvent("2", 1, #"{"kind":"wait"}"#),
                Wire.viewEvent("3", 1, #"{"kind":"emit","count":1}"#),
                Wire.viewEvent("4", 1, #"{"kind":"emit","count":1}"#),
                Self.cancel("3", likeVim: likeVim))
            try await client.expect(Wire.opened("1", 1, "key-1", "probe"), Wire.one(1, 1, -1))
            try await client.expectError(-32800, id: "3")
            Hold.named(hold).gate.open()
            try await client.expect(Wire.result("2", #"{"seq":1}"#), Wire.one(1, 2, 0), Wire.result("4", #"{"seq":2}"#))
        }
    }

    @Test(arguments: [false, true])
    func `after its answer, or without a request, a cancellation does nothing`(likeVim: Bool) async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(
                Self.cancel("7", likeVim: likeVim), Wire.request("7", "ping"), Self.cancel("7", likeVim: likeVim))
            try await client.expect(Wire.result("7"))
            try await client.expectNothing()
        }
    }

    @Test func `a handler that doesn't mind is answered as cancelled all the same`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(
                Wire.open("1", "probe", #"{"hold":"regardless"}"#),
                Wire.viewEvent("2", 1, #"{"kind":"waitRegardless"}"#))
            try await client.expect(Wire.opened("1", 1, "key-1", "probe"), Wire.one(1, 1, -1))
            client.send(Self.cancel("2", likeVim: false))
            try await client.expectNothing()
            Hold.named("regardless").gate.open()
            try await client.expectError(-32800, id: "2")
        }
    }

    @Test func `a cancellation without an id is reported`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            for params in ["{}", #"{"id":{}}"#] {
                client.send(Wire.notification("$/cancelRequest", params))
                #expect(try await client.next().contains("window/logMessage"))
            }
        }
    }

    @Test func `one client can't cancel another's request`() async throws {
        try await withServer { server in
            let (one, other) = (try await server.connected(), try await server.connected())
            one.send(Wire.open("1", "probe", #"{"hold":"foreign"}"#), Wire.viewEvent("2", 1, #"{"kind":"wait"}"#))
            try await one.expect(Wire.opened("1", 1, "key-1", "probe"), Wire.one(1, 1, -1))
            other.send(Self.cancel("2", likeVim: false))
            try await other.expectNothing()
            Hold.named("foreign").gate.open()
            try await one.expect(Wire.result("2", #"{"seq":1}"#))
        }
    }
}
