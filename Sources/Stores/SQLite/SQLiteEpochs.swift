import Sessions

/// The epochs of sessions, which are a column of them. A scene that is taken begins a new epoch.
enum SQLiteEpochs {
    /// Adds the column of epochs to a file that doesn't have it, in a transaction. Earlier versions of the server ignore the
    /// column.
    static func prepare(_ database: SQLiteDatabase) throws(StoreError) {
        var isThere = false
        try database.run("SELECT 1 FROM pragma_table_info('session') WHERE name = 'epochs'") { _ in isThere = true }
        if !isThere { try database.run("ALTER TABLE session ADD COLUMN epochs TEXT NOT NULL DEFAULT ''") }
    }

    /// Returns the scene with its epochs so far, and with the one that begins now.
    static func begin(
        _ name: String, in scene: StoredScene, _ database: SQLiteDatabase
    ) throws(StoreError) -> (before: StoredScene, now: StoredScene) {
        var (before, now) = (scene, scene)
        for (index, session) in scene.sessions.enumerated() {
            var epochs = SessionEpochs()
            try database.run("SELECT epochs FROM session WHERE key = ?", [.text(session.header.key)]) {
                epochs = SessionEpochs(text: $0.text(0))
            }
            before.sessions[index].epochs = epochs
            epochs.begin(name, at: session.turn.newest)
            now.sessions[index].epochs = epochs
        }
        return (before, now)
    }

    static func store(_ scene: StoredScene, in database: SQLiteDatabase) throws(StoreError) {
        for session in scene.sessions {
            try database.run(
                "UPDATE session SET epochs = ? WHERE key = ?",
                [.text(session.epochs.text), .text(session.header.key)])
        }
    }
}
