import Sessions

/// Lists the scenes of a person. They are found by the names of their scopes, and by an index of owners.
struct SQLiteListing {
    /// How many scenes are looked at for each way in which they are found: reading more would hold up what is to be stored.
    /// A list of more than these in one scope has not always the most recently used ones.
    private static let lookedAt: Int64 = 10_000

    private let database: SQLiteDatabase

    init(_ database: SQLiteDatabase) { self.database = database }

    /// Adds the index of owners to a file that doesn't have it. Earlier versions of the server keep it up to date without
    /// knowing it.
    static func prepare(_ database: SQLiteDatabase) throws(StoreError) {
        try database.run("CREATE INDEX IF NOT EXISTS sceneOwner ON scene (owner, used)")
    }

    /// Called in a transaction.
    func scenes(for filter: SceneFilter) throws(StoreError) -> [ListedScene] {
        // By id, as a scene of one's own scope is found by its owner, too.
        var found: [Int64: StoredScene.Header] = [:]
        for prefix in filter.scopePrefixes {
            try add(
                """
                SELECT id, key, owner, once, used FROM scene WHERE once >= ? AND once < ? LIMIT ?
                """, [.text(prefix), .text(Self.end(of: prefix)), .integer(Self.lookedAt)], filter, to: &found)
        }
        for owner in filter.owners {
            try add(
                "SELECT id, key, owner, once, used FROM scene WHERE owner = ? ORDER BY used DESC, id DESC LIMIT ?",
                [.text(owner), .integer(Self.lookedAt)], filter, to: &found)
        }
        let sorted = found.sorted { ($0.value.used, $0.key) > ($1.value.used, $1.key) }
        var (rest, scenes) = (filter, [ListedScene]())
        for (_, header) in sorted {
            if rest.isFull { break }
            guard let scene = try scene(header, within: rest.maximumBytes) else { continue }
            rest.add([scene])
            scenes.append(scene)
        }
        return scenes
    }

    /// The first text behind all that begin with this one, whose last character is ASCII.
    private static func end(of prefix: String) -> String {
        var bytes = Array(prefix.utf8)
        bytes[bytes.count - 1] += 1
        return String(decoding: bytes, as: UTF8.self)
    }

    private func add(
        _ sql: String, _ values: [SQLiteValue], _ filter: SceneFilter, to found: inout [Int64: StoredScene.Header]
    ) throws(StoreError) {
        try database.run(sql, values) { row in
            let header = StoredScene.Header(
                key: row.text(1), owner: row.text(2), once: row.textIfAny(3), used: row.integer(4))
            if filter.takes(header) { found[row.integer(0)] = header }
        }
    }

    /// Reads the root of a scene; nil where its arguments are too long for the list.
    private func scene(_ header: StoredScene.Header, within bytes: Int) throws(StoreError) -> ListedScene? {
        var scene: ListedScene?
        let longest = bytes - ListedScene.bytes(arguments: 0)
        try database.run(
            """
            SELECT viewModel, arguments, \(try SQLiteColumn.notes.expression(in: database)) FROM session
            WHERE key = ? AND ifnull(length(arguments), 0) <= ?
            """, [.text(header.key), .integer(longest)]
        ) { row in
            scene = ListedScene(
                header: header, viewModel: row.text(0), arguments: row.isNull(1) ? nil : row.bytes(1),
                title: row.isNull(2) ? nil : SessionNotes(text: row.bytes(2)).title)
        }
        return scene
    }
}
