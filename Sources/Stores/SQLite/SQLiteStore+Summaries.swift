package import Sessions

extension SQLiteStore: ListedStore {
    package func summaries() throws(StoreError) -> [StoredSummary] {
        var all: [StoredSummary] = []
        try database.run(
            """
            SELECT session.key, scene.key, session.viewModel, session.newest, scene.used,
                ifnull(length(session.arguments), 0)
                + (SELECT ifnull(sum(length(content)), 0) FROM event WHERE event.session = session.id)
                + (SELECT ifnull(sum(length(text)), 0) FROM saved WHERE saved.session = session.id)
            FROM session JOIN scene ON session.scene = scene.id ORDER BY scene.used DESC, scene.id DESC, session.id
            """
        ) { row in
            all.append(
                StoredSummary(
                    key: row.text(0), scene: row.text(1), viewModel: row.text(2), newest: Int(row.integer(3)),
                    used: row.integer(4), bytes: Int(row.integer(5))))
        }
        return all
    }
}
