import Examples
import Serving
import Sessions
import TestSupport
import Testing
import ViewModels

/// Views that are told who is here.
@Suite(.inTurn, .timeLimit(.minutes(3))) struct PresenceTests {
    private static func open(_ id: String, _ viewModel: String, client: String) -> String {
        Wire.request(id, "session/open", #"{"viewModel":"\#(viewModel)","client":"\#(client)","views":true}"#)
    }

    private static func attach(_ id: String, _ key: String, client: String) -> String {
        Wire.request(id, "session/attach", #"{"key":"\#(key)","client":"\#(client)","views":true}"#)
    }

    private static func views(_ session: Int, _ views: String...) -> String {
        Wire.notification("session/views", #"{"session":\#(session),"views":[\#(views.joined(separator: ","))]}"#)
    }

    private static func view(_ client: String, you: Bool = false) -> String {
        #"{"client":"\#(client)","you":\#(you)}"#
    }

    /// The next notification of who is here.
    private func told(_ client: TestClient) async throws -> String {
        while true {
            let message = try await client.next()
            if message.contains(#""session/views""#) { return message }
        }
    }

    @Test func `who comes and goes is told to those who ask, each with its own place`() async throws {
        try await withServer(loops: 2) { server in
            let (ada, bob) = (try await server.connected(loop: 0), try await server.connected(loop: 1))
            ada.send(Self.open("1", "counter", client: "ada"))
            try await #expect(told(ada) == Self.views(1, Self.view("ada", you: true)))
            bob.send(Self.attach("1", "key-1", client: "bob"))
            try await #expect(told(bob) == Self.views(1, Self.view("ada"), Self.view("bob", you: true)))
            try await #expect(told(ada) == Self.views(1, Self.view("ada", you: true), Self.view("bob")))
            // A script that doesn't ask, and has no name.
            let script = try await server.connected()
            script.send(Wire.attach("1", "key-1"), Wire.request("2", "session/detach", #"{"session":1}"#))
            try await #expect(told(ada).contains(#"{"you":false}"#))
            try await #expect(told(ada) == Self.views(1, Self.view("ada", you: true), Self.view("bob")))
            bob.cut()
            try await #expect(told(ada) == Self.views(1, Self.view("ada", you: true)))
        }
    }

    @Test func `a client that comes back is there once`() async throws {
        try await withServer { server in
            let (ada, bob) = (try await server.connected(), try await server.connected())
            ada.send(Self.open("1", "counter", client: "ada"))
            _ = try await told(ada)
            bob.send(Self.attach("1", "key-1", client: "bob"))
            _ = try await told(ada)
            let again = try await server.connected()
            again.send(Self.attach("1", "key-1", client: "bob"))
            try await #expect(told(again) == Self.views(1, Self.view("ada"), Self.view("bob", you: true)))
            try await #expect(told(ada) == Self.views(1, Self.view("ada", you: true), Self.view("bob")))
            while try await !bob.next().contains("replaced") {}
            // The end of the replaced view is no news.
            ada.send(Wire.request("9", "session/detach", #"{"session":1}"#))
            try await #expect(told(again) == Self.views(1, Self.view("bob", you: true)))
        }
    }

    @Test func `a view that a view model has of the session is nobody who looks`() async throws {
        try await withServer(register: SumScreen.register) { server in
            let (ada, bob) = (try await server.connected(), try await server.connected())
            ada.send(Wire.open("1", "screen of sum"))
            while try await !ada.next().contains("shown") {}
            bob.send(Self.open("1", "sum", client: "bob"))
            try await #expect(told(bob) == Self.views(1, Self.view("bob", you: true)))
        }
    }

    @Test func `of more than a hundred views a hundred are told, one's own among them, and how many there are`()
        async throws
    {
        try await withServer { server in
            let many = try await server.connected()
            many.send(Wire.open("0", "counter"))
            for id in 1...104 { many.send(Wire.attach("\(id)", "key-1")) }
            while try await !many.next().contains(#""id":104,"#) {}
            let ada = try await server.connected()
            ada.send(Self.attach("1", "key-1", client: "ada"))
            let message = try await told(ada)
            #expect(message.matches(of: /"you":false/).count == 99)
            #expect(message.hasSuffix(#",{"client":"ada","you":true}],"count":106}}"#))
        }
    }

    @Test func `a client that reads nothing for long is told of the last change alone`() async throws {
        try await withServer { server in
            let (ada, bob) = (try await server.connected(), try await server.connected())
            ada.send(Self.open("1", "counter", client: "ada"))
            _ = try await told(ada)
            ada.pauseReading(true)
            // Fills the way to it.
            for id in 100..<4_000 { ada.send(Wire.request("\(id)", "viewModel/describe", #"{"viewModel":"orders"}"#)) }
            for number in 0..<50 {
                bob.send(Wire.attach("1", "key-1"))
                while try await !bob.next().contains(#""id":1,"#) {}
                bob.send(Wire.request("2", "session/detach", #"{"session":\#(number + 1)}"#))
                while try await !bob.next().contains(#""id":2,"#) {}
            }
            ada.pauseReading(false)
            var count = 0
            while true {
                let message = try await ada.next()
                if message.contains(#""session/views""#) { count += 1 }
                if message.contains(#""id":3999,"#) { break }
            }
            #expect(count < 50, "\(count)")
        }
    }
}
