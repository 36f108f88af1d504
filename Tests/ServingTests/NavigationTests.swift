import Sessions
import TestSupport
import Testing

import Serving
import ViewModels

/// What view models show on top of each other, as clients see it.
@Suite(.inTurn, .timeLimit(.minutes(4))) struct NavigationTests {
    @Test func `a child is told to its host, and starts when a client attaches`() async throws {
        try await withScreens { server in
            let client = try await openedScreen(server)
            client.send(Wire.viewEvent("2", 1, #"{"kind":"push","value":{"name":"details"}}"#))
            try await client.expect(Wire.shown("push", 1, 1, "screen", "key-2"), Wire.seq("2", 1))
            client.send(Wire.attach("3", "key-2"))
            try await client.expect(
                Wire.attached("3", 2, "screen"), Wire.event(2, 1, #"{"kind":"name","value":"details"}"#))
            client.send(Wire.attach("4", "key-2"))
            try await client.expect(
                Wire.attached("4", 3, "screen", seq: 1, snapshot: #"[{"kind":"name","value":"details"}]"#))
        }
    }

    @Test func `a child may show others as soon as it starts`() async throws {
        try await withScreens { server in
            let client = try await openedScreen(server, #"{"pushes":"first"}"#)
            try await client.expect(Wire.shown("push", 1, 1, "screen", "key-2"))
            client.send(Wire.attach("3", "key-2"))
            try await client.expect(
                Wire.attached("3", 2, "screen"), Wire.event(2, 1, #"{"kind":"name","value":"first"}"#))
        }
    }

    @Test func `pushed ones are told to the stack's root, presented ones to what they cover`() async throws {
        try await withScreens { server in
            let client = try await pushedScreen(server)
            client.send(Wire.viewEvent("4", 2, #"{"kind":"push","value":{}}"#))
            try await client.expect(Wire.seq("4", 0), Wire.shown("push", 1, 2, "screen", "key-3"))
            client.send(Wire.viewEvent("5", 2, #"{"kind":"present","value":{}}"#), Wire.attach("6", "key-3"))
            try await client.expect(
                Wire.seq("5", 0),
                Wire.attached(
                    "6", 3, "screen", seq: 1, navigation: Wire.navigation(presented: Wire.child("screen", "key-4"))))
            client.send(Wire.viewEvent("7", 1, #"{"kind":"push","value":{}}"#), Wire.attach("8", "key-4"))
            try await client.expect(
                Wire.seq("7", 2),
                Wire.attached(
                    "8", 4, "screen", seq: 1, navigation: Wire.navigation([Wire.child("screen", "key-5")])))
        }
    }

    @Test func `a session that is taken off ends with all above it, topmost first`() async throws {
        try await withScreens { server in
            let client = try await pushedScreen(server)
            client.send(Wire.viewEvent("4", 2, #"{"kind":"present","value":{}}"#))
            try await client.expect(Wire.shown("present", 2, 1, "screen", "key-3"), Wire.seq("4", 1))
            client.send(Wire.attach("5", "key-3"), Wire.viewEvent("6", 3, #"{"kind":"push","value":{}}"#))
            try await client.expect(
                Wire.attached("5", 3, "screen"), Wire.shown("push", 3, 1, "screen", "key-4"), Wire.seq("6", 1))
            client.send(Wire.attach("7", "key-4"))
            try await client.expect(Wire.attached("7", 4, "screen"))
            client.send(Wire.back("8", 2))
            try await client.expect(
                Wire.takenOff("pop", 3, 2, "key-4"), Wire.closed(3, "dismissed"),
                Wire.takenOff("dismiss", 2, 2, "key-3"), Wire.closed(2, "popped"),
                Wire.takenOff("pop", 1, 2, "key-2"), Wire.closed(4, "popped"),
                Wire.result("8"))
            client.send(Wire.attach("9", "key-4"))
            try await client.expectError(-32012, id: "9")
        }
    }

    @Test func `one that takes itself off is answered first`() async throws {
        try await withScreens { server in
            let client = try await pushedScreen(server)
            client.send(Wire.viewEvent("4", 2, #"{"kind":"popBetween"}"#), Wire.viewEvent("5", 2, #"{"kind":"pop"}"#))
            try await client.expect(
                Wire.event(2, 1, #"{"kind":"value","value":1}"#, more: true),
                Wire.event(2, 2, #"{"kind":"value","value":2}"#), Wire.seq("4", 2))
            try await client.expect(Wire.closed(2, "popped"), Wire.takenOff("pop", 1, 2, "key-2"))
            try await client.expectError(-32012, id: "5")
            try await client.expectNothing()
        }
    }

    @Test func `one that takes itself off and goes on is ended after a grace period`() async throws {
        try await withScreens { server in
            let client = try await pushedScreen(server, #"{"hold":"pops and waits"}"#)
            client.send(
                Wire.viewEvent("4", 2, #"{"kind":"popAndWait"}"#), Wire.viewEvent("5", 2, #"{"kind":"emit","value":1}"#)
            )
            try await client.expect(Wire.takenOff("pop", 1, 2, "key-2"))
            try await client.expectError(-32012, id: "5")
            client.send(Wire.attach("6", "key-2"))
            try await client.expectError(-32012, id: "6")
            server.clock.advance(by: Limits().drainGrace)
            try await client.expectError(-32012, id: "4")
            try await client.expect(Wire.closed(2, "popped"))
            Hold.named("pops and waits").gate.open()
        }
    }

    @Test func `one may take itself off when it starts`() async throws {
        try await withScreens { server in
            let client = try await openedScreen(server)
            client.send(Wire.viewEvent("2", 1, #"{"kind":"push","value":{"name":"short","leaves":true}}"#))
            try await client.expect(Wire.shown("push", 1, 1, "screen", "key-2"), Wire.seq("2", 1))
            client.send(Wire.attach("3", "key-2"))
            try await client.expect(
                Wire.attached("3", 2, "screen"), Wire.event(2, 1, #"{"kind":"name","value":"short"}"#),
                Wire.closed(2, "popped"), Wire.takenOff("pop", 1, 2, "key-2"))
        }
    }

    @Test func `back doesn't wait for what still runs, but cancels it`() async throws {
        try await withScreens { server in
            let client = try await pushedScreen(server)
            client.send(Wire.viewEvent("4", 2, #"{"kind":"wait"}"#), Wire.back("5", 2))
            try await client.expectError(-32012, id: "4")
            try await client.expect(
                Wire.takenOff("pop", 1, 2, "key-2"), Wire.closed(2, "popped"), Wire.result("5"))
        }
    }

    @Test func `nothing is gone back to from what was opened`() async throws {
        try await withScreens { server in
            let client = try await pushedScreen(server)
            client.send(Wire.back("4", 1))
            let error = try await client.expectError(-32600, id: "4")
            #expect(error.contains("close or detach it instead"))
            client.send(Wire.back("5", 3), Wire.back("6", 2))
            try await client.expectError(-32012, id: "5")
            try await client.expect(
                Wire.takenOff("pop", 1, 2, "key-2"), Wire.closed(2, "popped"), Wire.result("6"))
        }
    }

    @Test func `a view model may refuse to be left, also from beneath`() async throws {
        try await withScreens { server in
            let client = try await pushedScreen(server)
            client.send(Wire.viewEvent("4", 2, #"{"kind":"present","value":{"refuses":"unsaved work"}}"#))
            try await client.expect(Wire.shown("present", 2, 1, "screen", "key-3"), Wire.seq("4", 1))
            client.send(Wire.attach("5", "key-3"))
            try await client.expect(Wire.attached("5", 3, "screen"))
            for (id, session) in [("6", 3), ("7", 2)] {
                client.send(Wire.back(id, session))
                let error = try await client.expectError(-32600, id: id)
                #expect(error.hasSuffix(#","data":{"refused":"unsaved work"}}}"#))
            }
            client.send(Wire.viewEvent("8", 3, #"{"kind":"refuse"}"#), Wire.back("9", 3))
            try await client.expect(
                Wire.seq("8", 0), Wire.takenOff("dismiss", 2, 2, "key-3"), Wire.closed(3, "dismissed"),
                Wire.result("9"))
        }
    }

    @Test func `a view model that takes long to be left holds up nobody, and may be gone by then`() async throws {
        try await withScreens { server in
            let client = try await pushedScreen(server, #"{"hold":"leaves slowly"}"#)
            client.send(Wire.back("4", 2))
            _ = await Hold.named("leaves slowly").began.elements(count: 1)
            client.send(
                Wire.viewEvent("5", 2, #"{"kind":"emit","value":1}"#), Wire.viewEvent("6", 1, #"{"kind":"pop"}"#))
            try await client.expect(
                Wire.event(2, 1, #"{"kind":"value","value":1}"#), Wire.seq("5", 1),
                Wire.takenOff("pop", 1, 2, "key-2"), Wire.seq("6", 2), Wire.closed(2, "popped"))
            Hold.named("leaves slowly").gate.open()
            try await client.expect(Wire.result("4"))
        }
    }

    @Test func `pop and dismiss without anything to take off do nothing`() async throws {
        try await withScreens { server in
            let client = try await pushedScreen(server)
            client.send(Wire.viewEvent("4", 2, #"{"kind":"dismiss"}"#))
            try await client.expect(Wire.seq("4", 0))
            client.send(Wire.viewEvent("5", 1, #"{"kind":"pop"}"#), Wire.viewEvent("6", 1, #"{"kind":"pop"}"#))
            try await client.expect(
                Wire.takenOff("pop", 1, 2, "key-2"), Wire.seq("5", 2), Wire.closed(2, "popped"), Wire.seq("6", 2))
        }
    }

    @Test(arguments: [
        (#"{"kind":"push","value":{"fails":"make"}}"#, -32014, "can't be made"),
        (#"{"kind":"pushUnknown"}"#, -32014, "Unknown can't be shown: register it"),
    ])
    func `a view model that can't be shown is its host's error`(event: String, code: Int, reason: String) async throws {
        try await withScreens { server in
            let client = try await openedScreen(server)
            client.send(Wire.viewEvent("2", 1, event))
            #expect(try await client.expectError(code, id: "2").contains(reason))
            try await client.expectNothing()
        }
    }

    @Test func `only so many are on screen, and only so many sessions are hosted`() async throws {
        var limits = Limits()
        limits.screens = 2
        try await withScreens(limits: limits) { server in
            let client = try await pushedScreen(server)
            client.send(Wire.viewEvent("4", 2, #"{"kind":"push","value":{}}"#))
            #expect(try await client.expectError(-32014, id: "4").contains("2 view models are on screen"))
            client.send(Wire.back("5", 2))
            try await client.expect(
                Wire.takenOff("pop", 1, 2, "key-2"), Wire.closed(2, "popped"), Wire.result("5"))
            client.send(Wire.viewEvent("6", 1, #"{"kind":"push","value":{}}"#))
            try await client.expect(Wire.shown("push", 1, 3, "screen", "key-4"), Wire.seq("6", 3))
        }
        limits = Limits()
        limits.hostedSessions = 1
        try await withScreens(limits: limits) { server in
            let client = try await openedScreen(server)
            client.send(Wire.viewEvent("2", 1, #"{"kind":"push","value":{}}"#))
            #expect(try await client.expectError(-32015, id: "2").contains("hostedSessions"))
        }
    }

    @Test func `a child that fails to start is taken off`() async throws {
        try await withScreens { server in
            let client = try await openedScreen(server)
            client.send(Wire.viewEvent("2", 1, #"{"kind":"push","value":{"fails":"start"}}"#))
            try await client.expect(Wire.shown("push", 1, 1, "screen", "key-2"), Wire.seq("2", 1))
            client.send(Wire.attach("3", "key-2"))
            try await client.expect(
                Wire.attached("3", 2, "screen"), Wire.logMessage(1, "screen failed to start: can't start"),
                Wire.closed(2, "failed"), Wire.takenOff("pop", 1, 2, "key-2"))
        }
    }

    @Test func `each client that sees a child or its host is told once why the child didn't start`() async throws {
        try await withScreens { server in
            let client = try await openedScreen(server)
            let other = try await server.connected()
            other.send(Wire.attach("1", "key-1", since: 0))
            _ = try await other.next()
            client.send(Wire.viewEvent("2", 1, #"{"kind":"push","value":{"fails":"start"}}"#))
            try await client.expect(Wire.shown("push", 1, 1, "screen", "key-2"), Wire.seq("2", 1))
            client.send(Wire.attach("3", "key-2"))
            let message = Wire.logMessage(1, "screen failed to start: can't start")
            try await client.expect(
                Wire.attached("3", 2, "screen"), message, Wire.closed(2, "failed"),
                Wire.takenOff("pop", 1, 2, "key-2"))
            try await other.expect(
                Wire.shown("push", 1, 1, "screen", "key-2"), message, Wire.takenOff("pop", 1, 2, "key-2"))
            #expect(server.log.elements.contains("warning: screen failed to start: can't start"))
        }
    }

    @Test func `a child that a client closes is taken off`() async throws {
        try await withScreens { server in
            let client = try await pushedScreen(server)
            client.send(Wire.request("4", "session/close", #"{"session":2}"#))
            try await client.expect(Wire.result("4"), Wire.takenOff("pop", 1, 2, "key-2"))
        }
    }
}
