import LibC
package import Sessions

/// Durable sessions in an SQLite file, by the system's library.
///
/// One server has the file at a time. Its number is in the file, rises with each server that takes the file, and is checked
/// in each transaction. So a server that was stopped while another one took over can't store anything more.
// Over 400 lines because all statements on the tables are here, which have to agree.
package final class SQLiteStore: SessionStore {
    /// What a commit survives.
    package enum Durability: String, CaseIterable, Sendable {
        /// The end of the process, by any cause.
        case process
        /// The loss of power, too, as far as the disk keeps its word.
        case power
    }

    /// The library's name, as the dynamic linker looks for it.
    package static let systemLibrary = "libsqlite3.so.0"
    /// The number in a file that marks it as a store of this kind: "VMS" and a version that never changes.
    static let applicationID: Int64 = 0x564D_5301
    private static let wasPutBack = "an older state of the store was put in its place"
    /// The version of the tables, raised with each change that an earlier server can't go on with.
    private static let schemaVersion: Int64 = 1

    // Unchecked: only the journal's thread uses it. `init` uses it before that thread starts.
    nonisolated(unsafe) private let file: SQLiteFile
    private let ownerNumber: Int64?
    // Unchecked for the same reason as the file.
    nonisolated(unsafe) private var clock: SQLiteClock
    private let makeName: @Sendable () -> String
    // Unchecked for the same reason as the file.
    nonisolated(unsafe) private var commits = SQLiteCommits()
    /// SQLite's number that changes with each transaction of another program; nil before the first check.
    nonisolated(unsafe) private var version: Int64?
    nonisolated(unsafe) private var hasChanged = false

    /// Opens the file, or makes it.
    ///
    /// - Parameters:
    ///   - takesOver: whether to take the file from a server that still has it.
    ///   - busyTime: how long another program may lock the file before a call fails, which is then tried again.
    ///   - library: the name of SQLite's shared library.
    ///   - now: a time that passes while this server runs, counted from any moment.
    ///   - makeName: makes the names of epochs, each of them unique.
    /// - Throws: `StoreError`, whose reason says what to do. A file that isn't a store is left as it is.
    package init(
        path: String, durability: Durability, takesOver: Bool = false, busyTime: Duration = .seconds(5),
        library: String = SQLiteStore.systemLibrary, now: (@Sendable () -> Duration)? = nil,
        makeName: @escaping @Sendable () -> String = SessionEpochs.randomName
    ) throws(StoreError) {
        let library = try SQLiteLibrary(library)
        let file = try SQLiteFile(
            path, library, isPowerSafe: durability == .power, takesOver: takesOver, busyTime: busyTime)
        let database = file.database
        let isNew = try Self.isNew(database, path)
        try file.configure()
        try database.run("BEGIN IMMEDIATE")
        if isNew {
            try database.execute(SQLiteSchema.tables)
            try database.execute(
                "PRAGMA application_id = \(Self.applicationID); PRAGMA user_version = \(Self.schemaVersion)")
        }
        try SQLiteClock.prepare(database)
        try SQLiteEpochs.prepare(database)
        try SQLiteColumn.prepare(database)
        try SQLiteCommits.prepare(database)
        try SQLiteListing.prepare(database)
        try file.prepare()
        try database.run("UPDATE store SET owner = owner + 1")
        var owner: Int64 = 0
        try database.run("SELECT owner FROM store") { owner = $0.integer(0) }
        try database.run("COMMIT")
        try file.writeNames()
        file.noteFiles()
        ownerNumber = owner
        clock = SQLiteClock(now ?? StoreClock.uptime)
        self.makeName = makeName
        self.file = file
    }

    /// Opens the file of a server to read it, whether or not a server has it. Each call reads the state of one moment.
    ///
    /// - Throws: `StoreError` where there is no store, or none of this version.
    package init(reading path: String, busyTime: Duration = .seconds(5)) throws(StoreError) {
        file = try SQLiteFile(reading: path, busyTime: busyTime)
        (ownerNumber, clock, makeName) = (nil, SQLiteClock { .zero }, { "" })
        if try Self.isNew(file.database, path) { throw .unusable("\(path) is empty, and no store") }
    }

    var database: SQLiteDatabase { file.database }

    /// The lock of the file; nil where it is only read.
    private var lock: StoreLock? { file.lock }

    /// Returns whether the tables have to be made. Changes nothing.
    private static func isNew(_ database: SQLiteDatabase, _ path: String) throws(StoreError) -> Bool {
        var (id, version, tables): (Int64, Int64, Int64) = (0, 0, 0)
        try database.run("PRAGMA application_id") { id = $0.integer(0) }
        try database.run("PRAGMA user_version") { version = $0.integer(0) }
        try database.run("SELECT count(*) FROM sqlite_master") { tables = $0.integer(0) }
        if id == 0, version == 0, tables == 0 { return true }
        if id == 0, version == 0, try SQLiteSchema.isThere(in: database) {
            throw .unusable(
                """
                \(path) is a copy of a store that was made without its mark, as by .dump or .clone: make it by .backup or \
                VACUUM INTO, which have all of it
                """)
        }
        guard id == applicationID else {
            throw .unusable("\(path) is the database of another program: name another file")
        }
        guard version == schemaVersion else {
            throw .unusable(
                """
                \(path) was made by another version of the server (schema \(version); this one has \(schemaVersion)): \
                start that version, or name another file
                """)
        }
        return false
    }

    /// Looks for the system's library.
    ///
    /// - Throws: `StoreError.unusable`, with what to do, where it can't be used.
    package static func findLibrary() throws(StoreError) {
        _ = try SQLiteLibrary(systemLibrary)
    }

    package func close() {
        if lock != nil, database.isOpen {
            try? transaction { () throws(StoreError) in try clock.write(to: database, always: true) }
        }
        file.close()
    }

    /// Runs `body` in a transaction that first checks that this server still has the file.
    ///
    /// - Parameter begin: the statement that begins the transaction. With `BEGIN`, which is for reading only, it doesn't wait
    ///   for another program that writes.
    private func transaction(
        _ begin: String = "BEGIN IMMEDIATE", _ body: () throws(StoreError) -> Void
    ) throws(StoreError) {
        let writes = begin != "BEGIN"
        try file.check()
        if writes { file.willWrite() }
        try database.run(begin)
        do throws(StoreError) {
            try checkOwner()
            if writes { try file.beginWriting() }
            try body()
            try database.run("COMMIT")
            if writes { file.didWrite() }
        } catch {
            // This fails where SQLite has rolled back by itself, as it does when the disk is full.
            try? database.run("ROLLBACK")
            throw error
        }
    }

    /// Zero, as the server has the whole file, and so each scene, without a lease.
    package var leaseTime: Duration { .zero }

    package func checkOwner(of scene: String) throws(StoreError) { try checkOwner() }

    package func release(_ scene: String) throws(StoreError) { commits.note(scene, count: nil) }

    package func takeLapse() -> StoreLapse? {
        defer { hasChanged = false }
        return hasChanged ? .change : nil
    }

    /// Does nothing: the lock stays until the store is closed.
    package func leave() throws(StoreError) {}

    package func renew() throws(StoreError) {
        guard lock != nil else { return }
        try file.check()
        try checkOwner()
        try clock.write(to: database)
        try file.shortenLog()
    }

    private func checkOwner() throws(StoreError) {
        guard let ownerNumber else { return }
        var owner: Int64 = 0
        try database.run("SELECT owner FROM store") { owner = $0.integer(0) }
        guard owner >= ownerNumber else { throw .takenOver(Self.wasPutBack) }
        guard owner == ownerNumber else { throw .takenOver("another server has taken the store over") }
        try lookForChange()
        clock.look()
    }

    private func lookForChange() throws(StoreError) {
        let before = version
        try database.run("PRAGMA data_version") { version = $0.integer(0) }
        if let before, before != version { hasChanged = true }
    }
}

