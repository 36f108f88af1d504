import LibC
import Sessions
import Stores
import TestSupport
import Testing

/// Several servers with one Redis: each scene is on one of them at a time.
@Suite(.inTurn, .timeLimit(.minutes(5)), .enabled(if: RedisServer.isInstalled)) struct RedisServersTests {
    private let redis: RedisServer

    init() throws {
        redis = try RedisServer()
    }

    private func server(advertising address: String? = nil, lease: Duration = .seconds(100)) throws -> RedisStore {
        try RedisStore(redis.address, advertised: address, leaseTime: lease)
    }

    /// The server's lease runs out, as it does when its process is gone or stopped.
    private func endLease(of store: RedisStore) throws {
        try redis.command("DEL vms:server:\(store.serverID)")
    }

    private func holder(_ body: () throws -> Void) throws -> SceneHolder {
        let error = #expect(throws: StoreError.self) { try body() }
        guard case .held(let holder)? = error else { throw Unexpected(error) }
        return holder
    }

    private func fence(of root: String) throws -> Int64? { try redis.command("HGET vms:{\(root)} fence").integer }

    private func turn(_ scene: String, _ number: Int, _ text: String = "x") -> SceneCommit {
        SceneCommit(scene: scene, changes: [.event(scene, number, text)])
    }

    @Test func `a scene of a server that is there is held, by its key, a child's and its opening's`() throws {
        let (first, second) = (try server(advertising: "10.0.0.1:7351"), try server())
        try first.commit([.scene("a", once: "once"), .session("a"), .session("child", in: "a")])
        for key in ["a", "child"] {
            let holder = try holder { _ = try second.scene(withSessionKey: key) }
            #expect(holder.server == first.serverID && holder.address == "10.0.0.1:7351")
            #expect(holder.description.hasPrefix("process \(getpid()) on "))
        }
        #expect(try second.rootKey(ofOpening: "once") == "a")
        #expect(try first.scene(withSessionKey: "child")?.sessions.count == 2)
        #expect(try second.scene(withSessionKey: "none") == nil)
        try second.commit(StoredChange.root("b"))
        let other = try holder { _ = try first.scene(withSessionKey: "b") }
        #expect(other.server == second.serverID && other.address == nil)
        #expect(StoreError.held(other).reason.contains("another server has this session: process \(getpid())"))
        first.close()
        second.close()
    }

    @Test func `when a lease has run out another server takes a scene, and the one before stores its others alone`()
        throws
    {
        let (first, second) = (try server(), try server())
        try first.commit(StoredChange.root("a") + StoredChange.root("b"))
        try endLease(of: first)
        #expect(try second.scene(withSessionKey: "a")?.sessions[0].turn.newest == 0)
        #expect(try fence(of: "a") == 2)
        let outcomes = try first.commit([turn("a", 1, "first"), turn("b", 1, "first")])
        #expect(outcomes == [.lost("another server has taken it"), .stored])
        #expect(throws: StoreError.lost("another server has taken it")) { try first.checkOwner(of: "a") }
        try first.checkOwner(of: "b")
        #expect(try second.commit([turn("a", 1, "second")]) == [.stored])
        // However often it is tried.
        #expect(try first.commit([turn("a", 2)]).first?.isLost == true)
        #expect(try second.scene(withSessionKey: "a")?.sessions[0].turn.entries == [.event(1, "second")])
        // Its lease is written again.
        try first.renew()
        #expect(try holder { _ = try second.scene(withSessionKey: "b") }.server == first.serverID)
        first.close()
        second.close()
    }

    @Test func `a scene that is taken and taken back has a new number each time, and old commits never count`() throws {
        let (first, second) = (try server(), try server())
        try first.commit(StoredChange.root("a"))
        for round in 1...3 {
            try endLease(of: first)
            #expect(try second.scene(withSessionKey: "a")?.sessions[0].turn.newest == 2 * round - 2)
            try second.commit([.event("a", 2 * round - 1, "second")])
            try second.renew()
            try endLease(of: second)
            #expect(try first.commit([turn("a", 2 * round)]).first?.isLost == true)
            #expect(try first.scene(withSessionKey: "a")?.sessions[0].turn.newest == 2 * round - 1)
            #expect(try second.commit([turn("a", 2 * round)]).first?.isLost == true)
            try first.commit([.event("a", 2 * round, "first")])
            #expect(try fence(of: "a") == Int64(2 * round + 1))
        }
        first.close()
        second.close()
    }

    @Test func `a claim that is made twice, since its answer was lost, changes nothing`() throws {
        let (first, second) = (try server(), try server())
        try first.commit(StoredChange.root("a"))
        first.close()
        for _ in 1...3 { #expect(try second.scene(withSessionKey: "a") != nil) }
        #expect(try fence(of: "a") == 2)
        #expect(try second.commit([turn("a", 1)]) == [.stored])
        #expect(try second.scene(withSessionKey: "a")?.sessions[0].turn.newest == 1)
        #expect(try second.commit([turn("a", 2)]) == [.stored])
        second.close()
    }

    @Test func `a claim and a commit whose connection is cut at any byte, there or back, take effect once`() throws {
        let proxy = try CuttingProxy(to: redis.socket)
        let first = try server()
        let second = try RedisStore(RedisAddress("unix://\(proxy.path)"), leaseTime: .seconds(100))
        try first.commit(StoredChange.root("a") + StoredChange.root("b") + StoredChange.root("c"))
        var number = 0
        func round() throws {
            number += 1
            let (before, fence) = (number - 1, try fence(of: "a"))
            try first.release("a")
            let scene = try retried { try second.scene(withSessionKey: "a") }
            #expect(scene?.sessions[0].turn.newest == before)
            let outcomes = try retried {
                try second.commit([
                    SceneCommit(scene: "a", changes: [.event("a", number, "x", key: "k")]), turn("b", 1),
                    SceneCommit(scene: "new \(number)", changes: StoredChange.root("new \(number)")),
                ])
            }
            #expect(outcomes == [.stored, .lost("another server has taken it"), .stored])
            try retried { try second.release("a") }
            #expect(try first.scene(withSessionKey: "a")?.sessions[0].turn.entries == [.event(number, "x", key: "k")])
            #expect(try self.fence(of: "a") == (fence ?? 0) + 2)
        }
        let (there, back) = try proxy.bytes { try round() }
        for cut in stride(from: 0, through: there, by: 41) {
            proxy.cut(afterThere: cut)
            try round()
        }
        for cut in stride(from: 0, through: back, by: 7) {
            proxy.cut(afterBack: cut)
            try round()
        }
        #expect(proxy.cuts > 20)
        #expect(try first.commit([turn("b", 1), turn("c", 1)]) == [.stored, .stored])
        first.close()
        second.close()
    }

    @Test func `a commit that is sent again with scenes beside it is stored once`() throws {
        let store = try retried {
            try RedisStore(redis.address, timeLimit: .milliseconds(200))
        }
        try retried {
            try store.commit(StoredChange.root("a") + StoredChange.root("b"))
        }
        func commitUnheard(_ commits: [SceneCommit]) throws {
            redis.signal(SIGSTOP)
            let error = #expect(throws: StoreError.self) { try store.commit(commits) }
            guard case .unavailable? = error else { throw Unexpected(error) }
            // Redis finds the call that was given up.
            redis.signal(SIGCONT)
        }
        let commits = [turn("a", 1)]
        try commitUnheard(commits)
        func commit(_ commits: [SceneCommit]) throws -> [StoreOutcome] {
            try retried { try store.commit(commits) }
        }
        #expect(try commit(commits + [turn("b", 1)]) == [.stored, .stored])
        #expect(try redis.command("HGET vms:{a} commit").integer == 2)
        #expect(try commit([turn("a", 2), turn("b", 2)]) == [.stored, .stored])
        for root in ["a", "b"] {
            let scene = try retried { try store.scene(withSessionKey: root) }
            let entries = scene?.sessions[0].turn.entries
            #expect(entries == [.event(1, "x"), .event(2, "x")])
        }
        // So is the end of a scene.
        let end = [SceneCommit(scene: "a", changes: [.removeSession(key: "a")])]
        try commitUnheard(end)
        #expect(try commit(end) == [.stored])
        store.close()
    }

    @Test func `a scene that can't be stored harms none of those beside it`() throws {
        let store = try server()
        try store.commit(
            StoredChange.root("a") + StoredChange.root("b") + StoredChange.root("c") + [.event("c", 1, "1")])
        try redis.command("RENAME vms:{c}:log:1 kept")
        try redis.command("SET vms:{c}:log:1 theirs")
        let outcomes = try store.commit([
            SceneCommit(scene: "a", changes: [.event("a", 1, "1"), .event("a", 1, "again")]), turn("b", 1),
            turn("c", 2),
            SceneCommit(scene: "none", changes: [.session("d", in: "none")]),
        ])
        #expect(outcomes[1] == .stored)
        for place in [0, 2, 3] {
            guard case .refused(let reason) = outcomes[place] else { throw Unexpected(nil) }
            #expect(reason.contains(place == 2 ? "keys that begin with vms:" : "\(try redis.address): "))
        }
        #expect(try store.commit([turn("a", 1), turn("b", 2)]) == [.stored, .stored])
        store.close()
    }

    @Test func `a scene that is released is taken at once, and its numbers go on`() throws {
        let (first, second) = (try server(), try server())
        try first.commit(StoredChange.root("a") + StoredChange.root("b"))
        try first.commit([.event("a", 1, "1")])
        try first.release("a")
        #expect(try first.commit([turn("a", 2)]).first?.isLost == true)
        #expect(try second.scene(withSessionKey: "a")?.sessions[0].turn.newest == 1)
        // Not its scene any more.
        try first.release("a")
        #expect(try second.commit([turn("a", 2)]) == [.stored])
        #expect(try holder { _ = try second.scene(withSessionKey: "b") }.server == first.serverID)
        first.close()
        second.close()
    }

    @Test func `a server that closes hands all its scenes over at once`() throws {
        let (first, second) = (try server(), try server())
        try first.commit((1...9).flatMap { StoredChange.root("\($0)") })
        // It still stores what isn't taken, and doesn't come back.
        try first.leave()
        try first.renew()
        #expect(try second.scene(withSessionKey: "1") != nil)
        #expect(try first.commit([turn("1", 1), turn("2", 1)]) == [.lost("another server has taken it"), .stored])
        first.close()
        for key in 1...9 { #expect(try second.scene(withSessionKey: "\(key)") != nil) }
        second.close()
        #expect(try !redis.keys().contains { $0.hasPrefix("vms:server:") })
    }

    @Test func `the scenes of a process that has ended are free at once on its machine, whatever its lease`() throws {
        let (first, second, third) = (try server(), try server(), try server())
        try first.commit(StoredChange.root("a") + StoredChange.root("b"))
        let key = "vms:server:\(first.serverID)"
        var words = try #require(try redis.command("GET \(key)").text).split(separator: " ").map(String.init)
        // It has started at another time than the process that has this number now.
        words[2] = "1"
        try redis.run(["SET", key, words.joined(separator: " ")])
        #expect(try second.scene(withSessionKey: "a") != nil)
        #expect(try third.scene(withSessionKey: "b") != nil)
        // On another machine it can't be seen.
        words[3] = "elsewhere"
        try redis.run(["SET", "vms:server:other", (["other"] + words.dropFirst()).joined(separator: " ")])
        try redis.command("HSET vms:{a} holder other")
        #expect(try holder { _ = try third.scene(withSessionKey: "a") }.server == "other")
        for store in [first, second, third] { store.close() }
    }

    @Test func `a lease is renewed by any call when a third of it is over, and by its own call where Redis is full`()
        throws
    {
        let store = try server(lease: .milliseconds(300))
        try store.commit(StoredChange.root("a"))
        func remaining(_ store: RedisStore) throws -> Int64 {
            try #require(try redis.command("PTTL vms:server:\(store.serverID)").integer)
        }
        try redis.command("PEXPIRE vms:server:\(store.serverID) 60000")
        while try remaining(store) > 300 { _ = try store.scene(withSessionKey: "a") }
        store.close()
        let other = try server(lease: .seconds(100))
        try redis.command("CONFIG SET maxmemory 1")
        try redis.command("PEXPIRE vms:server:\(other.serverID) 50000")
        try other.renew()
        #expect(try remaining(other) > 60_000)
        other.close()
    }

    @Test func `a journal without work keeps the lease, and gives it up at its end`() async throws {
        let store = try server(lease: .milliseconds(300))
        let journal = try Journal(store)
        try redis.command("PEXPIRE vms:server:\(store.serverID) 60000")
        await until { (try? redis.command("PTTL vms:server:\(store.serverID)").integer).map { $0 <= 300 } ?? false }
        await withCheckedContinuation { done in journal.finish { done.resume() } }
        #expect(try redis.keys() == ["vms:store"])
    }

    @Test func `a lease that had run out when it was renewed is said once`() throws {
        let store = try server()
        #expect(store.takeLapse() == nil)
        try store.renew()
        #expect(store.takeLapse() == nil)
        try endLease(of: store)
        try store.renew()
        try store.renew()
        #expect(store.takeLapse() == .lease)
        #expect(store.takeLapse() == nil)
        store.close()
    }

    @Test func `a sweep leaves what other servers have, and takes what nobody has or that is its own`() throws {
        let (first, second) = (try server(), try server())
        // More than are looked at together.
        try first.commit((1...150).flatMap { StoredChange.root("first \($0)") })
        try redis.command("HINCRBY vms:store passed 100")
        try second.commit((1...130).flatMap { StoredChange.root("second \($0)") })
        #expect(try second.sweep(unusedFor: .seconds(50)) == 0)
        try redis.command("HINCRBY vms:store passed 100")
        #expect(try second.sweep(unusedFor: .seconds(50)) == 130)
        try second.commit(StoredChange.root("new"))
        try redis.command("HINCRBY vms:store passed 100")
        try first.release("first 7")
        #expect(try second.sweep(unusedFor: .seconds(50)) == 2)
        try endLease(of: first)
        #expect(try second.sweep(unusedFor: .seconds(50)) == 149)
        #expect(try first.commit([turn("first 1", 1)]).first?.isLost == true)
        first.close()
        second.close()
        #expect(try redis.keys() == ["vms:store"])
    }

    @Test func `an opening that comes to two servers makes one session, and the second server is to ask for it`() throws
    {
        let (first, second) = (try server(), try server())
        try first.commit([.scene("a", once: "once"), .session("a")])
        let changes: [StoredChange] = [.scene("b", once: "once"), .session("b")]
        #expect(try second.commit([SceneCommit(scene: "b", changes: changes)]).first?.isLost == true)
        #expect(try second.rootKey(ofOpening: "once") == "a")
        #expect(try redis.command("EXISTS vms:{b}").integer == 0)
        first.close()
        second.close()
    }

    @Test func `a process that can't be seen may run, and one that can and isn't there has ended`() throws {
        let own = RedisLease.make("own")
        #expect(own.isRunning(seenFrom: own) == true)
        var words = own.text.split(separator: " ").map(String.init)
        words[2] = "1"
        #expect(
            RedisLease(words.joined(separator: " ")).isRunning(seenFrom: own) == false, "its number is another's now")
        words[1] = "\(Int32.max)"
        #expect(RedisLease(words.joined(separator: " ")).isRunning(seenFrom: own) == false)
        words[3] = "?"
        let unknown = RedisLease(words.joined(separator: " "))
        #expect(unknown.isRunning(seenFrom: unknown) == nil)
        for (start, signal, hasEnded) in [("-", EPERM, nil), ("-", ESRCH, true), ("-", 0, nil), ("7", 0, true)]
            as [(String, Int32, Bool?)]
        {
            #expect(RedisLease.hasEnded(start, signal: signal) == hasEnded)
        }
    }

    @Test func `a list says which server has a scene, and takes none`() throws {
        let (first, second) = (try server(), try server())
        try first.commit(StoredChange.root("a") + StoredChange.root("b"))
        try first.release("b")
        let reader = try RedisStore(reading: redis.address)
        let description = RedisLease(try #require(try redis.command("GET vms:server:\(first.serverID)").text))
            .description
        for _ in 1...2 {
            #expect(
                try reader.summaries().reduce(into: [:]) { $0[$1.key] = $1.holder ?? "none" } == [
                    "a": description, "b": "none",
                ])
        }
        #expect(try reader.scene(withSessionKey: "a") != nil)
        #expect(try first.commit([turn("a", 1)]) == [.stored])
        #expect(try second.scene(withSessionKey: "b") != nil)
        for store in [first, second, reader] { store.close() }
    }
}
