import Sessions

/// A column of sessions that files of earlier servers don't have. Earlier servers ignore it.
struct SQLiteColumn {
    private let name: String
    private let type: String
    /// The value that stands for a missing column.
    private let value: String

    /// The version of a session's arguments.
    static let argumentsVersion = SQLiteColumn(name: "argumentsVersion", type: "INTEGER NOT NULL", value: "1")
    /// Whether names of clients were forgotten.
    static let hasForgottenClients = SQLiteColumn(name: "hasForgottenClients", type: "INTEGER NOT NULL", value: "0")
    /// The notes of a session (`SessionNotes`), a JSON text.
    static let notes = SQLiteColumn(name: "notes", type: "BLOB", value: "NULL")
    /// The key by which a session is found by those who only look.
    static let readKey = SQLiteColumn(name: "readKey", type: "TEXT", value: "NULL")

    /// Adds the columns that the file doesn't have. Called in a transaction.
    static func prepare(_ database: SQLiteDatabase) throws(StoreError) {
        for column in [argumentsVersion, hasForgottenClients, notes, readKey] where try !column.isThere(database) {
            try database.run("ALTER TABLE session ADD COLUMN \(column.name) \(column.type) DEFAULT \(column.value)")
        }
        try database.run(
            "CREATE UNIQUE INDEX IF NOT EXISTS sessionReadKey ON session (readKey) WHERE readKey IS NOT NULL")
    }

    /// Returns the expression that reads the column: a file that is only read may be an earlier server's.
    func expression(in database: SQLiteDatabase) throws(StoreError) -> String {
        try isThere(database) ? name : value
    }

    private func isThere(_ database: SQLiteDatabase) throws(StoreError) -> Bool {
        var isThere = false
        try database.run("SELECT 1 FROM pragma_table_info('session') WHERE name = ?", [.text(name)]) { _ in
            isThere = true
        }
        return isThere
    }
}