// Writing.
extension SQLiteStore {
    package func commit(_ commits: [SceneCommit]) throws(StoreError) -> [StoreOutcome] {
        do throws(StoreError) {
            var counts: [Int64?] = []
            try transaction { () throws(StoreError) in
                for commit in commits {
                    try apply(commit)
                    counts.append(try self.commits.raise(for: commit, database))
                }
                try clock.write(to: database)
            }
            for (commit, count) in zip(commits, counts) { self.commits.note(commit.scene, count: count) }
            return commits.map { _ in .stored }
        } catch {
            switch error {
            case .unusable(let reason) where lock != nil: if commits.count == 1 { return [.refused(reason)] }
            case .lost(let reason) where commits.count == 1:
                // Whoever reads the scene next begins anew.
                self.commits.note(commits[0].scene, count: nil)
                return [.lost(reason)]
            case .lost: break
            default: throw error
            }
        }
        // One by one, so that a commit which can't be stored harms no other.
        var outcomes: [StoreOutcome] = []
        for commit in commits { outcomes += try self.commit([commit]) }
        return outcomes
    }

    /// Stores the changes of a commit.
    ///
    /// - Throws: `lost` where somebody else has removed the scene, or put an older state of it back: nobody could find what
    ///   clients are told of it.
    private func apply(_ commit: SceneCommit) throws(StoreError) {
        guard try commits.agree(on: commit, database) else { throw .lost(Self.wasPutBack) }
        var hasMissed = false
        for change in commit.changes where try !apply(change) { hasMissed = true }
        guard hasMissed, !commit.changes.contains(.removeSession(key: commit.scene)) else { return }
        if try !hasScene(commit.scene) { throw .lost("the scene was removed from the store") }
        // A child may have been taken off the screen meanwhile, but a root can't be.
        if try !hasRoot(commit.scene) { throw .lost("another program has removed a part of the scene from the store") }
    }

