import LibC
import Sessions
import Stores
import TestSupport
import Testing

/// A real Redis that ends, is full, or may not be used: each has a clear error, and nothing is lost, stored twice or in part.
@Suite(.inTurn, .timeLimit(.minutes(5)), .enabled(if: RedisServer.isInstalled)) struct RedisStoreTests {
    private static let lost = "has lost commits that it had acknowledged"

    /// The reason of a failed call.
    private func reason(_ body: () throws -> Void) throws -> String {
        try #require(#expect(throws: StoreError.self) { try body() }).reason
    }

    private func unavailable(_ body: () throws -> Void) throws -> String {
        let error = #expect(throws: StoreError.self) { try body() }
        guard case .unavailable(let reason)? = error else { throw Unexpected(error) }
        return reason
    }

    private func isLost(_ body: () throws -> Void) throws -> String {
        let error = #expect(throws: StoreError.self) { try body() }
        guard case .lost(let reason)? = error else { throw Unexpected(error) }
        return reason
    }

    // MARK: Redis ends

    @Test(arguments: [false, true])
    func `a Redis that ends and comes back with its append-only file has everything, and the store works again`(
        _ isKilled: Bool
    ) throws {
        let server = try RedisServer("--appendonly yes --appendfsync always")
        let store = try RedisStore(server.address)
        try store.commit(StoredChange.root("a"))
        for number in 1...5 {
            try store.commit([.event("a", number, "\(number)")])
            if isKilled { server.kill() } else { server.end() }
            let down = try unavailable { try store.commit([.event("a", 100, "never")]) }
            #expect(down.contains("\(try server.address) can't be reached (connect "))
            #expect(try unavailable { _ = try store.scene(withSessionKey: "a") } == down)
            try server.start()
            try store.checkOwner(of: "a")
        }
        #expect(try store.scene(withSessionKey: "a")?.sessions[0].turn.entries.count == 5)
        store.close()
    }

    @Test func `a call on a connection that Redis has closed meanwhile is made on a new one`() throws {
        let server = try RedisServer()
        let store = try RedisStore(server.address)
        try store.commit(StoredChange.root("a"))
        for number in 1...3 {
            try server.command("CLIENT KILL TYPE normal")
            try store.commit([.event("a", number, "x")])
            try server.command("CLIENT KILL TYPE normal")
            try store.checkOwner(of: "a")
            try server.command("SCRIPT FLUSH")
        }
        #expect(try store.scene(withSessionKey: "a")?.sessions[0].turn.newest == 3)
        store.close()
    }

    @Test(arguments: [false, true])
    func `a Redis that was started anew is said once, as it may have less, and one that was away is not`(
        _ mayAsk: Bool
    ) throws {
        let server = try RedisServer("--appendonly yes --appendfsync always")
        // Who may not ask which process it is takes each connection for one to another.
        if !mayAsk { try server.command("ACL SETUSER default -info") }
        let store = try RedisStore(server.address)
        try store.commit(StoredChange.root("a"))
        #expect(store.takeLapse() == nil)
        try server.command("CLIENT KILL TYPE normal")
        try store.renew()
        #expect(store.takeLapse() == (mayAsk ? nil : .change))
        for _ in 1...2 {
            server.kill()
            _ = try unavailable { try store.renew() }
            #expect(store.takeLapse() == nil)
            try server.start()
            try store.renew()
            #expect(store.takeLapse() == .change)
            try store.renew()
            #expect(store.takeLapse() == nil)
        }
        // So is one that has become a copy of another one, and is none any more.
        try server.command("REPLICAOF 127.0.0.1 1")
        try server.command("REPLICAOF NO ONE")
        try server.command("CLIENT KILL TYPE normal")
        try store.renew()
        #expect(store.takeLapse() == .change)
        store.close()
    }

    @Test func `a Redis that comes back without what it had acknowledged is noticed`() throws {
        let server = try RedisServer()
        let store = try RedisStore(server.address)
        try store.commit(StoredChange.root("a"))
        server.kill()
        try server.start()
        #expect(try isLost { try store.checkOwner(of: "a") }.contains(Self.lost))
        #expect(try isLost { try store.commit([.event("a", 1, "1")]) }.contains(Self.lost))
        #expect(try store.scene(withSessionKey: "a") == nil)
        // New ones go on.
        try store.commit(StoredChange.root("b"))
        store.close()
        // As a server that is behind does.
        let later = try RedisStore(server.address)
        try later.commit(StoredChange.root("a"))
        try later.commit([.event("a", 1, "1")])
        try server.command("HSET vms:{a} commit 1")
        #expect(try isLost { try later.checkOwner(of: "a") }.contains(Self.lost))
        #expect(try isLost { try later.commit([.event("a", 2, "2")]) }.contains(Self.lost))
        later.close()
    }

    @Test func `where a Redis has lost commits, their epoch ends at what is left`() throws {
        let server = try RedisServer()
        let store = try RedisStore(server.address)
        try store.commit(StoredChange.root("a"))
        try store.commit([.event("a", 1, "1")])
        let epoch = try #require(try store.scene(withSessionKey: "a")).sessions[0].epochs.current
        try store.commit([.event("a", 2, "2")])
        // As one that is started with an older file.
        try server.command("HSET vms:{a}:session:1 newest \(String(repeating: "0", count: 18))1")
        try server.command("HINCRBY vms:{a} commit -1")
        #expect(try isLost { try store.commit([.event("a", 3, "3")]) }.contains(Self.lost))
        let later = try #require(try store.scene(withSessionKey: "a")).sessions[0].epochs
        #expect(later.has(1, of: epoch))
        #expect(!later.has(2, of: epoch))
        store.close()
    }

    @Test func `a Redis that hangs can't be reached after the time limit, and the commit is stored once`() throws {
        let server = try RedisServer()
        let address = try server.address
        // Short for a busy machine also while Redis works.
        let store = try retried { try RedisStore(address, timeLimit: .milliseconds(200)) }
        func commit(_ changes: [StoredChange]) throws {
            try retried { try store.commit(changes) }
        }
        try commit(StoredChange.root("a"))
        server.signal(SIGSTOP)
        let reason = try unavailable { try store.commit([.event("a", 1, "1")]) }
        #expect(reason == "\(address) can't be reached (nothing came for 0.2 s)")
        // Redis finds the call that was given up, and the same once more.
        server.signal(SIGCONT)
        try commit([.event("a", 1, "1")])
        try commit([.event("a", 2, "2")])
        let scene = try retried { try store.scene(withSessionKey: "a") }
        #expect(scene?.sessions[0].turn.entries == [.event(1, "1"), .event(2, "2")])
        store.close()
    }

    @Test func `a commit whose connection is cut at any byte, there or back, is stored once`() throws {
        let server = try RedisServer()
        let proxy = try CuttingProxy(to: server.socket)
        let store = try RedisStore(RedisAddress("unix://\(proxy.path)"))
        try store.commit(StoredChange.root("a"))
        var number = 0
        func commit() throws {
            number += 1
            let changes: [StoredChange] = [
                .event("a", number, "\(number)", key: "count"), .session("child \(number)", in: "a"),
            ]
            try retried { try store.commit(changes) }
        }
        try commit()
        let (there, back) = try proxy.bytes { try commit() }
        #expect(there > 100 && back > 5)
        for cut in stride(from: 0, through: there + 3, by: 3) {
            proxy.cut(afterThere: cut)
            try commit()
        }
        for cut in 0...back {
            proxy.cut(afterBack: cut)
            try commit()
        }
        proxy.cut()
        #expect(proxy.cuts > back)
        let scene = try #require(try store.scene(withSessionKey: "a"))
        #expect(scene.sessions[0].turn.entries == [.event(number, "\(number)", key: "count")])
        #expect(scene.sessions.count == number + 1)
        store.close()
    }

    @Test func `an answer with a wrong byte is an error at most, and the store goes on`() throws {
        let server = try RedisServer()
        let proxy = try CuttingProxy(to: server.socket)
        let address = try RedisAddress("unix://\(proxy.path)")
        let store = try RedisStore(address)
        try store.commit(StoredChange.root("a") + [.event("a", 1, "{}")])
        let (_, back) = try proxy.bytes { _ = try store.scene(withSessionKey: "a") }
        var (wrong, random) = (0, SeededGenerator(seed: 1))
        for offset in 0..<back {
            proxy.garble(offset, with: Array("\r\n:$*%_-0123456789x".utf8).randomElement(using: &random) ?? 0)
            // Or what a length promises too much would be waited for.
            proxy.cut(afterBack: back)
            do throws(StoreError) {
                if try store.scene(withSessionKey: "a")?.sessions.first?.turn.entries != [.event(1, "{}")] {
                    wrong += 1
                }
            } catch {
                wrong += 1
            }
            // The byte may be one of the answer to come.
            while (try? store.scene(withSessionKey: "a")?.sessions.first?.turn.entries) != [.event(1, "{}")] {}
        }
        #expect(wrong > back / 4)
        store.close()
    }

    // MARK: Redis refuses

    @Test func `a full Redis stores nothing by halves, and works again when there is room`() throws {
        let server = try RedisServer("--maxmemory-policy noeviction")
        let store = try RedisStore(server.address)
        try store.commit(StoredChange.root("a"))
        try server.command("CONFIG SET maxmemory 1")
        let changes: [StoredChange] = StoredChange.root("b") + [.event("a", 1, "1")]
        for _ in 1...3 {
            let reason = try unavailable { try store.commit(changes) }
            #expect(
                reason.contains(
                    "its memory is full: raise maxmemory, or end sessions sooner by the limit storedTime (OOM"))
        }
        #expect(try server.command("EXISTS vms:{b}").integer == 0)
        try server.command("CONFIG SET maxmemory 0")
        try store.commit(changes)
        #expect(try store.scene(withSessionKey: "a")?.sessions[0].turn.newest == 1)
        #expect(try store.scene(withSessionKey: "b") != nil)
        store.close()
    }

    @Test func `a Redis that became a replica stores nothing, and says so`() throws {
        let server = try RedisServer()
        let store = try RedisStore(server.address)
        try store.commit(StoredChange.root("a"))
        try server.command("REPLICAOF 127.0.0.1 1")
        let reason = try unavailable { try store.commit([.event("a", 1, "1")]) }
        #expect(reason.contains("it is a replica") && reason.contains("name its master"))
        #expect(try unavailable { _ = try RedisStore(server.address) }.contains("it is a replica"))
        try server.command("REPLICAOF NO ONE")
        try store.commit([.event("a", 1, "1")])
        store.close()
    }

    @Test func `a Redis that wants more replicas, or can't write its file, stores nothing by halves`() throws {
        let server = try RedisServer("--min-replicas-max-lag 10")
        let store = try RedisStore(server.address)
        try store.commit(StoredChange.root("a"))
        try server.command("CONFIG SET min-replicas-to-write 1")
        let reason = try unavailable { try store.commit(StoredChange.root("b")) }
        #expect(reason.contains("it has fewer replicas than min-replicas-to-write asks for"))
        #expect(try server.command("EXISTS vms:{b}").integer == 0)
        try server.command("CONFIG SET min-replicas-to-write 0")
        try store.commit(StoredChange.root("b"))
        store.close()
    }

    @Test func `keys of another program are left as they are, and no commit is half stored`() throws {
        let server = try RedisServer()
        let store = try RedisStore(server.address)
        try store.commit(StoredChange.root("a") + [.event("a", 1, "1")])
        for key in ["vms:{a}:log:1", "vms:{a}:session:1", "vms:used"] {
            try server.command("RENAME \(key) kept")
            try server.command("SET \(key) theirs")
            let error = #expect(throws: StoreError.self) {
                try store.commit([.session("child", in: "a"), .event("a", 2, "2")])
            }
            guard case .unusable(let reason)? = error else { throw Unexpected(error) }
            #expect(reason.contains("another program uses keys that begin with vms:"))
            #expect(try server.command("EXISTS vms:session:child").integer == 0)
            try server.command("RENAME kept \(key)")
        }
        try store.commit([.session("child", in: "a"), .event("a", 2, "2")])
        store.close()
    }

    // MARK: Passwords

    @Test func `a user and a password are given, and what is wrong with them is said without them`() throws {
        let server = try RedisServer("--requirepass sesame")
        func refusal(_ credentials: String) throws -> String {
            let reason = try unavailable { _ = try RedisStore(RedisAddress("unix://\(credentials)\(server.socket)")) }
            #expect(reason.hasPrefix("\(try server.address): "))
            return reason
        }
        #expect(try refusal("").contains("it asks for a password: put it into the environment"))
        let wrong = try refusal(":pear@")
        #expect(wrong.contains("it doesn't know this user and password") && !wrong.contains("pear"))
        let store = try RedisStore(RedisAddress("unix://:sesame@\(server.socket)?db=3"))
        try store.commit(StoredChange.root("a"))
        store.close()
    }

    @Test func `a user who may do what the articles say has a store, and another is told what to allow`() throws {
        let server = try RedisServer()
        let rules = ["some": RedisFailure.permissions, "less": "~vms:* +@connection +@read"]
        for (user, rule) in rules { try server.command("ACL SETUSER \(user) on >p \(rule)") }
        let store = try RedisStore(RedisAddress("unix://some:p@\(server.socket)"))
        try store.commit(StoredChange.root("a"))
        store.close()
        let reason = try unavailable { _ = try RedisStore(RedisAddress("unix://less:p@\(server.socket)")) }
        #expect(reason.contains("its user may not do this: allow ~vms:* "))
    }

    @Test(arguments: ["hset", "hget", "hdel", "hincrby", "hexists", "set", "unlink", "zadd", "zrem", "zremrangebylex"])
    func `a user who may not run one of the commands any more stores all of a commit or nothing`(
        _ command: String
    ) throws {
        let server = try RedisServer()
        let version = try server.command("INFO server").text?.firstMatch(of: /redis_version:([0-9]+)/)
        guard let major = version.flatMap({ Int($0.1) }), major >= 7 else {
            try Test.cancel("Redis 6 can't be asked what a user may do")
        }
        let store = try RedisStore(server.address)
        try store.commit(StoredChange.root("a") + [.event("a", 1, "1", key: "k")])
        try server.command("ACL SETUSER default -\(command)")
        let changes: [StoredChange] = [.event("a", 2, "2", key: "k"), .share(scene: "a", values: [.init("s", "1")])]
        for _ in 1...2 { _ = try unavailable { try store.commit(changes) } }
        try server.command("ACL SETUSER default +@all")
        let scene = try RedisStore(reading: server.address).scene(withSessionKey: "a")
        #expect(scene?.sessions.first?.turn.newest == 1)
        #expect(scene?.shared == [])
        try store.commit(changes)
        #expect(try RedisStore(reading: server.address).scene(withSessionKey: "a")?.sessions[0].turn.newest == 2)
        store.close()
    }

    // MARK: Configuration

    @Test func `a Redis that removes keys when it is full, or is part of a cluster, is refused`() throws {
        let evicting = try RedisServer("--maxmemory 100mb --maxmemory-policy allkeys-lru")
        #expect(
            try reason { _ = try RedisStore(evicting.address) }.contains(
                "(maxmemory-policy allkeys-lru): set it to noeviction"))
        let cluster = try RedisServer("--cluster-enabled yes")
        #expect(
            try reason { _ = try RedisStore(cluster.address) }.contains(
                "is part of a cluster, which isn't supported yet"))
    }

    @Test func `a Redis without an append-only file is reported, and one with it isn't`() throws {
        var reports: [String] = []
        for (options, count) in [("--appendonly no", 1), ("--appendonly yes", 0)] {
            reports = []
            let server = try RedisServer(options)
            try RedisStore(server.address, report: { reports.append($0) }).close()
            #expect(reports.count == count)
        }
    }

    @Test func `a store of another version is refused and left as it is`() throws {
        let server = try RedisServer()
        try server.command("HSET vms:store format 1")
        let words = "has the store of another version of the server (format 1; this one has 2)"
        #expect(try reason { _ = try RedisStore(server.address) }.contains(words))
        #expect(try reason { _ = try RedisStore(reading: server.address) }.contains(words))
        #expect(try server.keys() == ["vms:store"])
        try server.command("FLUSHALL")
        #expect(try reason { _ = try RedisStore(reading: server.address) }.contains("has no store"))
    }
}
