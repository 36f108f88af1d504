import Sessions

/// A scene that is taken begins a new epoch, which is a column of its sessions.
enum SQLiteEpochs {
    /// Has the file keep epochs, in a transaction. An earlier version of the server leaves them as they are.
    static func prepare(_ database: SQLiteDatabase) throws(StoreError) {
        var isThere = false
        try database.run("SELECT 1 FROM pragma_table_info('session') WHERE name = 'epochs'") { _ in isThere = true }
        if !isThere { try database.run("ALTER TABLE session ADD COLUMN epochs TEXT NOT NULL DEFAULT ''") }
    }

    static func begin(in scene: inout StoredScene, _ database: SQLiteDatabase) throws(StoreError) {
        let name = SessionEpochs.randomName()
        for index in scene.sessions.indices {
            let session = scene.sessions[index]
            try database.run("SELECT epochs FROM session WHERE key = ?", [.text(session.header.key)]) {
                scene.sessions[index].epochs = SessionEpochs(text: $0.text(0))
            }
            scene.sessions[index].epochs.begin(name, at: session.turn.newest)
        }
    }

    static func store(_ scene: StoredScene, in database: SQLiteDatabase) throws(StoreError) {
        for session in scene.sessions {
            try database.run(
                "UPDATE session SET epochs = ? WHERE key = ?",
                [.text(session.epochs.text), .text(session.header.key)])
        }
    }
}
