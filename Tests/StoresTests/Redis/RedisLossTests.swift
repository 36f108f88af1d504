import Sessions
import Stores
import TestSupport
import Testing

/// A Redis that has lost keys, or may lose them: nothing goes on as if nothing had happened, and what is left stays.
@Suite(.inTurn, .timeLimit(.minutes(5)), .enabled(if: RedisServer.isInstalled)) struct RedisLossTests {
    private static let scene: [StoredChange] =
        StoredChange.root("a") + [
            .session("child", in: "a"), .share(scene: "a", values: [SavedValue("Basket/ids", "[1]")]),
            .turn(
                "a", newest: 3, entries: [.event(1, "1", key: "x"), .event(2, "2"), .event(3, "3", key: "x")],
                clients: [ClientNumber(client: "c", number: 7)], saved: [SavedValue("title", "\"t\"")]),
            .event("child", 1, "c"),
        ]

    /// A store that was ended with a scene in it.
    private func filled(_ server: RedisServer) throws {
        let store = try RedisStore(server.address)
        try store.commit(Self.scene)
        store.close()
    }

    private func incomplete(_ body: () throws -> Void) throws -> String {
        let error = #expect(throws: StoreError.self) { try body() }
        guard case .incomplete(let reason)? = error else { throw Unexpected(error) }
        return reason
    }

    private func unavailable(_ body: () throws -> Void) throws -> String {
        let error = #expect(throws: StoreError.self) { try body() }
        guard case .unavailable(let reason)? = error else { throw Unexpected(error) }
        return reason
    }

    // MARK: Parts

    @Test(arguments: [
        ("vms:{a}", "which sessions it has, and what they share"),
        ("vms:{a}:session:1", "the state and the numbers"),
        ("vms:{a}:session:2", "the state and the numbers of a child"),
    ])
    func `a scene without a part goes on nowhere, stays, and can be shown and removed`(
        _ key: String, _ loss: String
    ) throws {
        let server = try RedisServer()
        try filled(server)
        try server.command("DEL \(key)")
        let before = try server.keys()
        let store = try RedisStore(server.address)
        for asked in ["a", "child"] {
            let reason = try incomplete { _ = try store.scene(withSessionKey: asked) }
            #expect(reason.contains("has lost a part of this session: \(loss). The rest stays there"))
        }
        #expect(try server.keys().filter { !$0.hasPrefix("vms:server") } == before)

        let reading = try RedisStore(reading: server.address)
        let shown = try #require(try reading.scene(withSessionKey: "a"))
        #expect(shown.missing != nil || shown.sessions.contains { $0.missing != nil })
        #expect(shown.sessions.map(\.header.key) == ["a", "child"])
        let list = try reading.summaries()
        #expect(list.map(\.key) == ["a", "child"])
        #expect(list.contains { !$0.isComplete })
        reading.close()

        #expect(try store.remove("a"))
        #expect(try !store.remove("a"))
        store.close()
        #expect(try server.keys() == ["vms:store"])
    }

    @Test func `a session whose log is lost goes on without it, and says how much that was`() throws {
        let server = try RedisServer()
        try filled(server)
        try server.command("DEL vms:{a}:log:1")
        let reading = try RedisStore(reading: server.address)
        #expect(try reading.scene(withSessionKey: "a")?.sessions.map(\.missing) == [Self.missingLog, nil])
        #expect(try reading.summaries().map(\.isComplete) == [false, true])
        reading.close()

        var store = try RedisStore(server.address)
        let root = try #require(try store.scene(withSessionKey: "a")?.sessions.first)
        #expect(root.missing == Self.missingLog)
        // What is told again as new: nothing; nor is it said to be all there.
        #expect((root.turn.newest, root.turn.lost, root.turn.hasAllEvents) == (3, 3, false))
        #expect(root.turn.entries.isEmpty && root.turn.clients.map(\.number) == [7] && root.turn.saved.count == 1)

        // It is whole from then on.
        try store.commit([.turn("a", newest: 4, lost: 3, hasAllEvents: false, entries: [.event(4, "4")])])
        store.close()
        store = try RedisStore(server.address)
        let later = try #require(try store.scene(withSessionKey: "a")?.sessions.first)
        #expect(later.missing == nil && later.turn.entries == [.event(4, "4")])
        store.close()
    }

    private static let missingLog = "2 of the 2 events that the log had"

    @Test func `a part of a log that is lost while a server has the session is noticed when it is read again`() throws {
        let server = try RedisServer()
        var store = try RedisStore(server.address)
        try store.commit(Self.scene)
        try server.command("DEL vms:{a}:log:1")
        try store.commit([.event("a", 4, "4"), .event("a", 5, "5", key: "x")])
        store.close()
        store = try RedisStore(server.address)
        #expect(try store.scene(withSessionKey: "a")?.sessions.first?.missing != nil)
        store.close()
    }

    @Test func `a log that nothing is lost of is whole, whatever was superseded or let go`() throws {
        let server = try RedisServer()
        var store = try RedisStore(server.address)
        try store.commit(Self.scene)
        for number in 4...40 {
            try store.commit([
                .turn(
                    "a", newest: number, lost: max(0, number - 9),
                    entries: [
                        .event(number, "\(number)", key: number.isMultiple(of: 3) ? nil : "\(number % 5)")
                    ])
            ])
            if number.isMultiple(of: 10) {
                store.close()
                store = try RedisStore(server.address)
            }
            #expect(try store.scene(withSessionKey: "a")?.sessions.first?.missing == nil)
        }
        // One that a server of before has stored isn't counted until its next turn.
        try server.command("HDEL vms:{a}:session:1 entries")
        #expect(try store.scene(withSessionKey: "a")?.sessions.first?.missing == nil)
        try store.commit([.event("a", 41, "41")])
        #expect(try store.scene(withSessionKey: "a")?.sessions.first?.missing == nil)
        store.close()
    }

    @Test func `a child whose key is lost is stored and removed as before, and found again`() throws {
        let server = try RedisServer()
        var store = try RedisStore(server.address)
        try store.commit(Self.scene + [.session("other", in: "a"), .event("other", 1, "o")])
        try server.command("DEL vms:session:child")
        try server.command("DEL vms:session:other")
        try store.commit([.event("child", 2, "d"), .removeSession(key: "other")])
        #expect(try store.scene(withSessionKey: "child")?.sessions.map(\.header.key) == ["a", "child"])
        // Its numbers are checked as before.
        try server.command("DEL vms:session:child")
        #expect(throws: StoreError.self) { try store.commit([.event("child", 2, "e")]) }
        store.close()
        store = try RedisStore(server.address)
        let scene = try #require(try store.scene(withSessionKey: "a"))
        #expect(scene.sessions.map(\.header.key) == ["a", "child"])
        #expect(scene.sessions.last?.turn.entries == [.event(1, "c"), .event(2, "d")])
        // Who has the scene has put back what finds its sessions.
        #expect(try store.scene(withSessionKey: "child") != nil)
        store.close()
    }

    @Test func `a scene that loses a part while a server has it goes on there no more`() throws {
        for (key, words) in [
            ("vms:{a}", "another server has ended it"), ("vms:{a}:session:1", "has lost a part of it"),
        ] {
            let server = try RedisServer()
            let store = try RedisStore(server.address)
            try store.commit(Self.scene)
            try server.command("DEL \(key)")
            let before = try server.keys()
            let error = #expect(throws: StoreError.self) { try store.commit([.event("a", 4, "4")]) }
            guard case .lost(let reason)? = error else { throw Unexpected(error) }
            #expect(reason.contains(words))
            #expect(try server.keys() == before)
            _ = try incomplete { _ = try store.scene(withSessionKey: "a") }
            store.close()
        }
    }

    @Test func `what finds a scene is there again when a server has read the scene`() throws {
        let server = try RedisServer()
        try filled(server)
        let all = try server.keys()
        for key in ["vms:session:child", "vms:used", "vms:lastUse"] { try server.command("DEL \(key)") }
        let store = try RedisStore(server.address)
        #expect(try store.summaries().map(\.key) == ["a", "child"])
        _ = try store.scene(withSessionKey: "a")
        #expect(try store.summaries().map(\.key) == ["a", "child"])
        store.close()
        #expect(try server.keys() == all)
    }

    // MARK: Eviction

    @Test(arguments: ["allkeys-lru", "volatile-ttl"])
    func `a Redis that begins to remove keys when it is full stores nothing until it no longer does`(
        _ policy: String
    ) throws {
        let server = try RedisServer("--maxmemory 100mb --maxmemory-policy noeviction")
        let store = try RedisStore(server.address)
        try store.commit(Self.scene)
        let words = "removes keys when its memory is full (maxmemory-policy \(policy)): set it to noeviction"
        for begin in [{ try store.renew() }, { try server.command("CLIENT KILL TYPE normal") }] as [() throws -> Void] {
            try server.command("CONFIG SET maxmemory-policy \(policy)")
            // At the next renewal, and on the next connection.
            do { try begin() } catch let error as StoreError { #expect(error.reason.contains(words)) }
            for _ in 1...2 { #expect(try unavailable { try store.commit([.event("a", 4, "4")]) }.contains(words)) }
            #expect(try unavailable { try store.renew() }.contains(words))
            #expect(try unavailable { _ = try RedisStore(server.address) }.contains(words))
            // Whoever only reads may.
            try RedisStore(reading: server.address).close()
            try server.command("CONFIG SET maxmemory-policy noeviction")
            try store.renew()
        }
        try store.commit([.event("a", 4, "4")])
        store.close()
    }

    @Test func `a policy that can't come to anything is no trouble`() throws {
        let server = try RedisServer("--maxmemory 0 --maxmemory-policy allkeys-lru")
        let store = try RedisStore(server.address)
        try store.renew()
        try store.commit(Self.scene)
        store.close()
    }
}
