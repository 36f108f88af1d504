import Sessions

/// How often each scene that is here was stored, which is a column of scenes. A scene that has another count than this server
/// knows is an older one, which somebody has put back while the server had the file open.
struct SQLiteCommits {
    /// By the root's key: those that were made or read here, and haven't been given up.
    private var counts: [String: Int64] = [:]

    /// Has the file keep counts, in a transaction. An earlier version of the server leaves them as they are.
    static func prepare(_ database: SQLiteDatabase) throws(StoreError) {
        var isThere = false
        try database.run("SELECT 1 FROM pragma_table_info('scene') WHERE name = 'commits'") { _ in isThere = true }
        if !isThere { try database.run("ALTER TABLE scene ADD COLUMN commits INTEGER NOT NULL DEFAULT 0") }
    }

    /// Nil where the scene isn't in the file.
    static func count(of scene: String, _ database: SQLiteDatabase) throws(StoreError) -> Int64? {
        var count: Int64?
        try database.run("SELECT commits FROM scene WHERE key = ?", [.text(scene)]) { count = $0.integer(0) }
        return count
    }

    func isHere(_ scene: String) -> Bool { counts[scene] != nil }

    /// - Parameter count: nil where the scene isn't here any more.
    mutating func note(_ scene: String, count: Int64?) { counts[scene] = count }

    /// Whether the scene is as it was when it was stored last. One that is gone is left to whoever changes it.
    func agree(on commit: SceneCommit, _ database: SQLiteDatabase) throws(StoreError) -> Bool {
        guard let known = counts[commit.scene], let stored = try Self.count(of: commit.scene, database) else {
            return true
        }
        return known == stored
    }

    /// Counts a commit whose changes were made, in its transaction.
    ///
    /// - Returns: what to note when that is stored.
    func raise(for commit: SceneCommit, _ database: SQLiteDatabase) throws(StoreError) -> Int64? {
        try database.run("UPDATE scene SET commits = commits + 1 WHERE key = ?", [.text(commit.scene)])
        let isHere = isHere(commit.scene) || commit.changes.contains { if case .addScene = $0 { true } else { false } }
        return isHere ? try Self.count(of: commit.scene, database) : nil
    }
}
