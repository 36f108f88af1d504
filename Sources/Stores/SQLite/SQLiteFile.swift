import LibC
import Sessions

/// A database file that one server owns, or that is only read, with the log and the index that SQLite keeps beside it.
///
/// Somebody may remove, move or replace these files while the server has them open. SQLite would go on with files that have
/// no name any more and vanish with the process. So `check()` is called before each use, and regularly.
///
/// Used by the journal's thread alone.
final class SQLiteFile {
    private(set) var database: SQLiteDatabase
    /// The lock by which this server owns the file; nil where it is only read.
    private(set) var lock: StoreLock?
    private let path: String
    private let setting: Setting?
    /// The file, the log and the index, as they were when the file was opened.
    private var identities: [(name: String, identity: Identity?)] = []
    private var index = SQLiteLogIndex()
    private var logName = SQLiteLogName()
    /// The error that `checkSizes` threw; nil before.
    private var cut: StoreError?
    /// Whether the database was closed for opening it again, and that has failed.
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
        /// The time of the last modification, in nanoseconds since 1970.
        let time: Int64

        init(_ status: stat) {
            (device, inode, size) = (status.st_dev, status.st_ino, Int64(status.st_size))
            time = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        }

        /// Returns the identity of the file with this name; nil where there is none.
        init?(of name: String) {
            var status = stat()
            guard stat(name, &status) == 0 else { return nil }
            self.init(status)
        }

        static func == (one: Identity, other: Identity) -> Bool {
            one.device == other.device && one.inode == other.inode
        }
    }

    /// The size in bytes to which the log is cut, once no other program reads it and so makes it grow.
    private static let longestLog: Int64 = 8 << 20
    /// The number of frames in the log from which on it is written into the file. This is SQLite's own default.
    private static let mostFrames = 1000

    /// Locks and opens the file.
    ///
    /// - Throws: `StoreError`, whose reason says what to do.
    init(
        _ path: String, _ library: SQLiteLibrary, isPowerSafe: Bool, takesOver: Bool, busyTime: Duration
    ) throws(StoreError) {
        self.path = path
        setting = Setting(library: library, isPowerSafe: isPowerSafe, busyTime: busyTime)
        try Self.checkLog(of: path)
        lock = try StoreLock(of: path, takesOver: takesOver)
        try Self.checkPair(path, library)
        database = try SQLiteDatabase(path, library, busyTime: busyTime)
    }

    /// Opens a file to read it only. Throws as the other initializer does.
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

    /// Writes into the file what identifies it and its log. Called in its first transaction.
    func prepare() throws(StoreError) {
        try noteName()
        try logName.prepare(database)
    }

    /// Notes which files are open, for `check()`. Called after the first transaction.
    func noteFiles() {
        let names = [path] + ["-wal", "-shm"].map { Self.realPath(path) + $0 }
        identities = names.map { ($0, Identity(of: $0)) }
        index.open(names[2])
        // Without the index, this server doesn't know how long the log is.
        try? database.execute("PRAGMA wal_autocheckpoint = \(index.isOpen ? 0 : Self.mostFrames)")
    }

    /// Writes a long log into the file; where that can't be done, the log grows. Called before each transaction that writes.
    func willWrite() {
        let isOthersWork = index.isWrittenBack && !logName.isOver
        if index.frameCount >= Self.mostFrames || isOthersWork { _ = try? checkpoint("PASSIVE") }
    }

    /// Writes the log into the file, as `SQLiteLogName.checkpoint` does, and notes the file's new size.
    private func checkpoint(_ mode: String) throws(StoreError) -> Bool {
        let isBusy = try logName.checkpoint(mode, database)
        if !identities.isEmpty { identities[0].identity = Identity(of: path) }
        return isBusy
    }

    /// Begins a new log name where the log is over. Called in each transaction that writes.
    func beginWriting() throws(StoreError) {
        if index.isWrittenBack { logName.noteOver() }
        try logName.begin(database)
    }

    /// Notes that a transaction that writes is stored.
    func didWrite() { logName.didBegin() }

    /// Returns the path that symbolic links lead to, whether or not a file is there. SQLite keeps the log and the index
    /// beside it.
    static func realPath(_ path: String) -> String {
        var path = path
        // As many links as Linux follows.
        for _ in 0..<40 {
            if let real = realpath(path, nil) {
                defer { free(real) }
                return String(cString: real)
            }
            var target = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink(path, &target, target.count)
            guard count > 0, count < target.count else { break }
            let link = String(decoding: target.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
            let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
            path = link.hasPrefix("/") ? link : folder + link
        }
        return path
    }

    func close() {
        closeDatabase()
        lock?.release()
    }

    private func closeDatabase() {
        // SQLite would write the log into the file when it is closed, but the log doesn't belong to the file any more.
        if cut != nil { database.abandon() }
        database.close()
        index.close()
    }

    deinit {
        closeDatabase()
    }
}

