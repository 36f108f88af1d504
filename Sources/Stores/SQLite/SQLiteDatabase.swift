import LibC
import Sessions

/// A connection to an SQLite file, with the statements that were prepared on it.
///
/// Calls must not overlap: only the journal's thread uses a database.
// Not checked: one thread at a time uses the connection, as the owner makes sure.
final class SQLiteDatabase {
    private let library: SQLiteLibrary
    private let path: String
    private var connection: SQLiteLibrary.Connection?
    private var statements: [String: Statement] = [:]

    /// Opens or makes a file.
    ///
    /// - Throws: `StoreError`, where the file can't be opened or made.
    init(
        _ path: String, _ library: SQLiteLibrary, flags: Int32 = SQLiteCode.openFlags, busyTime: Duration
    ) throws(StoreError) {
        self.library = library
        self.path = path
        let code = library.open(path, &connection, flags, nil)
        guard code == SQLiteCode.ok else {
            let error = error(code)
            _ = library.close(connection)
            connection = nil
            throw error
        }
        setBusyTime(busyTime)
    }

    deinit {
        close()
    }

    /// Sets how long a call waits for another program.
    func setBusyTime(_ time: Duration) {
        _ = library.busyTimeout(connection, Int32(clamping: Int(time / .milliseconds(1))))
    }

    var isOpen: Bool { connection != nil }

    func close() {
        for statement in statements.values { statement.finalize() }
        statements = [:]
        _ = library.close(connection)
        connection = nil
    }

    /// Drops the connection without closing it, until the process ends.
    func abandon() {
        statements = [:]
        connection = nil
    }

    /// The number of rows that the last statement has changed.
    var changeCount: Int { Int(library.changeCount(connection)) }

    /// Runs statements without parameters or rows.
    func execute(_ sql: String) throws(StoreError) {
        for part in sql.split(separator: ";") where part.contains(where: { !$0.isWhitespace }) {
            try run(String(part))
        }
    }

    /// Runs a statement, which is prepared the first time.
    ///
    /// - Parameter row: called for each row of the result.
    func run(_ sql: String, _ values: [SQLiteValue] = [], row: (Row) -> Void = { _ in }) throws(StoreError) {
        let statement = try prepared(sql)
        defer { _ = library.reset(statement.handle) }
        for (index, value) in values.enumerated() {
            let code = bind(value, Int32(index + 1), statement.handle)
            guard code == SQLiteCode.ok else { throw error(code) }
        }
        while true {
            switch library.step(statement.handle) {
            case SQLiteCode.row: row(Row(library: library, statement: statement.handle))
            case SQLiteCode.done: return
            case let code: throw error(code)
            }
        }
    }

    private func prepared(_ sql: String) throws(StoreError) -> Statement {
        if let statement = statements[sql] { return statement }
        var handle: SQLiteLibrary.Statement?
        let code = library.prepare(connection, sql, -1, SQLiteCode.preparePersistent, &handle, nil)
        guard code == SQLiteCode.ok, let handle else { throw error(code) }
        let statement = Statement(library: library, handle: handle)
        statements[sql] = statement
        return statement
    }

    /// Binds a value. SQLite copies text and bytes, so that they needn't outlive this call.
    private func bind(_ value: SQLiteValue, _ index: Int32, _ statement: SQLiteLibrary.Statement) -> Int32 {
        let copies = UnsafeRawPointer(bitPattern: -1)
        switch value {
        case .null: return library.bindNull(statement, index)
        case .integer(let value): return library.bindInteger(statement, index, value)
        case .text(var text):
            return text.withUTF8 { bytes in
                // Never a null pointer, which would bind NULL.
                guard let base = bytes.baseAddress else { return library.bindText(statement, index, "", 0, copies) }
                return base.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                    library.bindText(statement, index, $0, Int32(clamping: bytes.count), copies)
                }
            }
        case .bytes(let bytes):
            return bytes.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return library.bindText(statement, index, "", 0, copies) }
                return library.bindBlob(statement, index, base, Int32(clamping: bytes.count), copies)
            }
        }
    }

    private func error(_ code: Int32) -> StoreError {
        let text = library.errorMessage(connection).map { String(cString: $0) } ?? "error \(code)"
        let reason = "\(path): \(text)"
        switch code & 0xFF {
        case SQLiteCode.corrupt, SQLiteCode.notADatabase:
            return .unusable("\(reason): restore it from a backup, or name another file")
        case SQLiteCode.error, SQLiteCode.tooBig, SQLiteCode.constraint, SQLiteCode.mismatch, SQLiteCode.misuse,
            SQLiteCode.range:
            // The call would fail again, however often it is tried.
            return .unusable(reason)
        case SQLiteCode.busy, SQLiteCode.locked: return .unavailable("\(reason), since another program uses it")
        case SQLiteCode.readOnly, SQLiteCode.cantOpen:
            return .unavailable("\(reason): the file and its folder must be writable for the user of this process")
        default: return .unavailable(reason)
        }
    }

    struct Statement {
        fileprivate let library: SQLiteLibrary
        fileprivate let handle: SQLiteLibrary.Statement

        fileprivate func finalize() { _ = library.finalize(handle) }
    }

    /// A row, valid during the call that gets it. Columns count from 0.
    struct Row {
        fileprivate let library: SQLiteLibrary
        fileprivate let statement: SQLiteLibrary.Statement

        func integer(_ column: Int32) -> Int64 { library.columnInteger(statement, column) }

        func isNull(_ column: Int32) -> Bool { library.columnType(statement, column) == SQLiteCode.null }

        func bytes(_ column: Int32) -> [UInt8] {
            // Called before the count is read, as the pointer may come from a conversion.
            guard let base = library.columnBlob(statement, column) else { return [] }
            let count = Int(library.columnByteCount(statement, column))
            return Array(UnsafeRawBufferPointer(start: base, count: count))
        }

        func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

        func textIfAny(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
    }
}

enum SQLiteValue {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    static func text(_ text: String?) -> SQLiteValue { text.map { .text($0) } ?? .null }
    static func bytes(_ bytes: [UInt8]?) -> SQLiteValue { bytes.map { .bytes($0) } ?? .null }
    static func integer(_ value: Int) -> SQLiteValue { .integer(Int64(value)) }
}
