import Sessions
import Stores
import Testing

/// The engines, which all have to do the same.
enum StoreEngine: CaseIterable, CustomTestStringConvertible {
    case sqlite, redis

    /// Those whose programs are there.
    static var installed: [StoreEngine] { RedisServer.isInstalled ? allCases : [.sqlite] }

    var testDescription: String { "\(self)" }
}

/// An empty place for a store, and the stores in it, one after the other.
final class StorePlace {
    private enum Kind {
        case sqlite(TemporaryFolder)
        case redis(RedisServer)
    }

    private let kind: Kind
    /// Of the machine that has the server of a file.
    private let uptime = ManualTime()

    init(_ engine: StoreEngine) throws {
        switch engine {
        case .sqlite: kind = .sqlite(try TemporaryFolder())
        case .redis: kind = .redis(try RedisServer())
        }
    }

    /// - Parameter takesOver: from a server whose process goes on: by force, or since its lease has run out.
    func open(takesOver: Bool = false) throws -> any ListingStore {
        switch kind {
        case .sqlite(let folder):
            return try SQLiteStore(
                path: folder.file("store.db"), durability: .process, takesOver: takesOver,
                now: uptime.now)
        case .redis(let server):
            if takesOver { try server.endLeases() }
            return try RedisStore(server.address)
        }
    }

    /// Time passes while a server has the store, and looks at the time every minute.
    ///
    /// - Parameter isCounted: false: the clock was set, or nobody has looked at it.
    func pass(_ time: Duration, in store: any SessionStore, isCounted: Bool = true) throws {
        let seconds = time.components.seconds
        let steps = isCounted ? stride(from: 0, to: seconds, by: 60).map { min(60, seconds - $0) } : [seconds]
        for step in steps {
            switch kind {
            case .sqlite: uptime.pass(.seconds(step))
            // As if Redis' clock had been as much behind.
            case .redis(let server): try server.command("HINCRBY vms:store seen \(-step)")
            }
            try store.renew()
        }
    }

    /// Has the store be one of a server that counted no time.
    func forgetTime() throws {
        switch kind {
        case .sqlite(let folder):
            try OtherConnection(folder.file("store.db")).execute(
                "DROP TABLE clock; DROP INDEX sceneLastUse; ALTER TABLE scene DROP COLUMN lastUse")
        case .redis(let server):
            try server.command("DEL vms:lastUse")
            try server.command("HDEL vms:store seen passed")
        }
    }

    /// Without taking it.
    func openToRead() throws -> any ListingStore {
        switch kind {
        case .sqlite(let folder): try SQLiteStore(reading: folder.file("store.db"))
        case .redis(let server): try RedisStore(reading: server.address)
        }
    }

    /// Stores each group of changes in a commit, and closes the store.
    func write(_ commits: [StoredChange]...) throws {
        let store = try open()
        defer { store.close() }
        for changes in commits { try store.commit(changes) }
    }

    /// Reads with a store that has written nothing. Without epochs, which differ each time.
    func read(_ key: String) throws -> StoredScene? {
        let store = try open()
        defer { store.close() }
        return try store.scene(withSessionKey: key)?.withoutEpochs
    }

    /// As a server does. Returns the epochs of the scene's sessions.
    func take(_ key: String) throws -> [SessionEpochs] {
        let store = try open()
        defer { store.close() }
        return try store.scene(withSessionKey: key)?.sessions.map(\.epochs) ?? []
    }

    func entries(_ key: String) throws -> [StoredEntry] {
        try #require(try read(key)?.sessions.first { $0.header.key == key }).turn.entries
    }

    /// Fails where anything is left of scenes that are gone: all there were.
    func expectEmpty() throws {
        switch kind {
        case .sqlite(let folder):
            let other = try OtherConnection(folder.file("store.db"))
            for table in ["scene", "session", "event", "client", "saved", "shared"] {
                // Fails where there is another number of rows.
                try other.execute("CREATE TEMP TABLE check_\(table) (n INTEGER CHECK (n = 0))")
                try other.execute("INSERT INTO check_\(table) SELECT count(*) FROM \(table)")
            }
        case .redis(let server): #expect(try server.keys() == ["vms:store"])
        }
    }
}

extension StoredScene {
    var withoutEpochs: StoredScene {
        var scene = self
        for index in scene.sessions.indices { scene.sessions[index].epochs = SessionEpochs() }
        return scene
    }
}