    private func hasRoot(_ key: String) throws(StoreError) -> Bool {
        var isThere = false
        try database.run("SELECT 1 FROM session WHERE key = ?", [.text(key)]) { _ in isThere = true }
        return isThere
    }

    private func hasScene(_ key: String) throws(StoreError) -> Bool {
        var isThere = false
        try database.run("SELECT 1 FROM scene WHERE key = ?", [.text(key)]) { _ in isThere = true }
        return isThere
    }

    /// Stores a change. Returns false where its session or scene isn't there: the session was taken off the screen, or the
    /// scene is gone.
    private func apply(_ change: StoredChange) throws(StoreError) -> Bool {
        switch change {
        case .addScene(let scene):
            try database.run(
                """
                INSERT INTO scene (key, owner, once, used, lastUse) VALUES (?, ?, ?, ?, (SELECT passed FROM clock) + ?)
                """,
                [
                    .text(scene.key), .text(scene.owner), .text(scene.once), .integer(scene.used),
                    .integer(clock.unwritten),
                ])
        case .addSession(let session):
            try database.run(
                """
                INSERT INTO session (scene, key, viewModel, arguments, argumentsVersion, shownBy, isDurable)
                VALUES ((SELECT id FROM scene WHERE key = ?), ?, ?, ?, ?, ?, ?)
                """,
                [
                    .text(session.scene), .text(session.key), .text(session.viewModel), .bytes(session.arguments),
                    .integer(Int64(session.argumentsVersion)), .text(session.shownBy?.rawValue),
                    .integer(session.isDurable ? 1 : 0),
                ])
        case .turn(let turn): return try apply(turn)
        case .setReadKey(let session, let key):
            try database.run("UPDATE session SET readKey = ? WHERE key = ?", [.text(key), .text(session)])
        case .removeSession(let key):
            // With the root, the whole scene goes.
            try database.run("DELETE FROM scene WHERE key = ?", [.text(key)])
            try database.run("DELETE FROM session WHERE key = ?", [.text(key)])
        case .useScene(let key, let time, let ahead):
            try database.run(
                "UPDATE scene SET used = ?, lastUse = (SELECT passed FROM clock) + ? WHERE key = ?",
                [.integer(time), .integer(clock.unwritten + ahead), .text(key)])
        case .share(let scene, let values):
            guard try hasScene(scene) else { return false }
            for value in values {
                try database.run(
                    """
                    INSERT INTO shared (scene, name, text) VALUES ((SELECT id FROM scene WHERE key = ?), ?, ?)
                    ON CONFLICT DO UPDATE SET text = excluded.text
                    """, [.text(scene), .text(value.name), .bytes(value.text)])
            }
        }
        return true
    }

