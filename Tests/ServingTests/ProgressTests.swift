import TestSupport
import Testing
import Transport

@Suite(.inTurn, .timeLimit(.minutes(4)))
struct ProgressTests {
    static func progress(_ token: String, _ value: String) -> String {
        Wire.notification("$/progress", #"{"token":\#(token),"value":\#(value)}"#)
    }

    static let begin = #"{"kind":"begin","title":"Working","cancellable":true}"#
    static let end = #"{"kind":"end"}"#

    @Test(arguments: ["7", #""t\u0031""#])
    func `progress comes in its place among the events, and ends before the answer`(token: String) async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(
                Wire.open("1", "probe"),
                Wire.viewEvent("2", 1, #"{"kind":"work","steps":2,"fails":false}"#, #","workDoneToken":\#(token)"#))
            try await client.expect(
                Wire.opened("1", 1, "key-1", "probe"),
                Self.progress(token, Self.begin),
                Wire.one(1, 1, 0),
                Self.progress(token, #"{"kind":"report","message":"step 0","percentage":0}"#),
                Wire.one(1, 2, 1),
                Self.progress(token, #"{"kind":"report","message":"step 1","percentage":50}"#),
                Self.progress(token, Self.end),
                Wire.result("2", #"{"seq":2}"#))
        }
    }

    @Test func `progress stands in its place also for a client whose thread comes to it later`() async throws {
        try await withServer(loops: 2) { server in
            let (one, other) = (try await server.connected(), try await server.connected(loop: 1))
            one.send(Wire.open("1", "probe", #"{"hold":"late"}"#))
            try await one.expect(Wire.opened("1", 1, "key-1", "probe"))
            other.send(Wire.request("1", "session/attach", #"{"key":"key-1"}"#))
            _ = try await other.next()
            one.send(Wire.viewEvent("2", 1, #"{"kind":"wait"}"#))
            try await one.expect(Wire.one(1, 1, -1))
            other.send(
                Wire.viewEvent("2", 1, #"{"kind":"work","steps":2,"fails":false}"#, #","workDoneToken":7"#),
                Wire.request("3", "ping"))
            try await other.expect(Wire.one(1, 1, -1), Wire.result("3"))
            let gate = Gate()
            server.loops[1].execute { gate.block() }
            Hold.named("late").gate.open()
            try await one.expect(Wire.result("2", #"{"seq":1}"#), Wire.one(1, 2, 0, more: true), Wire.one(1, 3, 1))
            gate.open()
            try await other.expect(
                Self.progress("7", Self.begin), Wire.one(1, 2, 0, more: true),
                Self.progress("7", #"{"kind":"report","message":"step 0","percentage":0}"#), Wire.one(1, 3, 1),
                Self.progress("7", #"{"kind":"report","message":"step 1","percentage":50}"#),
                Self.progress("7", Self.end), Wire.result("2", #"{"seq":3}"#))
        }
    }

    @Test func `progress ends after an error too`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(
                Wire.open("1", "probe"),
                Wire.viewEvent("2", 1, #"{"kind":"work","steps":0,"fails":true}"#, #","workDoneToken":1"#))
            try await client.expect(
                Wire.opened("1", 1, "key-1", "probe"), Self.progress("1", Self.begin), Self.progress("1", Self.end))
            try await client.expectError(-32014, id: "2")
        }
    }

    @Test func `a notification may ask for progress; without a token there is none`() async throws {
        try await withServer { server in
            let client = try await server.connected()
            client.send(
                Wire.open("1", "probe"),
                Wire.notification(
                    "view/event", #"{"session":1,"event":{"kind":"work","steps":0,"fails":false},"workDoneToken":1}"#),
                Wire.viewEvent("2", 1, #"{"kind":"work","steps":0,"fails":false}"#))
            try await client.expect(
                Wire.opened("1", 1, "key-1", "probe"), Self.progress("1", Self.begin), Self.progress("1", Self.end),
                Wire.result("2", #"{"seq":0}"#))
        }
    }

    @Test func `progress ends when its event is cancelled or its session closed`() async throws {
        try await withServer { server in
            for (name, message) in [
                ("cancelled", CancelRequestTests.cancel("2", likeVim: true)),
                ("closed", Wire.request("3", "session/close", #"{"session":1}"#)),
            ] {
                let client = try await server.connected()
                let hold = Hold.named("progress \(name)")
                client.send(Wire.open("1", "probe", #"{"hold":"progress \#(name)"}"#))
                _ = try await client.next()
                client.send(Wire.viewEvent("2", 1, #"{"kind":"workAndWait"}"#, #","workDoneToken":1"#))
                try await client.expect(Self.progress("1", Self.begin), Wire.one(1, 1, -1))
                client.send(message)
                if name == "cancelled" {
                    try await client.expectNothing()
                    hold.gate.open()
                }
                try await client.expect(Self.progress("1", Self.end))
                try await client.expectError(name == "cancelled" ? -32800 : -32012, id: "2")
                hold.gate.open()
            }
        }
    }

    static let lateBegin = #"{"kind":"begin","title":"Working","cancellable":false}"#

    private func workingOn(_ server: TestServer, _ hold: String) async throws -> TestClient {
        let client = try await server.connected()
        client.send(
            Wire.open("1", "probe", #"{"hold":"\#(hold)"}"#),
            Wire.viewEvent("2", 1, #"{"kind":"workOn"}"#, #","workDoneToken":"on""#))
        _ = try await client.next()
        try await client.expect(Wire.result("2", #"{"seq":0,"progress":true}"#))
        return client
    }

    @Test func `progress goes on after the answer with the work, in its place among the events, until its end`()
        async throws
    {
        try await withServer { server in
            let client = try await workingOn(server, "on")
            // Another request's has its own token, and doesn't end it.
            client.send(Wire.viewEvent("3", 1, #"{"kind":"work","steps":0,"fails":false}"#, #","workDoneToken":3"#))
            try await client.expect(
                Self.progress("3", Self.begin), Self.progress("3", Self.end), Wire.result("3", #"{"seq":0}"#))
            Hold.named("on").gate.open()
            try await client.expect(
                Self.progress(#""on""#, Self.lateBegin), Wire.one(1, 1, 7), Self.progress(#""on""#, Self.end))
        }
    }

    @Test(arguments: ["session/close", "session/detach"])
    func `progress that goes on ends with its view, and says nothing more`(method: String) async throws {
        try await withServer { server in
            let client = try await workingOn(server, method)
            client.send(Wire.request("3", method, #"{"session":1}"#))
            // An end without a beginning: the answer has said that it follows.
            try await client.expect(Self.progress(#""on""#, Self.end), Wire.result("3"))
            Hold.named(method).gate.open()
            client.send(Wire.request("4", "ping"))
            try await client.expect(Wire.result("4"))
        }
    }

    @Test func `progress that goes on ends before its view is told that the session is closed`() async throws {
        try await withServer { server in
            let client = try await workingOn(server, "ends")
            let other = try await server.connected()
            other.send(
                Wire.request("1", "session/attach", #"{"key":"key-1"}"#),
                Wire.request("2", "session/close", #"{"session":1}"#))
            try await client.expect(
                Self.progress(#""on""#, Self.end),
                Wire.notification("session/closed", #"{"session":1,"reason":"closed"}"#))
            Hold.named("ends").gate.open()
        }
    }

    @Test func `a token whose progress goes on isn't taken again until its end`() async throws {
        try await withServer { server in
            let client = try await workingOn(server, "token")
            client.send(Wire.viewEvent("3", 1, #"{"kind":"work","steps":0,"fails":false}"#, #","workDoneToken":"on""#))
            try await client.expectError(-32602, id: "3")
            Hold.named("token").gate.open()
            try await client.expect(
                Self.progress(#""on""#, Self.lateBegin), Wire.one(1, 1, 7), Self.progress(#""on""#, Self.end))
            client.send(Wire.viewEvent("4", 1, #"{"kind":"work","steps":0,"fails":false}"#, #","workDoneToken":"on""#))
            try await client.expect(
                Self.progress(#""on""#, Self.begin), Self.progress(#""on""#, Self.end), Wire.result("4", #"{"seq":1}"#))
        }
    }
}
