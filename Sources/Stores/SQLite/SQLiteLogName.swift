import LibC
import Sessions

/// The name of a log, which tells whether a file and the log beside it belong together.
///
/// SQLite plays any log into any file, even into a backup that was put in place of a killed server's file, which makes a
/// mixture. So each log has a name. The log's first transaction writes it into the file, beside the name that the file had
/// before. The name that a file has without its log must therefore be in the log: as the one before, or as the one that this
/// log gave it.
///
/// A file or a log without names is an earlier version's or another program's, and is accepted.
struct SQLiteLogName {
    /// The text by which a name is found among other bytes.
    private static let mark = "view-model-log-"
    /// The number of bytes beyond which names in a long log aren't searched for.
    private static let longestRead = 1 << 30

    /// Whether everything in the log is in the file, so that the next write begins another log.
    private(set) var isOver = false

    /// Makes a random name. All names have the same length.
    private static func makeName() -> String {
        var generator = SystemRandomNumberGenerator()
        return (1...4).reduce(mark) { name, _ in
            let digits = String(generator.next() as UInt32, radix: 16)
            return name + String(repeating: "0", count: 8 - digits.count) + digits
        }
    }

    /// Adds the table of names to a file that doesn't have it, and names the file. Called in a transaction.
    func prepare(_ database: SQLiteDatabase) throws(StoreError) {
        try database.run("CREATE TABLE IF NOT EXISTS log (before TEXT NOT NULL, name TEXT NOT NULL)")
        var isThere = false
        try database.run("SELECT 1 FROM log") { _ in isThere = true }
        guard !isThere else { return }
        let name = Self.makeName()
        try database.run("INSERT INTO log VALUES (?, ?)", [.text(name), .text(name)])
    }

    /// Gives the log a new name where one begins. Called in each transaction that writes.
    func begin(_ database: SQLiteDatabase) throws(StoreError) {
        if isOver { try rename(database) }
    }

    /// Changes the name. Names have the same length, so that a new one overwrites the old one and no page keeps it.
    private func rename(_ database: SQLiteDatabase) throws(StoreError) {
        try database.run("UPDATE log SET before = name, name = ?", [.text(Self.makeName())])
        // Brings the first page into the log, for `newestSchemaCookie(in:)`.
        try database.run("PRAGMA application_id = \(SQLiteStore.applicationID)")
    }

    /// Notes that a transaction with `begin` is stored.
    mutating func didBegin() { isOver = false }

    /// Notes that another program has written the log into the file.
    mutating func noteOver() { isOver = true }

    /// Writes the log into the file, as far as other readers allow.
    ///
    /// - Parameter mode: SQLite's name of the mode.
    /// - Returns: whether another program was in the way.
    mutating func checkpoint(_ mode: String, _ database: SQLiteDatabase) throws(StoreError) -> Bool {
        // A file with this name has all of the log. A full disk has no room for the name, but may have room after the
        // checkpoint.
        let isNamed = (try? rename(database)) != nil
        var (isBusy, count, written): (Bool, Int64, Int64) = (true, 0, -1)
        try database.run("PRAGMA wal_checkpoint(\(mode))") {
            (isBusy, count, written) = ($0.integer(0) != 0, $0.integer(1), $0.integer(2))
        }
        isOver = isNamed && count == written
        return isBusy
    }

    /// What a file says without its log.
    private struct Alone {
        /// The name; nil where the file has none, or can't be read without its log.
        var name: String?
        /// The number that is raised with each change of the schema, and by each `VACUUM INTO` (SQLite's file format, 1.3.9).
        var schemaCookie = 0
    }

    /// Reads a file without its log. SQLite reads it: if other code closed the file, SQLite's own locks on it in this process
    /// would be lost.
    private static func alone(_ path: String, _ library: SQLiteLibrary) -> Alone {
        // SQLite's URI filenames; an immutable file is read without a log and without locks.
        let escaped = path.utf8.map { byte in
            let isPlain = byte == UInt8(ascii: "/") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            let digits = String(byte, radix: 16)
            return isPlain ? String(UnicodeScalar(byte)) : "%\(digits.count == 1 ? "0" : "")\(digits)"
        }
        let address = "file:\(escaped.joined())?immutable=1"
        guard
            let database = try? SQLiteDatabase(address, library, flags: SQLiteCode.addressFlags, busyTime: .zero)
        else { return Alone() }
        defer { database.close() }
        var found = Alone(name: name(database))
        try? database.run("PRAGMA schema_version") { found.schemaCookie = Int($0.integer(0)) }
        return found
    }

