package import Sessions

extension SQLiteStore: ListingStore {
    /// The number of scenes that are read together: while a read lasts, the server's log grows.
    private static let scenesTogether: Int64 = 200

    package func summaries() throws(StoreError) -> [StoredSummary] {
        var all: [(scene: Int64, summary: StoredSummary)] = []
        var (last, isDone): (Int64, Bool) = (.min, false)
        while !isDone {
            isDone = true
            try database.run(
                """
                SELECT scene.id, session.key, scene.key, session.viewModel, session.newest, scene.used,
                    ifnull(length(session.arguments), 0)
                    + (SELECT ifnull(sum(length(content)), 0) FROM event WHERE event.session = session.id)
                    + (SELECT ifnull(sum(length(text)), 0) FROM saved WHERE saved.session = session.id)
                FROM (SELECT id, key, used FROM scene WHERE id > ? ORDER BY id LIMIT ?) AS scene
                JOIN session ON session.scene = scene.id ORDER BY scene.id, session.id
                """, [.integer(last), .integer(Self.scenesTogether)]
            ) { row in
                let summary = StoredSummary(
                    key: row.text(1), scene: row.text(2), viewModel: row.text(3), newest: Int(row.integer(4)),
                    used: row.integer(5), bytes: Int(row.integer(6)))
                all.append((row.integer(0), summary))
                (last, isDone) = (row.integer(0), false)
            }
        }
        // Stable, so that the sessions of a scene stay in order.
        return all.sorted { ($0.summary.used, $0.scene) > ($1.summary.used, $1.scene) }.map(\.summary)
    }

    /// Does nothing, as a scene never lacks a part: SQLite has the whole of it, or reports that the file is damaged.
    package func discard(_ root: String) {}
}
