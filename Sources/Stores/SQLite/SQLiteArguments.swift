import Sessions

/// The version of a session's arguments, which is a column that files of before haven't got: theirs are of version 1.
enum SQLiteArguments {
    /// Has the file keep versions, in a transaction. An earlier version of the server leaves them as they are.
    static func prepare(_ database: SQLiteDatabase) throws(StoreError) {
        guard try !hasVersions(database) else { return }
        try database.run("ALTER TABLE session ADD COLUMN argumentsVersion INTEGER NOT NULL DEFAULT 1")
    }

    /// The expression that reads the version. A file that is only read may be one of before.
    static func version(in database: SQLiteDatabase) throws(StoreError) -> String {
        try hasVersions(database) ? "argumentsVersion" : "1"
    }

    private static func hasVersions(_ database: SQLiteDatabase) throws(StoreError) -> Bool {
        var isThere = false
        try database.run("SELECT 1 FROM pragma_table_info('session') WHERE name = 'argumentsVersion'") { _ in
            isThere = true
        }
        return isThere
    }
}
