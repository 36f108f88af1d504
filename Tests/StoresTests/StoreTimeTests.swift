import Sessions
import Stores
import TestSupport
import Testing

/// What is old in a store: what nobody has used for so long while servers had the store, whatever clocks say.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct StoreTimeTests {
    private static let week = Duration.seconds(7 * 24 * 3_600)

    @Test(arguments: StoreEngine.installed)
    func `scenes that nobody has used for long are removed, and a use begins anew`(_ engine: StoreEngine) throws {
        let place = try StorePlace(engine)
        let store = try place.open()
        try store.commit(
            StoredChange.root("a") + [.session("child", in: "a")] + StoredChange.root("b") + StoredChange.root("c"))
        try place.pass(.seconds(3_600), in: store)
        try store.commit([.useScene(key: "b", time: -1)])
        #expect(try store.sweep(unusedFor: .seconds(3_700)) == 0)
        #expect(try store.sweep(unusedFor: .seconds(3_500)) == 2)
        for key in ["a", "child", "c"] { #expect(try store.scene(withSessionKey: key) == nil) }
        #expect(try store.scene(withSessionKey: "b")?.header.used == -1)
        try place.pass(.seconds(3_600), in: store)
        #expect(try store.sweep(unusedFor: .seconds(3_500)) == 1)
        store.close()
        try place.expectEmpty()
    }

    @Test(arguments: StoreEngine.installed)
    func `a scene counts as used for as long as its server said, also for one that keeps scenes for less time`(
        _ engine: StoreEngine
    ) throws {
        let place = try StorePlace(engine)
        let store = try place.open()
        try store.commit(StoredChange.root("a") + StoredChange.root("b"))
        try store.commit([.useScene(key: "a", time: 0, ahead: 3_600)])
        try place.pass(.seconds(3_000), in: store)
        #expect(try store.sweep(unusedFor: .seconds(100)) == 1)
        #expect(try store.scene(withSessionKey: "a") != nil)
        try place.pass(.seconds(720), in: store)
        #expect(try store.sweep(unusedFor: .seconds(100)) == 1)
        store.close()
    }

    @Test(arguments: StoreEngine.installed)
    func `a clock that is set, forward or back, makes nothing old that was used a moment ago`(_ engine: StoreEngine)
        throws
    {
        let place = try StorePlace(engine)
        let store = try place.open()
        try store.commit(StoredChange.root("a"))
        for jump in [Self.week * 8, Self.week * -16, Self.week * 9] {
            try place.pass(jump, in: store, isCounted: false)
            try store.commit([.useScene(key: "a", time: jump.components.seconds)])
            #expect(try store.sweep(unusedFor: .seconds(300)) == 0, "\(jump)")
        }
        store.close()
    }

    @Test(arguments: StoreEngine.installed)
    func `the time of a server that says what time it is counts for nothing`(_ engine: StoreEngine) throws {
        let place = try StorePlace(engine)
        let store = try place.open()
        // Of machines that are years apart.
        for (key, used) in [("a", Int64(1)), ("b", 1_700_000_000), ("c", 4_000_000_000)] {
            try store.commit([.scene(key, used: used), .session(key)])
        }
        try place.pass(.seconds(600), in: store)
        #expect(try store.sweep(unusedFor: .seconds(700)) == 0)
        #expect(try store.sweep(unusedFor: .seconds(500)) == 3)
        store.close()
    }

    @Test(arguments: StoreEngine.installed)
    func `while no server has the store its time stands still, and goes on with the next server`(_ engine: StoreEngine)
        throws
    {
        let place = try StorePlace(engine)
        for round in 1...3 {
            let store = try place.open()
            if round == 1 { try store.commit(StoredChange.root("a")) }
            try place.pass(Self.week * 8, in: store, isCounted: false)
            #expect(try store.sweep(unusedFor: .seconds(3_000)) == 0)
            try place.pass(.seconds(1_200), in: store)
            if round == 3 { #expect(try store.sweep(unusedFor: .seconds(3_000)) == 1) }
            store.close()
        }
    }

    @Test(arguments: StoreEngine.installed)
    func `a store that counted no time has all of its scenes for as long as if they were used now`(
        _ engine: StoreEngine
    ) throws {
        let place = try StorePlace(engine)
        let keys = (1...250).map { "\($0)" }
        try place.write(keys.flatMap { StoredChange.root($0) })
        try place.forgetTime()
        let store = try place.open()
        #expect(try store.sweep(unusedFor: .seconds(300)) == 0)
        try place.pass(.seconds(600), in: store)
        #expect(try store.sweep(unusedFor: .seconds(700)) == 0)
        #expect(try store.sweep(unusedFor: .seconds(500)) == 250)
        store.close()
    }

    @Test(arguments: StoreEngine.installed)
    func `a scene that is used or made now isn't as old as the time that nobody has written yet`(
        _ engine: StoreEngine
    ) throws {
        let place = try StorePlace(engine)
        let store = try place.open()
        try store.commit(StoredChange.root("used"))
        try place.pass(.seconds(55), in: store)
        try store.commit([.useScene(key: "used", time: 0)])
        try store.commit(StoredChange.root("made"))
        #expect(try store.sweep(unusedFor: .seconds(20)) == 0)
        try place.pass(.seconds(55), in: store)
        #expect(try store.sweep(unusedFor: .seconds(20)) == 2)
        store.close()
    }

    @Test(arguments: StoreEngine.installed)
    func `many scenes go in steps, and commits have their turn between two of them`(_ engine: StoreEngine) throws {
        let place = try StorePlace(engine)
        let store = try place.open()
        try store.commit((1...250).flatMap { StoredChange.root("\($0)") })
        try place.pass(.seconds(60), in: store)
        try store.commit(StoredChange.root("new"))
        var removed = 0
        for number in 1... {
            let step = try store.removeScenes(unusedFor: .seconds(30))
            #expect(step.removed <= 100)
            removed += step.removed
            if step.isDone { break }
            try store.commit([.event("new", number, "x")])
        }
        #expect(removed == 250)
        #expect(try store.scene(withSessionKey: "new") != nil)
        store.close()
    }
}

/// Two servers of one Redis, and a Redis whose clock isn't that of the one before.
@Suite(.inTurn, .timeLimit(.minutes(5)), .enabled(if: RedisServer.isInstalled)) struct RedisTimeTests {
    @Test func `servers whose clocks differ by days remove nothing early, and each counts the same time once`() throws {
        let redis = try RedisServer()
        let (first, second) = (try RedisStore(redis.address), try RedisStore(redis.address))
        let days: Int64 = 8 * 24 * 3_600
        try first.commit([.scene("behind", used: 1_700_000_000 - days), .session("behind")])
        try second.commit([.scene("ahead", used: 1_700_000_000 + days), .session("ahead")])
        try first.release("behind")
        try second.release("ahead")
        try redis.command("HINCRBY vms:store seen -60")
        for store in [first, second] { try store.renew() }
        for store in [first, second] { #expect(try store.sweep(unusedFor: .seconds(90)) == 0) }
        #expect(try first.sweep(unusedFor: .seconds(30)) == 2)
        for store in [first, second] { store.close() }
    }

    @Test func `a replica whose clock is days ahead or behind becomes the master, and nothing is old by that`() throws {
        let redis = try RedisServer()
        let store = try RedisStore(redis.address)
        try store.commit(StoredChange.root("a"))
        // What the store has seen is of the master before.
        for days in [8, -8] {
            try redis.command("HINCRBY vms:store seen \(days * 24 * 3_600)")
            try store.renew()
            #expect(try store.sweep(unusedFor: .seconds(120)) == 0)
        }
        store.close()
    }

    @Test func `a scene of a server that counts no time is found beside others, and isn't removed at once`() throws {
        let redis = try RedisServer()
        let store = try RedisStore(redis.address)
        try store.commit(StoredChange.root("a") + StoredChange.root("old"))
        try redis.command("ZREM vms:lastUse old")
        try redis.command("HINCRBY vms:store seen -60")
        try store.renew()
        #expect(try store.sweep(unusedFor: .seconds(30)) == 1)
        #expect(try store.scene(withSessionKey: "old") != nil)
        try redis.command("HINCRBY vms:store seen -60")
        try store.renew()
        #expect(try store.sweep(unusedFor: .seconds(30)) == 1)
        store.close()
    }

    @Test func `also a Redis that is full is told that a server is there`() throws {
        let redis = try RedisServer("--maxmemory-policy noeviction")
        let store = try RedisStore(redis.address)
        try redis.command("HINCRBY vms:store seen -60")
        try redis.command("CONFIG SET maxmemory 1")
        try store.renew()
        #expect(store.takeLapse() == nil)
        #expect(try redis.command("HGET vms:store passed").text == "60")
        try redis.command("CONFIG SET maxmemory 0")
        store.close()
    }
}
