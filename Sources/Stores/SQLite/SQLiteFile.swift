import LibC
import Sessions

/// A file that one server has, with what SQLite keeps beside it; or one that is only read.
///
/// Somebody may remove, move or replace these files while the server has them, and SQLite would go on with what has no name
/// any more, and is gone with the process. So whoever uses the file calls `check()` before, and now and then.
///
/// Used by the journal's thread alone.
final class SQLiteFile {
    private(set) var database: SQLiteDatabase
    /// Nil where it is only read.
    private(set) var lock: StoreLock?
    private let path: String
    private let setting: Setting?
    /// What had these names when the file was opened.
    private var identities: [(name: String, identity: Identity?)] = []
    /// It was closed to be opened again, and that has failed.
    private var isClosed = false

    private struct Setting {
        let library: SQLiteLibrary
        let isPowerSafe: Bool
        let busyTime: Duration
    }

    private struct Identity: Equatable {
        let device: dev_t
        let inode: ino_t
        let size: Int64

        init(_ status: stat) {
            (device, inode, size) = (status.st_dev, status.st_ino, Int64(status.st_size))
        }

        /// Nil where nothing has this name.
        init?(of name: String) {
            var status = stat()
            guard stat(name, &status) == 0 else { return nil }
            self.init(status)
        }

        static func == (one: Identity, other: Identity) -> Bool {
            one.device == other.device && one.inode == other.inode
        }
    }

    /// A log that other programs have let grow is cut to this when they let go of it.
    private static let longestLog: Int64 = 8 << 20

    /// Takes the file.
    ///
    /// - Throws: `StoreError`, with what to do.
    init(
        _ path: String, _ library: SQLiteLibrary, isPowerSafe: Bool, takesOver: Bool, busyTime: Duration
    ) throws(StoreError) {
        self.path = path
        setting = Setting(library: library, isPowerSafe: isPowerSafe, busyTime: busyTime)
        lock = try StoreLock(of: path, takesOver: takesOver)
        database = try SQLiteDatabase(path, library, busyTime: busyTime)
    }

    /// - Throws: `StoreError`, with what to do.
    init(reading path: String, busyTime: Duration) throws(StoreError) {
        (self.path, setting) = (path, nil)
        database = try SQLiteDatabase(
            path, SQLiteLibrary(SQLiteStore.systemLibrary), flags: SQLiteCode.readingFlags, busyTime: busyTime)
    }

    /// Prepares the connection for a store. Called once the file is known to be one.
    func configure() throws(StoreError) {
        guard let setting else { return }
        try database.execute("PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY")
        try database.execute("PRAGMA synchronous = \(setting.isPowerSafe ? "FULL" : "NORMAL")")
        try database.execute("PRAGMA journal_size_limit = \(Self.longestLog)")
    }

    /// Called after the first transaction: from then on the files are to stay where they are.
    func noteFiles() {
        let names = [path] + ["-wal", "-shm"].map { Self.realPath(path) + $0 }
        identities = names.map { ($0, Identity(of: $0)) }
    }

    /// SQLite looks beside the file that a symbolic link leads to.
    static func realPath(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    func close() {
        database.close()
        lock?.release()
    }
}

// What people do to files.
extension SQLiteFile {
    /// - Throws: `unavailable` where a file isn't where it was. What can be mended is, and the next call passes.
    func check() throws(StoreError) {
        if isClosed, let setting { try reopen(setting) }
        guard let changed = identities.first(where: { Identity(of: $0.name) != $0.identity }) else { return }
        let isThere = Identity(of: changed.name) != nil
        if changed.name == path { throw try withoutFile(isThere: isThere) }
        try renewLog()
        throw .unavailable(
            """
            \(changed.name) was \(isThere ? "replaced" : "removed") while this server has it: what was in it has been \
            written into \(path), and the server goes on
            """)
    }

