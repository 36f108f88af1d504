import Sessions
import TestSupport
import Testing

import Serving
import ViewModels

/// How long screens are kept, what ends them, and how a client that comes late or comes back finds them.
@Suite(.inTurn, .timeLimit(.minutes(4))) struct NavigationLifeTests {
    @Test func `with its root a whole screen ends, and nothing is kept`() async throws {
        let released = Recorder<String>()
        try await withScreens(released: released) { server in
            let client = try await openedScreen(server, #"{"name":"root"}"#)
            try await client.expect(Wire.event(1, 1, #"{"kind":"name","value":"root"}"#))
            client.send(Wire.viewEvent("2", 1, #"{"kind":"push","value":{"name":"pushed"}}"#))
            try await client.expect(Wire.shown("push", 1, 2, "screen", "key-2"), Wire.seq("2", 2))
            client.send(Wire.viewEvent("3", 1, #"{"kind":"present","value":{"name":"presented"}}"#))
            try await client.expect(Wire.seq("3", 2))
            let watcher = try await server.connected()
            watcher.send(Wire.attach("1", "key-2"))
            try await watcher.expect(
                Wire.attached(
                    "1", 1, "screen", seq: 1, navigation: Wire.navigation(presented: Wire.child("screen", "key-3"))),
                Wire.event(1, 2, #"{"kind":"name","value":"pushed"}"#))
            client.send(Wire.request("4", "session/close", #"{"session":1}"#))
            try await client.expect(Wire.result("4"))
            try await watcher.expect(Wire.closed(1, "closed"))
            #expect(await released.elements(count: 3).sorted() == ["presented", "pushed", "root"])
        }
    }

    @Test func `a client that leaves ends no screen of which another one sees a part`() async throws {
        let released = Recorder<String>()
        try await withScreens(released: released) { server in
            let client = try await pushedScreen(server)
            let watcher = try await server.connected()
            watcher.send(Wire.attach("1", "key-2"))
            _ = try await watcher.next()
            client.send(Wire.request("4", "shutdown"))
            try await client.expect(Wire.result("4"))
            watcher.send(Wire.viewEvent("2", 1, #"{"kind":"present","value":{"name":"over"}}"#))
            while try await !watcher.next().hasPrefix(#"{"jsonrpc":"2.0","id":2,"result""#) {}
            // Also what it sees no part of any more stays with it.
            watcher.send(Wire.attach("3", "key-1"))
            while try await !watcher.next().hasPrefix(#"{"jsonrpc":"2.0","id":3,"result":{"session":2,"#) {}
            watcher.send(Wire.request("4", "shutdown"))
            while try await watcher.next() != Wire.result("4") {}
            #expect(await released.elements(count: 1) == ["over"])
        }
    }

    @Test func `a child that nobody attaches ends after the resume window`() async throws {
        let released = Recorder<String>()
        try await withScreens(released: released) { server in
            let client = try await openedScreen(server)
            client.send(Wire.viewEvent("2", 1, #"{"kind":"push","value":{"name":"lonely"}}"#))
            try await client.expect(Wire.shown("push", 1, 1, "screen", "key-2"), Wire.seq("2", 1))
            await server.clock.sleepers(1)
            server.clock.advance(by: Limits().resumeWindow)
            try await client.expect(Wire.takenOff("pop", 1, 2, "key-2"))
            #expect(await released.elements(count: 1) == ["lonely"])
            client.send(Wire.attach("3", "key-2"))
            try await client.expectError(-32012, id: "3")
        }
    }

    @Test func `a root is kept as long as anything that stands on it is watched`() async throws {
        try await withScreens { server in
            let client = try await pushedScreen(server)
            client.send(Wire.request("4", "session/detach", #"{"session":1}"#))
            try await client.expect(Wire.result("4"))
            for _ in 0..<3 {
                await server.clock.sleepers(1)
                server.clock.advance(by: Limits().resumeWindow)
            }
            await server.clock.sleepers(1)
            client.send(Wire.attach("5", "key-1"))
            try await client.expect(
                Wire.attached(
                    "5", 3, "screen", seq: 1, navigation: Wire.navigation([Wire.child("screen", "key-2")])))
            client.cut()
            await client.expectEnd()
            // One task sleeps for both.
            await server.clock.sleepers(1)
            server.clock.advance(by: Limits().resumeWindow)
            let other = try await server.connected()
            for key in ["key-1", "key-2"] {
                other.send(Wire.attach("1", key))
                try await other.expectError(-32012, id: "1")
            }
        }
    }

    @Test func `whoever comes late or comes back rebuilds what is on screen`() async throws {
        try await withScreens(loops: 2) { server in
            let client = try await pushedScreen(server)
            client.send(Wire.viewEvent("4", 2, #"{"kind":"push","value":{}}"#))
            try await client.expect(Wire.seq("4", 0), Wire.shown("push", 1, 2, "screen", "key-3"))
            client.send(
                Wire.viewEvent("5", 1, #"{"kind":"pop"}"#), Wire.viewEvent("6", 1, #"{"kind":"push","value":{}}"#))
            try await client.expect(
                Wire.takenOff("pop", 1, 3, "key-3"), Wire.seq("5", 3), Wire.shown("push", 1, 4, "screen", "key-4"),
                Wire.seq("6", 4))
            let (second, third, fourth) = (
                Wire.child("screen", "key-2"), Wire.child("screen", "key-3"), Wire.child("screen", "key-4")
            )
            let late = try await server.connected(loop: 1)
            late.send(Wire.attach("1", "key-1"))
            try await late.expect(
                Wire.attached("1", 1, "screen", seq: 4, navigation: Wire.navigation([second, fourth])))
            // As it was when the notifications that follow were yet to come.
            for (since, stack) in [
                (4, [second, fourth]), (3, [second]), (2, [second, third]), (1, [second]), (0, []),
            ] {
                let view = 6 - since
                late.send(Wire.attach("2", "key-1", since: since))
                try await late.expect(
                    Wire.attached(
                        "2", view, "screen", seq: 4, snapshot: nil,
                        navigation: stack.isEmpty ? nil : Wire.navigation(stack)))
                let changes = [
                    Wire.shown("push", view, 1, "screen", "key-2"), Wire.shown("push", view, 2, "screen", "key-3"),
                    Wire.takenOff("pop", view, 3, "key-3"), Wire.shown("push", view, 4, "screen", "key-4"),
                ]
                for change in changes[since...] { #expect(try await late.next() == change) }
            }
        }
    }

    @Test func `the screens are known also when their changes are no longer kept`() async throws {
        var limits = Limits()
        limits.replayEvents = 1
        try await withScreens(limits: limits) { server in
            let client = try await pushedScreen(server)
            client.send(Wire.viewEvent("4", 2, #"{"kind":"push","value":{}}"#))
            try await client.expect(Wire.seq("4", 0), Wire.shown("push", 1, 2, "screen", "key-3"))
            let stack = Wire.navigation([Wire.child("screen", "key-2"), Wire.child("screen", "key-3")])
            client.send(Wire.attach("5", "key-1"), Wire.attach("6", "key-1", since: 0))
            try await client.expect(
                Wire.attached("5", 3, "screen", seq: 2, navigation: stack),
                Wire.attached("6", 4, "screen", seq: 2, navigation: stack))
        }
    }

    @Test func `the end of the server is the reason for every session's end`() async throws {
        try await withScreens { server in
            let client = try await pushedScreen(server)
            async let drained: Void = server.core.drain()
            try await client.expect(Wire.closed(1, "serverShutdown"), Wire.closed(2, "serverShutdown"))
            await client.expectEnd()
            await drained
        }
    }
}