    private func apply(_ turn: StoredTurn) throws(StoreError) -> Bool {
        var id: Int64?
        try database.run("SELECT id FROM session WHERE key = ?", [.text(turn.session)]) { id = $0.integer(0) }
        guard let id else { return false }
        let session = SQLiteValue.integer(id)
        try database.run(
            "UPDATE session SET newest = ?, lost = ?, hasAllEvents = ?, isStarted = ?, savedVersion = ? WHERE id = ?",
            [
                .integer(turn.newest), .integer(turn.lost), .integer(turn.hasAllEvents ? 1 : 0),
                .integer(turn.isStarted ? 1 : 0), .integer(turn.savedVersion), session,
            ])
        for entry in turn.entries {
            if let key = entry.key {
                try database.run("DELETE FROM event WHERE session = ? AND key = ?", [session, .text(key)])
            }
            try insert(entry, session)
        }
        if turn.lost > 0 {
            try database.run("DELETE FROM event WHERE session = ? AND number <= ?", [session, .integer(turn.lost)])
        }
        for client in turn.clients {
            guard client.number > 0 else {
                try database.run(
                    "DELETE FROM client WHERE session = ? AND name = ?", [session, .text(client.client)])
                try database.run("UPDATE session SET hasForgottenClients = 1 WHERE id = ?", [session])
                continue
            }
            try database.run(
                """
                INSERT INTO client (session, name, number) VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET number = excluded.number
                """, [session, .text(client.client), .integer(client.number)])
        }
        if let notes = turn.notes {
            try database.run("UPDATE session SET notes = ? WHERE id = ?", [.bytes(notes.text), session])
        }
        for value in turn.saved {
            try database.run(
                """
                INSERT INTO saved (session, name, text) VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET text = excluded.text
                """, [session, .text(value.name), .bytes(value.text)])
        }
        return true
    }

    private func insert(_ entry: StoredEntry, _ session: SQLiteValue) throws(StoreError) {
        let (kind, child, content): (String?, String?, [UInt8]) =
            switch entry.content {
            case .event(let payload): (nil, nil, payload)
            case .navigation(let change): (change.kind.name, change.child.key, Array(change.child.viewModel.utf8))
            }
        try database.run(
            "INSERT INTO event (session, number, key, kind, child, content) VALUES (?, ?, ?, ?, ?, ?)",
            [session, .integer(entry.number), .text(entry.key), .text(kind), .text(child), .bytes(content)])
    }

    package func removeScenes(unusedFor time: Duration) throws(StoreError) -> StoreSweep {
        var sweep = StoreSweep(removed: 0, isDone: true)
        try transaction { () throws(StoreError) in
            try clock.write(to: database, always: true)
            sweep = try clock.removeScenes(unusedFor: time, from: database)
        }
        return sweep
    }
}

// Reading.
extension SQLiteStore {
    package func rootKey(ofOpening once: String) throws(StoreError) -> String? {
        var key: String?
        try transaction("BEGIN") { () throws(StoreError) in
            try database.run("SELECT key FROM scene WHERE once = ?", [.text(once)]) { key = $0.text(0) }
        }
        return key
    }

    package func scenes(for filter: SceneFilter, from place: Int) throws(StoreError) -> SceneListing {
        var scenes: [ListedScene] = []
        try transaction("BEGIN") { () throws(StoreError) in
            scenes = try SQLiteListing(database).scenes(for: filter)
        }
        return SceneListing(scenes: scenes)
    }

    package func scene(withSessionKey key: String) throws(StoreError) -> StoredScene? {
        var found: StoredScene?
        // In one transaction, so that it is one state of the file, whatever another server writes meanwhile.
        var count: Int64?
        try transaction("BEGIN") { () throws(StoreError) in
            found = try readScene(withSessionKey: key)
            if let found, lock != nil { count = try SQLiteCommits.count(of: found.header.key, database) }
        }
        guard let scene = found, lock != nil else { return found }
        let (before, now) = try SQLiteEpochs.begin(makeName(), in: scene, database)
        // The scene is here already, and goes on: what clients were told so far belongs to this history.
        if commits.isHere(scene.header.key) { return before }
        do throws(StoreError) {
            // Stored before clients are told of the epoch, as a later life must know it.
            try transaction { () throws(StoreError) in try SQLiteEpochs.store(now, in: database) }
            commits.note(scene.header.key, count: count)
            return now
        } catch {
            // A full disk, or a file that is locked, must not prevent reading: the earlier epoch goes on.
            guard case .unavailable = error else { throw error }
            return before
        }
    }