    /// Everything that is stored is in the connection that is still open.
    private func withoutFile(isThere: Bool) throws(StoreError) -> StoreError {
        let hasName = (lock?.status.st_nlink ?? 0) > 0
        let what = isThere ? "another file is in the place of \(path), which this server has" : "\(path) was moved"
        if hasName {
            return .unavailable(
                """
                \(what): move \(isThere ? "that away, and the server's back" : "it back, with what was beside it"); \
                until then nothing is stored, and nothing is lost
                """)
        }
        if isThere {
            return .unavailable(
                "\(what): move that away, and the server writes its sessions there again; until then nothing is stored")
        }
        do throws(StoreError) {
            try writeAnew()
        } catch {
            return .unavailable(
                "\(path) was removed while this server has it, and can't be written again: \(error.reason)")
        }
        return .unavailable(
            "\(path) was removed while this server has it: all sessions have been written to it again, and the server goes on"
        )
    }

    /// Writes everything into a new file in the place of the one that is gone, and goes on with that.
    private func writeAnew() throws(StoreError) {
        guard let setting else { return }
        let new = path + "-new"
        unlink(new)
        // SQLite would make one that others can read.
        let descriptor = open(new, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError.cantOpen(new) }
        _ = LibC.close(descriptor)
        defer { unlink(new) }
        try database.run("VACUUM INTO ?", [.text(new)])
        // Fails where there is one of this name meanwhile.
        guard link(new, path) == 0 else { throw StoreError.cantOpen(path) }
        // A log that stayed there is the old file's.
        for end in ["-wal", "-shm"] { unlink(Self.realPath(path) + end) }
        lock = try StoreLock(of: path, takesOver: true)
        try reopen(setting)
    }

    /// Writes what is only in the log into the file, and begins a new log.
    private func renewLog() throws(StoreError) {
        guard let setting else { return }
        var isBusy = true
        try database.run("PRAGMA wal_checkpoint(TRUNCATE)") { isBusy = $0.integer(0) != 0 }
        guard !isBusy else {
            throw .unavailable("\(path)-wal was removed while this server has it, and another program reads \(path)")
        }
        try reopen(setting)
    }

    private func reopen(_ setting: Setting) throws(StoreError) {
        isClosed = true
        // Takes the log along, by its name.
        database.close()
        database = try SQLiteDatabase(path, setting.library, busyTime: setting.busyTime)
        try configure()
        // So that what SQLite keeps beside it is there.
        try database.run("BEGIN IMMEDIATE")
        try database.run("COMMIT")
        noteFiles()
        isClosed = false
    }

    /// Cuts a log that grew while another program read. Called when there is nothing else to do.
    func shortenLog() throws(StoreError) {
        guard identities.count > 1, let log = Identity(of: identities[1].name), log.size > Self.longestLog else {
            return
        }
        // Whoever still reads isn't waited for.
        database.setBusyTime(.zero)
        defer { setting.map { database.setBusyTime($0.busyTime) } }
        try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }
}

// Names.
extension SQLiteFile {
    /// Has the file say which name it is open under, in a transaction.
    ///
    /// A file may have two names, and what a server that was killed had stored last is in a log beside one of them.
    ///
    /// - Throws: `unusable` where it is open under the other name, or was.
    func noteName() throws(StoreError) {
        let name = Self.realPath(path)
        try database.run("CREATE TABLE IF NOT EXISTS place (path TEXT NOT NULL)")
        var before: String?
        try database.run("SELECT path FROM place") { before = $0.text(0) }
        if let before, before != name, let file = Identity(of: before), let own = lock?.status, file == Identity(own),
            let log = Identity(of: before + "-wal"), log.size > 0
        {
            throw .unusable(
                "\(path) is \(before) by another name, and what was stored last is in \(before)-wal: name that file")
        }
        try database.run("DELETE FROM place")
        try database.run("INSERT INTO place VALUES (?)", [.text(name)])
    }

    /// Has the name be in the file itself, for who opens it by another one.
    func writeName() throws(StoreError) {
        try database.run("PRAGMA wal_checkpoint(PASSIVE)")
    }
}
