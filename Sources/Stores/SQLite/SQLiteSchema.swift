import Sessions

/// The tables of a new store.
enum SQLiteSchema {
    static let tables = """
        CREATE TABLE store (owner INTEGER NOT NULL);
        INSERT INTO store VALUES (0);
        CREATE TABLE scene (
            id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, once TEXT UNIQUE,
            used INTEGER NOT NULL);
        CREATE INDEX sceneUsed ON scene (used);
        CREATE TABLE session (
            id INTEGER PRIMARY KEY, scene INTEGER NOT NULL REFERENCES scene ON DELETE CASCADE, key TEXT NOT NULL UNIQUE,
            viewModel TEXT NOT NULL, arguments BLOB, shownBy TEXT, isDurable INTEGER NOT NULL, isStarted INTEGER NOT NULL DEFAULT 0,
            newest INTEGER NOT NULL DEFAULT 0, lost INTEGER NOT NULL DEFAULT 0, hasAllEvents INTEGER NOT NULL DEFAULT 1,
            savedVersion INTEGER NOT NULL DEFAULT 0);
        CREATE INDEX sessionScene ON session (scene);
        CREATE TABLE event (
            session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE, number INTEGER NOT NULL, key TEXT,
            kind TEXT, child TEXT, content BLOB NOT NULL, PRIMARY KEY (session, number)) WITHOUT ROWID;
        CREATE INDEX eventKey ON event (session, key) WHERE key IS NOT NULL;
        CREATE TABLE client (
            session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE, name TEXT NOT NULL,
            number INTEGER NOT NULL, PRIMARY KEY (session, name)) WITHOUT ROWID;
        CREATE TABLE saved (
            session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE, name TEXT NOT NULL, text BLOB NOT NULL,
            PRIMARY KEY (session, name)) WITHOUT ROWID;
        CREATE TABLE shared (
            scene INTEGER NOT NULL REFERENCES scene ON DELETE CASCADE, name TEXT NOT NULL, text BLOB NOT NULL,
            PRIMARY KEY (scene, name)) WITHOUT ROWID
        """

    /// Returns whether a database has all of these tables, whoever made them.
    static func isThere(in database: SQLiteDatabase) throws(StoreError) -> Bool {
        let names = ["store", "scene", "session", "event", "client", "saved", "shared"]
        var count = 0
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        try database.run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name IN (\(list))") { _ in count += 1 }
        return count == names.count
    }
}
