import LibC
import Sessions
import Stores
import TestSupport
import Testing

/// Files that can't be used, now or ever: each has a clear error, and nothing is lost or half stored.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct SQLiteFaultsTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("store.db") }

    init() throws {
        folder = try TemporaryFolder()
    }

    /// The reason why the file is refused.
    private func refusal(_ path: String, library: String = "libsqlite3.so.0") throws -> StoreError {
        let error = #expect(throws: StoreError.self) {
            _ = try SQLiteStore(path: path, durability: .process, library: library)
        }
        return try #require(error)
    }

    private func makeStore() throws {
        let store = try SQLiteStore(path: path, durability: .process)
        try store.commit(StoredChange.root("a") + [.event("a", 1, "1")])
        store.close()
    }

    // MARK: Another server

    @Test func `a second server is refused with the first one's number, and let in when that has closed`() throws {
        let first = try SQLiteStore(path: path, durability: .process)
        #expect(
            try refusal(path)
                == .inaccessible(
                    """
                    \(path) is in use by another server, process \(getpid()): \
                    stop that, or take the file over (--take-over)
                    """))
        try first.commit(StoredChange.root("a"))
        first.close()
        let second = try SQLiteStore(path: path, durability: .process)
        #expect(try second.scene(withSessionKey: "a") != nil)
        second.close()
    }

    @Test func `a take-over of a file that nobody has is an ordinary start`() throws {
        try makeStore()
        let store = try SQLiteStore(path: path, durability: .process, takesOver: true)
        #expect(try store.scene(withSessionKey: "a") != nil)
        #expect(try refusal(path).reason.contains("in use"))
        store.close()
    }

    @Test func `a start that fails keeps no other one out`() throws {
        try folder.write(Array("no database, but a text of some length".utf8), to: "store.db")
        for _ in 1...2 { #expect(try refusal(path).reason.contains("not a database")) }
    }

    // MARK: Another program

    @Test func `a file that another program locks can't be reached, and can again when it is free`() throws {
        let store = try SQLiteStore(path: path, durability: .process, busyTime: .zero)
        try store.commit(StoredChange.root("a"))
        let other = try OtherConnection(path)
        for lock in ["EXCLUSIVE", "IMMEDIATE"] {
            try other.execute("BEGIN \(lock)")
            let before = try store.scene(withSessionKey: "a")?.sessions[0].turn.newest ?? -1
            let error = #expect(throws: StoreError.self) { try store.commit([.event("a", before + 1, "x")]) }
            #expect(error == .unavailable("\(path): database is locked, since another program uses it"))
            #expect(throws: StoreError.self) { try store.removeScenes(unusedFor: .zero) }
            // Reading goes on.
            #expect(try store.scene(withSessionKey: "a")?.sessions[0].turn.newest == before)
            try other.execute("COMMIT")
            try store.commit([.event("a", before + 1, "x")])
        }
        store.close()
        let later = try SQLiteStore(path: path, durability: .process)
        #expect(try later.scene(withSessionKey: "a")?.sessions[0].turn.newest == 2)
        later.close()
    }

    @Test func `a file that another program locks while a server starts is in use`() throws {
        try makeStore()
        let other = try OtherConnection(path)
        try other.execute("BEGIN IMMEDIATE")
        let error = #expect(throws: StoreError.self) {
            _ = try SQLiteStore(path: path, durability: .process, busyTime: .zero)
        }
        #expect(error == .unavailable("\(path): database is locked, since another program uses it"))
        try other.execute("COMMIT")
        _ = try SQLiteStore(path: path, durability: .process, busyTime: .zero)
    }

    @Test(arguments: ["", "PRAGMA user_version = 1", "PRAGMA application_id = 7; PRAGMA user_version = 1"])
    func `the database of another program is refused and left as it is`(_ sql: String) throws {
        do {
            let other = try OtherConnection(path)
            try other.execute("CREATE TABLE scene (id INTEGER PRIMARY KEY, name TEXT)")
            if !sql.isEmpty { try other.execute(sql) }
        }
        let bytes = folder.bytes(of: "store.db")
        #expect(
            try refusal(path) == .unusable("\(path) is the database of another program: name another file"))
        #expect(folder.bytes(of: "store.db") == bytes)
    }

    @Test(arguments: [("session", "epochs"), ("session", "argumentsVersion"), ("scene", "commits")])
    func `a store of a version before a column goes on, and can be read before it does`(
        _ table: String, _ column: String
    ) throws {
        try makeStore()
        try OtherConnection(path).execute("ALTER TABLE \(table) DROP COLUMN \(column)")
        let reader = try SQLiteStore(reading: path)
        #expect(try reader.scene(withSessionKey: "a")?.sessions[0].header.argumentsVersion == 1)
        reader.close()
        let store = try SQLiteStore(path: path, durability: .process)
        let session = try #require(try store.scene(withSessionKey: "a")).sessions[0]
        #expect(session.epochs.has(0, of: "1"))
        #expect(session.header.argumentsVersion == 1)
        try store.commit([.event("a", 2, "2")])
        store.close()
    }

    @Test func `a store of a newer version is refused and left as it is`() throws {
        try makeStore()
        try OtherConnection(path).execute("PRAGMA journal_mode = DELETE; PRAGMA user_version = 2")
        let bytes = folder.bytes(of: "store.db")
        #expect(
            try refusal(path)
                == .unusable(
                    """
                    \(path) was made by another version of the server (schema 2; this one has 1): \
                    start that version, or name another file
                    """))
        #expect(folder.bytes(of: "store.db") == bytes)
    }

    // MARK: Broken files

    @Test func `a text file is refused and left as it is`() throws {
        let text = Array(String(repeating: "These are notes.\n", count: 100).utf8)
        try folder.write(text, to: "store.db")
        #expect(
            try refusal(path)
                == .unusable("\(path): file is not a database: restore it from a backup, or name another file"))
        #expect(folder.bytes(of: "store.db") == text)
    }

    @Test func `an empty file is a new store`() throws {
        try folder.write([], to: "store.db")
        try makeStore()
    }

    @Test func `a store with an overwritten header is refused and left as it is`() throws {
        try makeStore()
        var bytes = try #require(folder.bytes(of: "store.db"))
        for index in 0..<100 { bytes[index] = 0xA5 }
        try folder.write(bytes, to: "store.db")
        let error = try refusal(path)
        guard case .unusable(let reason) = error else { throw Unexpected(error) }
        #expect(reason.contains("restore it from a backup"))
        #expect(folder.bytes(of: "store.db") == bytes)
    }

    @Test func `in a store with overwritten pages what can't be read or stored is said, and nothing traps`() throws {
        let store = try SQLiteStore(path: path, durability: .process)
        try store.commit((1...200).flatMap { StoredChange.root("session \($0)") })
        store.close()
        let whole = try #require(folder.bytes(of: "store.db"))
        let pages = whole.count / 4_096
        var refused = 0
        for page in 1..<pages {
            var bytes = whole
            for index in page * 4_096..<(page + 1) * 4_096 { bytes[index] = UInt8(truncatingIfNeeded: index &* 7) }
            try folder.write(bytes, to: "store.db")
            do throws(StoreError) {
                let store = try SQLiteStore(path: path, durability: .process)
                defer { store.close() }
                for number in stride(from: 1, through: 200, by: 40) {
                    _ = try store.scene(withSessionKey: "session \(number)")
                    try store.commit([.event("session \(number)", 1, "x", key: "k")])
                }
            } catch {
                guard case .unusable(let reason) = error else { throw Unexpected(error) }
                #expect(reason.contains("restore it from a backup") || reason.contains("another program"), "\(page)")
                refused += 1
            }
            // Of no use beside another file.
            for end in ["-wal", "-shm"] { unlink(path + end) }
        }
        #expect(refused > 2)
    }

    // MARK: Disks

    @Test func `on a full disk nothing is half stored, and the store works again when there is room`() async {
        // A process of its own, since the limit is one of the process.
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let path = folder.file("store.db")
            let store = try SQLiteStore(path: path, durability: .power)
            try store.commit(StoredChange.root("a") + [.event("a", 1, "1")])
            signal(SIGXFSZ, SIG_IGN)
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
            for room in [0, 1, 5_000, 100_000] {
                let newest = try #require(try store.scene(withSessionKey: "a")).sessions[0].turn.newest
                var status = stat()
                try #require(stat(path + "-wal", &status) == 0)
                var limit = rlimit(rlim_cur: rlim_t(status.st_size) + rlim_t(room), rlim_max: .max)
                try #require(setrlimit(resource, &limit) == 0)
                let changes: [StoredChange] = [
                    .event("a", newest + 1, "small"),
                    .event("a", newest + 2, String(repeating: "x", count: 1 << 20)),
                ]
                for _ in 1...3 {
                    let error = #expect(throws: StoreError.self) { try store.commit(changes) }
                    guard case .unavailable(let reason) = error else { throw Unexpected(error) }
                    #expect(reason.hasPrefix("\(path): "))
                    #expect(try store.scene(withSessionKey: "a")?.sessions[0].turn.newest == newest)
                }
                limit.rlim_cur = .max
                try #require(setrlimit(resource, &limit) == 0)
                try store.commit(changes)
                #expect(try store.scene(withSessionKey: "a")?.sessions[0].turn.newest == newest + 2)
            }
            store.close()
            let later = try SQLiteStore(path: path, durability: .process)
            #expect(try later.scene(withSessionKey: "a")?.sessions[0].turn.entries.count == 9)
            later.close()
        }
    }

    @Test func `a start on a full disk doesn't reach the store, and a later one has all of it`() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
            for isNew in [false, true] {
                for room in [0, 1, 5_000] {
                    let folder = try TemporaryFolder()
                    let (first, path) = (folder.file("first.db"), folder.file("store.db"))
                    if !isNew {
                        let store = try SQLiteStore(path: first, durability: .power)
                        try store.commit(StoredChange.root("a"))
                        // As a server leaves it that is killed.
                        for end in ["", "-wal"] {
                            let bytes = try #require(folder.bytes(of: "first.db" + end))
                            try folder.write(bytes, to: "store.db" + end)
                        }
                        store.close()
                    }
                    var limit = rlimit(rlim_cur: rlim_t(room), rlim_max: .max)
                    try #require(setrlimit(resource, &limit) == 0)
                    for _ in 1...3 {
                        let error = #expect(throws: StoreError.self) {
                            _ = try SQLiteStore(path: path, durability: .power)
                        }
                        guard case .unavailable? = error else {
                            Issue.record("\(String(describing: error)) with \(room) bytes")
                            continue
                        }
                    }
                    limit.rlim_cur = .max
                    try #require(setrlimit(resource, &limit) == 0)
                    let store = try SQLiteStore(path: path, durability: .power)
                    #expect(try (store.scene(withSessionKey: "a") == nil) == isNew)
                    store.close()
                }
            }
        }
    }

    @Test func `a copy of a store that lacks its mark is refused as that`() throws {
        try SQLiteStore(path: path, durability: .process).close()
        // As `.dump` and `.clone` leave it out.
        try OtherConnection(path).execute("PRAGMA application_id = 0; PRAGMA user_version = 0")
        guard case .unusable(let reason) = try refusal(path) else { throw Unexpected(try refusal(path)) }
        #expect(reason.contains("is a copy of a store that was made without its mark, as by .dump"), "\(reason)")
    }

    @Test func `a folder that is closed to the server for a while is said to be that`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let path = folder.file("store.db")
            let isRoot = geteuid() == 0
            // Root may do everything.
            if isRoot {
                try #require(chmod(folder.path, 0o777) == 0)
                try #require(seteuid(65_534) == 0)
            }
            let store = try SQLiteStore(path: path, durability: .process)
            try store.commit(StoredChange.root("a"))
            func setMode(_ mode: mode_t) throws {
                if isRoot { try #require(seteuid(0) == 0) }
                try #require(chmod(folder.path, mode) == 0)
                if isRoot { try #require(seteuid(65_534) == 0) }
            }
            try setMode(0o600)
            let reason = "\(path): Permission denied; until that is mended nothing is stored, and nothing is lost"
            #expect(throws: StoreError.unavailable(reason)) { try store.commit([.event("a", 1, "1")]) }
            try setMode(0o777)
            try store.commit([.event("a", 1, "1")])
            store.close()
        }
    }

    @Test func `a file or a folder that may not be written is refused with what to do`() async {
        // A process of its own, since root may write everything and has to become somebody else.
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let path = folder.file("store.db")
            let store = try SQLiteStore(path: path, durability: .process)
            try store.commit(StoredChange.root("a"))
            store.close()
            let advice = "it and its folder must be there, and writable for the user of this process"
            func refusal() throws -> StoreError {
                try #require(
                    #expect(throws: StoreError.self) { _ = try SQLiteStore(path: path, durability: .process) })
            }
            let isRoot = geteuid() == 0
            if isRoot {
                try #require(chmod(folder.path, 0o777) == 0)
                try #require(seteuid(65_534) == 0)
            } else {
                try #require(chmod(path, 0o400) == 0)
            }
            #expect(try refusal() == .inaccessible("\(path) can't be opened (Permission denied): \(advice)"))
            if isRoot { try #require(seteuid(0) == 0) }
            unlink(path)
            try #require(chmod(folder.path, 0o555) == 0)
            if isRoot { try #require(seteuid(65_534) == 0) }
            #expect(try refusal() == .inaccessible("\(path) can't be opened (Permission denied): \(advice)"))
            if isRoot { try #require(seteuid(0) == 0) }
            try #require(chmod(folder.path, 0o777) == 0)
        }
    }

    @Test func `a folder that isn't there, and a folder in the file's place, are refused with what to do`() throws {
        let advice = "it and its folder must be there, and writable for the user of this process"
        let path = folder.file("none/store.db")
        #expect(
            try refusal(path) == .inaccessible("\(path) can't be opened (No such file or directory): \(advice)"))
        #expect(
            try refusal(folder.path) == .inaccessible("\(folder.path) can't be opened (Is a directory): \(advice)"))
    }

    @Test func `the file and all that is beside it are readable for its user alone`() throws {
        let store = try SQLiteStore(path: path, durability: .process)
        try store.commit(StoredChange.root("a"))
        for end in ["", "-wal", "-shm"] {
            var status = stat()
            try #require(stat(path + end, &status) == 0, "\(end)")
            #expect(status.st_mode & 0o777 == 0o600, "\(end)")
        }
        store.close()
    }

    // MARK: The library

    @Test func `without SQLite's library the error says what to install, and no file is made`() throws {
        let error = try refusal(path, library: "libsqlite3-none.so.0")
        guard case .unusable(let reason) = error else { throw Unexpected(error) }
        #expect(reason.hasPrefix("libsqlite3-none.so.0 can't be loaded ("))
        #expect(reason.hasSuffix("): install it, on Debian by: apt install libsqlite3-0"))
        #expect(folder.bytes(of: "store.db") == nil)
    }

    @Test func `a library that isn't SQLite is refused`() throws {
        #expect(
            try refusal(path, library: "libc.so.6")
                == .unusable("libc.so.6 has no sqlite3_open_v2: install SQLite 3.24 or later"))
    }
}