    private func readScene(withSessionKey key: String) throws(StoreError) -> StoredScene? {
        var found: (id: Int64, header: StoredScene.Header)?
        try database.run(
            """
            SELECT scene.id, scene.key, scene.owner, scene.once, scene.used FROM scene, session
            WHERE (session.key = ? OR \(try SQLiteColumn.readKey.expression(in: database)) = ?)
                AND session.scene = scene.id
            """, [.text(key), .text(key)]
        ) { row in
            let header = StoredScene.Header(
                key: row.text(1), owner: row.text(2), once: row.textIfAny(3), used: row.integer(4))
            found = (row.integer(0), header)
        }
        guard let (id, header) = found else { return nil }
        var sessions: [(id: Int64, session: StoredSession)] = []
        try database.run(
            """
            SELECT id, key, viewModel, arguments, isStarted, newest, lost, hasAllEvents, savedVersion, shownBy, isDurable,
                \(try SQLiteColumn.argumentsVersion.expression(in: database)),
                \(try SQLiteColumn.hasForgottenClients.expression(in: database)),
                \(try SQLiteColumn.notes.expression(in: database)), \(try SQLiteColumn.readKey.expression(in: database))
            FROM session WHERE scene = ? ORDER BY id
            """, [.integer(id)]
        ) { row in
            let session = StoredSession.Header(
                key: row.text(1), scene: header.key, viewModel: row.text(2),
                arguments: row.isNull(3) ? nil : row.bytes(3), argumentsVersion: Int(row.integer(11)),
                shownBy: row.textIfAny(9).flatMap { .init(rawValue: $0) }, isDurable: row.integer(10) != 0)
            var turn = StoredTurn(
                session: session.key, newest: Int(row.integer(5)), lost: Int(row.integer(6)),
                hasAllEvents: row.integer(7) != 0, isStarted: row.integer(4) != 0, savedVersion: Int(row.integer(8)))
            turn.hasForgottenClients = row.integer(12) != 0
            if !row.isNull(13) { turn.notes = SessionNotes(text: row.bytes(13)) }
            sessions.append((row.integer(0), StoredSession(header: session, turn: turn, readKey: row.textIfAny(14))))
        }
        var complete: [StoredSession] = []
        for (id, session) in sessions { complete.append(try withContents(session, id)) }
        let shared = try values("SELECT name, text FROM shared WHERE scene = ? ORDER BY name", id)
        return StoredScene(header: header, sessions: complete, shared: shared)
    }

    private func withContents(_ session: StoredSession, _ id: Int64) throws(StoreError) -> StoredSession {
        var turn = session.turn
        try database.run(
            "SELECT number, key, kind, child, content FROM event WHERE session = ? ORDER BY number", [.integer(id)]
        ) { row in
            let content: SessionLog.Content =
                if let kind = row.textIfAny(2).flatMap({ NavigationChange.Kind(name: $0) }) {
                    .navigation(
                        NavigationChange(kind, NavigationChild(key: row.text(3), viewModel: row.text(4))))
                } else {
                    .event(row.bytes(4))
                }
            turn.entries.append(StoredEntry(number: Int(row.integer(0)), key: row.textIfAny(1), content: content))
        }
        try database.run("SELECT name, number FROM client WHERE session = ? ORDER BY name", [.integer(id)]) { row in
            turn.clients.append(ClientNumber(client: row.text(0), number: Int(row.integer(1))))
        }
        turn.saved = try values("SELECT name, text FROM saved WHERE session = ? ORDER BY name", id)
        return StoredSession(header: session.header, turn: turn, readKey: session.readKey)
    }

    private func values(_ sql: String, _ id: Int64) throws(StoreError) -> [SavedValue] {
        var values: [SavedValue] = []
        try database.run(sql, [.integer(id)]) { row in
            values.append(SavedValue(name: row.text(0), text: row.bytes(1)))
        }
        return values
    }
}

extension NavigationChange.Kind {
    var name: String { "\(self)" }

    init?(name: String) {
        guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }
}