// What people do to files.
extension SQLiteFile {
    /// Checks that the files are still those that were opened, and complete.
    ///
    /// - Throws: `unavailable` where one isn't. What can be repaired is repaired first, so that the next call succeeds.
    func check() throws(StoreError) {
        if isClosed, let setting { try reopen(setting) }
        if let cut { throw cut }
        let found = identities.map { Identity(of: $0.name) }
        guard let place = found.indices.first(where: { found[$0] != identities[$0].identity }) else {
            return try checkSizes(found.map { $0?.size ?? 0 })
        }
        let changed = identities[place]
        let isThere = found[place] != nil
        var status = stat()
        // The folder may be closed to this user for a while.
        guard isThere || stat(changed.name, &status) == 0 || errno == ENOENT || errno == ENOTDIR else {
            let reason = String(cString: strerror(errno))
            throw .unavailable(
                "\(changed.name): \(reason); until that is mended nothing is stored, and nothing is lost")
        }
        if changed.name == path { throw try withoutFile(isThere: isThere) }
        try renewLog()
        throw .unavailable(
            """
            \(changed.name) was \(isThere ? "replaced" : "removed") while this server has it: what was in it has been \
            written into \(path), and the server goes on
            """)
    }

    /// Returns the error for a file that isn't in its place any more. Where the file was removed, it is first written again,
    /// from the connection that is still open.
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

    /// Writes everything into a new file in place of the one that was removed, and opens that.
    private func writeAnew() throws(StoreError) {
        guard let setting else { return }
        // A symbolic link stays in place.
        let place = Self.realPath(path)
        let new = place + "-new"
        unlink(new)
        // SQLite would make a file that others can read.
        let descriptor = open(new, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError.cantOpen(new) }
        _ = LibC.close(descriptor)
        defer { unlink(new) }
        try database.run("VACUUM INTO ?", [.text(new)])
        // Fails where another file has this name meanwhile.
        guard link(new, place) == 0 else { throw StoreError.cantOpen(path) }
        // A log that is still there belongs to the old file.
        for end in ["-wal", "-shm"] { unlink(place + end) }
        lock = try StoreLock(of: path, takesOver: true)
        try reopen(setting)
    }

    /// Writes the log into the file, and begins a new log.
    private func renewLog() throws(StoreError) {
        guard let setting else { return }
        guard try !checkpoint("TRUNCATE") else {
            throw .unavailable("\(path)-wal was removed while this server has it, and another program reads \(path)")
        }
        try reopen(setting)
    }

    private func reopen(_ setting: Setting) throws(StoreError) {
        isClosed = true
        // This removes the log, too, by its name.
        closeDatabase()
        database = try SQLiteDatabase(path, setting.library, busyTime: setting.busyTime)
        try configure()
        // This makes SQLite create the log and the index.
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
        // Readers aren't waited for.
        database.setBusyTime(.zero)
        defer { setting.map { database.setBusyTime($0.busyTime) } }
        _ = try checkpoint("TRUNCATE")
    }
}

// Files that were cut short.
extension SQLiteFile {
    /// Checks that no other program has cut the files short (`: > sessions.db`) or written over them.
    ///
    /// SQLite wouldn't notice, and would go on with what it has in memory.
    ///
    /// - Parameter sizes: the sizes of the file, the log and the index, in bytes; 0 for one that isn't there.
    /// - Throws: `unavailable`, which `check()` throws from then on: some of what was reported as stored is gone.
    private func checkSizes(_ sizes: [Int64]) throws(StoreError) {
        guard setting != nil, sizes.count == 3, index.isOpen else { return }
        let before = identities[0].identity?.size ?? 0
        let what: String
        if sizes[0] < before, sizes[0] < sizeByHeader {
            what = "the end of \(path) was cut off"
        } else if sizes[1] < index.leastSize {
            what = "the end of \(identities[1].name) was cut off"
        } else if try isWrittenOver() {
            what = "\(path) was written over"
        } else {
            return
        }
        let error = StoreError.unavailable(
            """
            \(what) while this server has it: nothing is stored any more. Sessions are as they were in the memory of this \
            server. Stop it, move \(identities[1].name) away, put a backup in its place, and start the server anew
            """)
        cut = error
        throw error
    }