    private static func name(_ database: SQLiteDatabase) -> String? {
        var name: String?
        try? database.run("SELECT name FROM log") { name = $0.text(0) }
        return name
    }

    /// Returns whether a file that isn't open belongs to a log.
    ///
    /// - Parameters:
    ///   - path: the file's path, without symbolic links.
    ///   - log: the log's path.
    static func isPair(_ path: String, _ log: String, _ library: SQLiteLibrary) -> Bool {
        // A second time, as a server from which this one takes the file may be about to begin another log.
        for _ in 1...2 {
            let file = alone(path, library)
            switch search(log, for: file.name) {
            case .own: return (newestSchemaCookie(in: log) ?? .max) >= file.schemaCookie
            case .unnamed: return true
            case .another: continue
            }
        }
        return false
    }

    /// Returns the newest schema cookie of a log, which is in the first page. A file that belongs to the log has no newer
    /// one: a file with a newer one was made by `VACUUM INTO`, and has the log's contents in other pages.
    private static func newestSchemaCookie(in log: String) -> Int? {
        var newest: Int?
        forEachFrame(of: log) { page, bytes in
            if page == 1 { newest = number(bytes.dropFirst(40).prefix(4)) }
            return true
        }
        return newest
    }

    /// Returns whether a log, wherever it is, belongs to the open file.
    static func isLog(_ log: String, of database: SQLiteDatabase) -> Bool {
        name(database).map { search(log, for: $0) == .own } ?? false
    }

    private enum Finding {
        /// The log has the name that was searched for.
        case own
        /// The log has names, but not the one that was searched for.
        case another
        case unnamed
    }

    private static func search(_ path: String, for name: String?) -> Finding {
        var finding = Finding.unnamed
        guard let name else { return finding }
        forEachFrame(of: path) { _, bytes in
            if contains(bytes, name) {
                finding = .own
            } else if contains(bytes, mark) {
                finding = .another
            }
            return finding != .own
        }
        return finding
    }

    /// Calls `body` for each valid frame of a log (SQLite's WAL format, 4.1 and 4.2). Frames of an earlier log may come after
    /// them.
    ///
    /// - Parameter body: takes a page's number and its bytes; returns whether to go on.
    private static func forEachFrame(of path: String, _ body: (Int, ArraySlice<UInt8>) -> Bool) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { _ = LibC.close(descriptor) }
        guard let header = read(descriptor, 32, at: 0) else { return }
        let pageSize = number(header[8..<12])
        guard (512...65_536).contains(pageSize) else { return }
        var place = 32
        while place < longestRead, let frame = read(descriptor, 24 + pageSize, at: place),
            frame[8..<16] == header[16..<24]
        {
            guard body(number(frame[0..<4]), frame[24...]) else { return }
            place += frame.count
        }
    }

    private static func read(_ descriptor: CInt, _ count: Int, at place: Int) -> ArraySlice<UInt8>? {
        var bytes = [UInt8](repeating: 0, count: count)
        return pread(descriptor, &bytes, count, off_t(place)) == count ? bytes[...] : nil
    }

    /// Reads a big-endian number.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    private static func contains(_ bytes: ArraySlice<UInt8>, _ text: String) -> Bool {
        let wanted = Array(text.utf8)
        return bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let first = wanted.first else { return false }
            var place = 0
            while bytes.count - place >= wanted.count {
                guard let found = memchr(start + place, Int32(first), bytes.count - place - wanted.count + 1) else {
                    break
                }
                if memcmp(found, wanted, wanted.count) == 0 { return true }
                place = UnsafeRawPointer(found) - start + 1
            }
            return false
        }
    }
}
