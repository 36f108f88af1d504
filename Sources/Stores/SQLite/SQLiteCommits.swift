import Sessions

/// The number of times that each scene was stored, which is a column of scenes. Where the file has another count than this
/// server knows, somebody has put an older state of the scene back while the server had the file open.
struct SQLiteCommits {
    /// The counts of scenes that were made or read here and weren't given up, by the root's key.
    private var counts: [String: Int64] = [:]

    /// Adds the column of counts to a file that doesn't have it, in a transaction. Earlier versions of the server ignore the
    /// column.
    static func prepare(_ database: SQLiteDatabase) throws(StoreError) {
        var isThere = false
        try database.run("SELECT 1 FROM pragma_table_info('scene') WHERE name = 'commits'") { _ in isThere = true }
        if !isThere { try database.run("ALTER TABLE scene ADD COLUMN commits INTEGER NOT NULL DEFAULT 0") }
    }

    /// Returns the count in the file; nil where the scene isn't there.
    static func count(of scene: String, _ database: SQLiteDatabase) throws(StoreError) -> Int64? {
        var count: Int64?
        try database.run("SELECT commits FROM scene WHERE key = ?", [.text(scene)]) { count = $0.integer(0) }
        return count
    }

    func isHere(_ scene: String) -> Bool { counts[scene] != nil }

    /// Sets a scene's count.
    ///
    /// - Parameter count: nil where the scene isn't here any more.
    mutating func note(_ scene: String, count: Int64?) { counts[scene] = count }

    /// Returns whether the scene is as this server stored it last. True for a scene that is gone, as the change itself fails
    /// then.
    func agree(on commit: SceneCommit, _ database: SQLiteDatabase) throws(StoreError) -> Bool {
        guard let known = counts[commit.scene], let stored = try Self.count(of: commit.scene, database) else {
            return true
        }
        return known == stored
    }

    /// Counts a commit whose changes were made, in the same transaction.
    ///
    /// - Returns: the count to note once the transaction is stored.
    func raise(for commit: SceneCommit, _ database: SQLiteDatabase) throws(StoreError) -> Int64? {
        try database.run("UPDATE scene SET commits = commits + 1 WHERE key = ?", [.text(commit.scene)])
        let isHere = isHere(commit.scene) || commit.changes.contains { if case .addScene = $0 { true } else { false } }
        return isHere ? try Self.count(of: commit.scene, database) : nil
    }
}