    /// Returns whether another program has put other contents into the same file (`cp backup.db sessions.db`).
    ///
    /// A program that only writes the log into the file doesn't count, as that changes nothing that is stored.
    private func isWrittenOver() throws(StoreError) -> Bool {
        let found = Identity(of: path)
        guard let setting, let found, let known = identities[0].identity else { return false }
        guard found.time != known.time || found.size != known.size else { return false }
        let file = Self.realPath(path)
        guard SQLiteLogName.isPair(file, file + "-wal", setting.library) else { return true }
        identities[0].identity = found
        return false
    }

    /// The size in bytes that the file must have by its own first page (SQLite's file format, 1.3). It may be less than
    /// before, as another program may have run `VACUUM`.
    private var sizeByHeader: Int64 {
        let header = lock?.bytes(32) ?? []
        guard header.count == 32 else { return .max }
        func number(_ place: Int, _ count: Int) -> Int64 {
            header[place..<place + count].reduce(0) { $0 << 8 | Int64($1) }
        }
        let pageSize = number(16, 2)
        return (pageSize == 1 ? 65_536 : pageSize) * number(28, 4)
    }
}

// Names.
extension SQLiteFile {
    /// Throws `unusable` for a log whose file is missing: with a new file, the log's contents would be lost.
    private static func checkLog(of path: String) throws(StoreError) {
        let log = realPath(path) + "-wal"
        guard Identity(of: path)?.size ?? 0 == 0, let size = Identity(of: log)?.size, size > 0 else { return }
        throw .unusable(
            """
            \(path) is empty or isn't there, and \(log) has what was stored in it last: move the file back to its log, or both to the same \
            new name. To begin without it, remove the log
            """)
    }

    /// Throws `unusable` where the log beside the file belongs to another file.
    private static func checkPair(_ path: String, _ library: SQLiteLibrary) throws(StoreError) {
        let (file, log) = (realPath(path), realPath(path) + "-wal")
        guard !SQLiteLogName.isPair(file, log, library) else { return }
        throw .unusable(
            """
            \(path) and \(log) don't belong together: the file is an older one, such as a backup, or was used without this \
            log. To go on with the file as it is, move the log away; to go on with what is in the log, put the file back \
            that it was beside
            """)
    }

    /// Writes the name under which the file is open into the file, in a transaction.
    ///
    /// A file may have two names. A log beside one of them has what a killed server stored last.
    ///
    /// - Throws: `unusable` where the file has another name now, and such a log is beside the earlier one.
    private func noteName() throws(StoreError) {
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
        // Only where the file was moved: a copy isn't the file of the log that is there.
        try database.run("CREATE TABLE IF NOT EXISTS placeFile (inode INTEGER NOT NULL)")
        let inode = Int64(truncatingIfNeeded: lock?.status.st_ino ?? 0)
        var isSameFile = false
        try database.run("SELECT inode FROM placeFile") { isSameFile = $0.integer(0) == inode }
        if let before, before != name, let log = Identity(of: before + "-wal"), log.size > 0,
            try isWithoutFile(before), isSameFile || SQLiteLogName.isLog(before + "-wal", of: database)
        {
            let way =
                Identity(of: before) == nil ? "move the file back" : "move the other file there away, and this one back"
            throw .unusable("\(path) was moved from \(before), and what was stored last is in \(before)-wal: \(way)")
        }
        try database.execute("DELETE FROM place; DELETE FROM placeFile")
        try database.run("INSERT INTO place VALUES (?)", [.text(name)])
        try database.run("INSERT INTO placeFile VALUES (?)", [.integer(inode)])
    }

    /// Returns whether the log beside this path lacks the file that it belongs to.
    private func isWithoutFile(_ path: String) throws(StoreError) -> Bool {
        guard let setting, Identity(of: path)?.size ?? 0 > 0 else { return true }
        return !SQLiteLogName.isPair(path, path + "-wal", setting.library)
    }

    /// Writes the names from the log into the file itself, for programs that open it by another name or without its log.
    func writeNames() throws(StoreError) {
        _ = try checkpoint("PASSIVE")
    }
}
