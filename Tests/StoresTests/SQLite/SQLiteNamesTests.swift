import LibC
import Sessions
import Stores
import TestSupport
import Testing

/// What people do to a store's file while a server has it: other names for it, and `rm` and `mv`.
@Suite(.inTurn, .timeLimit(.minutes(5))) struct SQLiteNamesTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("store.db") }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open(_ name: String = "store.db", takesOver: Bool = false) throws -> SQLiteStore {
        try SQLiteStore(path: folder.file(name), durability: .process, takesOver: takesOver)
    }

    private func opened() throws -> SQLiteStore {
        let store = try open()
        try store.commit(StoredChange.root("a") + [.event("a", 1, "1")])
        return store
    }

    private func reason(_ body: () throws -> Void) throws -> String {
        let error = #expect(throws: StoreError.self) { try body() }
        switch error {
        case .unavailable(let reason)?, .inaccessible(let reason)?: return reason
        default: throw Unexpected(error)
        }
    }

    /// What is stored, as a server that starts finds it.
    private func newest(_ name: String = "store.db") throws -> Int? {
        let store = try open(name)
        defer { store.close() }
        return try store.scene(withSessionKey: "a")?.sessions[0].turn.newest
    }

    private func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    private func move(_ name: String, to other: String) throws {
        try #require(rename(folder.file(name), folder.file(other)) == 0)
    }

    private func makeOtherName(_ name: String, isSymbolic: Bool) throws {
        let made = isSymbolic ? symlink(path, folder.file(name)) : link(path, folder.file(name))
        try #require(made == 0)
    }

    // MARK: Names

    @Test(arguments: [true, false])
    func `a file is in use by whatever name a second server knows it`(_ isSymbolic: Bool) throws {
        let store = try opened()
        try makeOtherName("other.db", isSymbolic: isSymbolic)
        #expect(try reason { _ = try open("other.db") }.contains("in use by another server, process \(getpid())"))
        try store.commit([.event("a", 2, "2")])
        store.close()
        #expect(try newest("other.db") == 2)
    }

    @Test func `a server takes over by a symbolic link, and a third one is kept out by any name`() throws {
        let first = try opened()
        try makeOtherName("other.db", isSymbolic: true)
        let second = try open("other.db", takesOver: true)
        #expect(throws: StoreError.takenOver("another server has taken the store over")) {
            try first.commit([.event("a", 2, "2")])
        }
        first.close()
        for name in ["store.db", "other.db"] { #expect(try reason { _ = try open(name) }.contains("in use")) }
        try second.commit([.event("a", 2, "two")])
        second.close()
        #expect(try newest() == 2)
    }

    @Test func `what a killed server has left beside one name isn't left out by another name`() throws {
        let store = try opened()
        let files = ["store.db", "store.db-wal"]
        let left = try files.map { try #require(folder.bytes(of: $0)) }
        store.close()
        // Into the same file, as a kill leaves it.
        for (name, bytes) in zip(files, left) { try folder.write(bytes, to: name) }
        try makeOtherName("other.db", isSymbolic: false)
        let error = #expect(throws: StoreError.self) { _ = try open("other.db") }
        guard case .unusable(let reason)? = error else { throw Unexpected(error) }
        let real = try #require(realPath(path))
        #expect(
            reason.hasSuffix("is \(real) by another name, and what was stored last is in \(real)-wal: name that file"))
        #expect(try newest() == 1)
        #expect(try newest("other.db") == 1)
    }

    // MARK: Moved

    @Test
    func `a file that was moved without its log is refused by either name, and all is there when it is back`() throws {
        let store = try opened()
        let files = ["store.db", "store.db-wal"]
        let left = try files.map { try #require(folder.bytes(of: $0)) }
        // Into the same file, as a kill leaves it.
        store.close()
        for (name, bytes) in zip(files, left) { try folder.write(bytes, to: name) }
        try move("store.db", to: "moved.db")
        func refusal(_ name: String) throws -> String {
            let error = #expect(throws: StoreError.self) { _ = try open(name) }
            guard case .unusable(let reason)? = error else { throw Unexpected(error) }
            return reason
        }
        #expect(try refusal("moved.db").hasSuffix("-wal: move the file back"))
        #expect(try refusal("store.db").contains("isn't there, and "))
        #expect(folder.bytes(of: "store.db-wal") == left[1])
        try move("moved.db", to: "store.db")
        #expect(try newest() == 1)
    }

    @Test func `a file that was moved without its log is refused also where another one is in its place`() throws {
        try opened().close()
        let backup = try #require(folder.bytes(of: "store.db"))
        let store = try open()
        _ = try store.scene(withSessionKey: "a")
        try store.commit([.event("a", 2, "2")])
        let files = ["store.db", "store.db-wal"]
        let left = try files.map { try #require(folder.bytes(of: $0)) }
        store.close()
        for (name, bytes) in zip(files, left) { try folder.write(bytes, to: name) }
        try move("store.db", to: "moved.db")
        try folder.write(backup, to: "store.db")
        for (name, words) in [("store.db", "don't belong together"), ("moved.db", "move the other file there away")] {
            let error = #expect(throws: StoreError.self) { _ = try open(name) }
            guard case .unusable(let reason)? = error else { throw Unexpected(error) }
            #expect(reason.contains(words), "\(reason)")
        }
        unlink(path)
        try move("moved.db", to: "store.db")
        #expect(try newest() == 2)
    }

    @Test(arguments: [true, false])
    func `a link to a file that was moved away from its log is refused as the file's own name is`(
        _ isRelative: Bool
    ) throws {
        let store = try opened()
        let log = try #require(folder.bytes(of: "store.db-wal"))
        store.close()
        try folder.write(log, to: "store.db-wal")
        try #require(symlink(isRelative ? "store.db" : path, folder.file("link.db")) == 0)
        try #require(symlink(isRelative ? "link.db" : folder.file("link.db"), folder.file("second.db")) == 0)
        try move("store.db", to: "moved.db")
        for name in ["link.db", "second.db"] {
            let error = #expect(throws: StoreError.self) { _ = try open(name) }
            guard case .unusable(let reason)? = error else { throw Unexpected(error) }
            #expect(reason.contains("isn't there, and "))
        }
        #expect(folder.bytes(of: "store.db-wal") == log)
    }

    @Test func `a copy goes on without the log of its original`() throws {
        let store = try opened()
        store.close()
        try folder.write(try #require(folder.bytes(of: "store.db")), to: "copy.db")
        unlink(path)
        try folder.write(Array("a log".utf8), to: "store.db-wal")
        #expect(try newest("copy.db") == 1)
    }

    // MARK: Put in its place

    /// A store with a log that isn't empty, and a backup of an earlier time.
    private func killed(after commits: Int) throws -> (file: [UInt8], log: [UInt8]) {
        let store = try opened()
        try OtherConnection(path).execute("VACUUM INTO '\(folder.file("backup.db"))'")
        let text = String(repeating: "x", count: 5_000)
        for number in 2...commits { try store.commit([.event("a", number, text)]) }
        let left = try (file: #require(folder.bytes(of: "store.db")), log: #require(folder.bytes(of: "store.db-wal")))
        store.close()
        return left
    }

    private func expectRefusal(_ name: String) throws {
        let before = try ["", "-wal"].map { try #require(folder.bytes(of: name + $0)) }
        let error = #expect(throws: StoreError.self) { _ = try open(name) }
        guard case .unusable(let reason)? = error else { throw Unexpected(error) }
        #expect(reason.contains("\(name)-wal don't belong together: "))
        #expect(try ["", "-wal"].map { try #require(folder.bytes(of: name + $0)) } == before, "nothing was touched")
    }

    @Test func `a killed server's file goes with its log, however often that was written into the file`() throws {
        for commits in [2, 200, 400, 1200] {
            let left = try killed(after: commits)
            for (name, bytes) in [("store.db", left.file), ("store.db-wal", left.log)] {
                try folder.write(bytes, to: name)
            }
            #expect(try newest() == commits)
            for name in ["store.db", "backup.db"] { try #require(unlink(folder.file(name)) == 0) }
        }
    }

    @Test(arguments: [2, 3, 600])
    func `a backup beside a killed server's log is refused, and goes without it`(_ commits: Int) throws {
        let left = try killed(after: commits)
        try folder.write(try #require(folder.bytes(of: "backup.db")), to: "store.db")
        try folder.write(left.log, to: "store.db-wal")
        try expectRefusal("store.db")
        unlink(path + "-wal")
        #expect(try newest() == 1)
    }

    @Test func `a file that was used without its log doesn't go with it any more`() throws {
        let left = try killed(after: 600)
        try folder.write(left.file, to: "other.db")
        let newest = try #require(try newest("other.db"))
        let other = try open("other.db")
        try other.commit([.event("a", newest + 1, "x")])
        other.close()
        try move("other.db", to: "store.db")
        try folder.write(left.log, to: "store.db-wal")
        try expectRefusal("store.db")
    }

    @Test(arguments: ["PASSIVE", "RESTART", "TRUNCATE"])
    func `a log that another program has written into the file goes with it, and with no earlier one`(
        _ mode: String
    ) throws {
        func files() throws -> [[UInt8]] {
            try ["store.db", "store.db-wal"].map { try #require(folder.bytes(of: $0)) }
        }
        try opened().close()
        var backups = [try #require(folder.bytes(of: "store.db"))]
        let store = try open()
        _ = try store.scene(withSessionKey: "a")
        for number in 2...4 {
            try store.commit([.event("a", 2 * number - 2, "x")])
            // As SQLite's `.backup` makes it.
            for (name, bytes) in zip(["backup.db", "backup.db-wal"], try files()) { try folder.write(bytes, to: name) }
            try OtherConnection(folder.file("backup.db")).execute("PRAGMA wal_checkpoint(TRUNCATE)")
            backups.append(try #require(folder.bytes(of: "backup.db")))
            try OtherConnection(path).execute("PRAGMA wal_checkpoint(\(mode))")
            try store.commit([.event("a", 2 * number - 1, "x")])
        }
        let left = try files()
        store.close()
        for backup in backups {
            try folder.write(left[1], to: "store.db-wal")
            try folder.write(backup, to: "store.db")
            try expectRefusal("store.db")
        }
        unlink(path)
        try folder.write(left[0], to: "moved.db")
        let error = #expect(throws: StoreError.self) { _ = try open("moved.db") }
        guard case .unusable(let reason)? = error else { throw Unexpected(error) }
        #expect(reason.hasSuffix("store.db-wal: move the file back"))
        try move("moved.db", to: "store.db")
        #expect(try newest() == 7)
    }

    @Test func `a file that was moved to another disk without its log is refused, and a copy of another time isn't`()
        throws
    {
        let left = try killed(after: 600)
        try folder.write(left.file, to: "moved.db")
        try folder.write(left.log, to: "store.db-wal")
        unlink(path)
        let error = #expect(throws: StoreError.self) { _ = try open("moved.db") }
        guard case .unusable(let reason)? = error else { throw Unexpected(error) }
        #expect(reason.hasSuffix("store.db-wal: move the file back"))
        #expect(try newest("backup.db") == 1)
        try folder.write(left.file, to: "store.db")
        #expect(try newest() == 600)
    }

    @Test func `a file that another program writes over while a server has it is noticed, and left as it is`() throws {
        let store = try opened()
        try OtherConnection(path).execute("VACUUM INTO '\(folder.file("backup.db"))'")
        let text = String(repeating: "x", count: 5_000)
        for number in 2...600 { try store.commit([.event("a", number, text)]) }
        let backup = try #require(folder.bytes(of: "backup.db"))
        // As `cp` does it: the same file, with other contents.
        let file = LibC.open(path, O_WRONLY)
        try #require(file >= 0 && ftruncate(file, off_t(backup.count)) == 0)
        try #require(pwrite(file, backup, backup.count, 0) == backup.count)
        // Not closed beside SQLite, whose locks would go.
        let reason = try reason { try store.commit([.event("a", 601, "x")]) }
        #expect(reason.contains(" while this server has it: nothing is stored any more"))
        store.close()
        #expect(folder.bytes(of: "store.db") == backup)
        _ = LibC.close(file)
        try expectRefusal("store.db")
    }

    // MARK: Cut off

    @Test(arguments: ["store.db", "store.db-wal"])
    func `a file whose end is cut off is noticed, and nothing is stored any more`(_ name: String) throws {
        let store = try opened()
        try store.renew()
        try #require(truncate(folder.file(name), 0) == 0)
        for number in 2...3 {
            let reason = try reason { try store.commit([.event("a", number, "x")]) }
            #expect(reason.contains("the end of ") && reason.contains("\(name) was cut off"), "\(reason)")
        }
        #expect(try reason { try store.renew() }.contains("put a backup in its place"))
        store.close()
    }

    @Test func `another program may write the log into the file, and make the file shorter`() throws {
        let store = try opened()
        let text = String(repeating: "x", count: 100_000)
        try store.commit([.event("a", 2, text)])
        try store.renew()
        let other = try OtherConnection(path)
        try other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(folder.bytes(of: "store.db-wal") == [])
        try store.commit([.event("a", 3, "3")])
        try other.execute("UPDATE event SET content = x'31' WHERE number = 2")
        try other.execute("VACUUM")
        try other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(try #require(folder.bytes(of: "store.db")).count < 100_000)
        try store.renew()
        try store.commit([.event("a", 4, "4")])
        store.close()
        #expect(try newest() == 4)
    }

    @Test func `a session whose row another program has removed is lost, and not told`() throws {
        let store = try opened()
        try OtherConnection(path).execute("DELETE FROM session")
        let outcomes = try store.commit([SceneCommit(scene: "a", changes: [.event("a", 2, "2")])])
        #expect(outcomes == [.lost("another program has removed a part of the scene from the store")])
        store.close()
    }

    @Test(arguments: [StoredChange.event("a", 3, "3"), .useScene(key: "a", time: 7), .share(scene: "a", values: [])])
    func `an older state that is put back under a server is noticed by the next commit of what it changed`(
        _ change: StoredChange
    ) throws {
        let store = try SQLiteStore(path: path, durability: .process)
        try store.commit(StoredChange.root("a") + [.event("a", 1, "1")] + StoredChange.root("b"))
        let backup = folder.file("backup.db")
        try OtherConnection(path).execute("VACUUM INTO '\(backup)'")
        try store.commit([.event("a", 2, "2")])
        try OtherConnection(path).restore(from: backup)
        #expect(
            try store.commit([SceneCommit(scene: "a", changes: [change])])
                == [.lost("an older state of the store was put in its place")])
        // Nothing of it has changed.
        try store.commit([.event("b", 1, "1")])
        // The older state goes on, as another history.
        let session = try #require(try store.scene(withSessionKey: "a")).sessions[0]
        #expect(session.turn.newest == 1)
        #expect(session.epochs.current != SessionEpochs.first)
        try store.commit([.event("a", 2, "other")])
        store.close()
    }

    @Test func `what another program writes is noticed by a server that has nothing to store`() throws {
        let store = try opened()
        let backup = folder.file("backup.db")
        try OtherConnection(path).execute("VACUUM INTO '\(backup)'")
        try store.commit([.event("a", 2, "2")])
        for _ in 1...2 {
            try store.renew()
            #expect(try newestRead() == 2)
            #expect(store.takeLapse() == nil)
        }
        try OtherConnection(path).restore(from: backup)
        try store.renew()
        #expect(store.takeLapse() == .change)
        #expect(
            try store.commit([SceneCommit(scene: "a", changes: [.useScene(key: "a", time: 7)])])
                == [.lost("an older state of the store was put in its place")])
        try store.renew()
        #expect(store.takeLapse() == nil)
        store.close()
    }

    /// As `sessions` reads it beside the server.
    private func newestRead() throws -> Int? {
        let store = try SQLiteStore(reading: path)
        defer { store.close() }
        return try store.scene(withSessionKey: "a")?.sessions[0].turn.newest
    }

    @Test func `an older life's state that is put back under a server ends that one's work`() throws {
        let first = try SQLiteStore(path: path, durability: .process)
        try first.commit(StoredChange.root("a"))
        first.close()
        let backup = folder.file("backup.db")
        try OtherConnection(path).execute("VACUUM INTO '\(backup)'")
        let store = try SQLiteStore(path: path, durability: .process)
        try OtherConnection(path).restore(from: backup)
        #expect(throws: StoreError.takenOver("an older state of the store was put in its place")) {
            try store.renew()
        }
    }

    @Test func `a file that is moved is noticed, and the server goes on when it is back`() throws {
        let store = try opened()
        let ends = ["", "-wal", "-shm"]
        for end in ends { try move("store.db" + end, to: "moved.db" + end) }
        for _ in 1...2 {
            #expect(
                try reason { try store.renew() }.hasPrefix("\(path) was moved: move it back, with what was beside it"))
            #expect(try reason { try store.commit([.event("a", 2, "2")]) }.contains("was moved"))
            #expect(try reason { _ = try store.scene(withSessionKey: "a") }.contains("was moved"))
        }
        for end in ends { try move("moved.db" + end, to: "store.db" + end) }
        try store.renew()
        try store.commit([.event("a", 2, "2")])
        store.close()
        #expect(try newest() == 2)
    }

    @Test func `a file that another one took the place of is noticed, and nothing is written to that`() throws {
        let store = try opened()
        try move("store.db", to: "moved.db")
        try folder.write([1, 2, 3], to: "store.db")
        let reason = try reason { try store.commit([.event("a", 2, "2")]) }
        #expect(reason.hasPrefix("another file is in the place of \(path), which this server has: move that away"))
        #expect(folder.bytes(of: "store.db") == [1, 2, 3])
        try move("moved.db", to: "store.db")
        try store.commit([.event("a", 2, "2")])
        store.close()
        #expect(try newest() == 2)
    }

    // MARK: Removed

    @Test(arguments: [[""], ["", "-wal", "-shm"]])
    func `a file that is removed is written again, with all that was stored`(_ ends: [String]) throws {
        let store = try opened()
        for end in ends { unlink(path + end) }
        #expect(try reason { try store.commit([.event("a", 2, "2")]) }.contains("have been written to it again"))
        // The journal tries again.
        try store.commit([.event("a", 2, "2")])
        var status = stat()
        try #require(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(folder.bytes(of: "store.db-new") == nil)
        #expect(try reason { _ = try open() }.contains("in use"))
        store.close()
        #expect(try newest() == 2)
    }

    @Test func `a file that a link leads to is written again, and the link stays`() throws {
        try opened().close()
        try makeOtherName("link.db", isSymbolic: true)
        let store = try open("link.db")
        for end in ["", "-wal", "-shm"] { unlink(path + end) }
        #expect(try reason { try store.commit([.event("a", 2, "2")]) }.contains("have been written to it again"))
        try store.commit([.event("a", 2, "2")])
        store.close()
        #expect(try newest() == 2)
        #expect(try newest("link.db") == 2)
    }

    @Test func `a file that is gone behind another one is written again when that is moved away`() throws {
        let store = try opened()
        unlink(path)
        try folder.write([1, 2, 3], to: "store.db")
        #expect(try reason { try store.renew() }.contains("the server writes its sessions there again"))
        unlink(path)
        #expect(try reason { try store.renew() }.contains("have been written to it again"))
        try store.renew()
        store.close()
        #expect(try newest() == 1)
    }

    @Test(arguments: ["-wal", "-shm"], [true, false])
    func `a log that is removed or replaced is written into the file, and a new one begins`(
        _ end: String, _ isReplaced: Bool
    ) throws {
        let store = try opened()
        unlink(path + end)
        if isReplaced { try folder.write(Array("something else".utf8), to: "store.db\(end)") }
        #expect(try reason { try store.renew() }.contains("was \(isReplaced ? "replaced" : "removed")"))
        try store.renew()
        try store.commit([.event("a", 2, "2")])
        // As a kill does, it leaves the log where it is.
        let copy = try TemporaryFolder()
        for end in ["", "-wal"] {
            try copy.write(try #require(folder.bytes(of: "store.db" + end)), to: "store.db" + end)
        }
        let found = try SQLiteStore(path: copy.file("store.db"), durability: .process)
        #expect(try found.scene(withSessionKey: "a")?.sessions[0].turn.newest == 2)
        found.close()
        store.close()
    }

    // MARK: The log

    @Test func `a list that is read slowly has no reading last, and a log that grew goes back to its size`() throws {
        let store = try opened()
        let reader = try SQLiteStore(reading: path)
        #expect(try reader.summaries().count == 1)
        let large = String(repeating: "x", count: 1 << 20)
        func size() throws -> Int {
            var status = stat()
            try #require(stat(path + "-wal", &status) == 0)
            return Int(status.st_size)
        }
        for number in 2...40 { try store.commit([.event("a", number, large, key: "k")]) }
        // The reader is still open.
        #expect(try size() < 12 << 20)
        let other = try OtherConnection(path)
        try other.execute("BEGIN")
        try other.execute("SELECT * FROM scene")
        for number in 41...80 { try store.commit([.event("a", number, large, key: "k")]) }
        #expect(try size() > 30 << 20)
        try store.renew()
        try other.execute("COMMIT")
        try store.renew()
        #expect(try size() <= 8 << 20)
        reader.close()
        store.close()
    }

    @Test func `a list of more scenes than are read together has all, those used last first`() throws {
        let store = try open()
        for number in 1...450 {
            try store.commit([
                .scene("\(number)", used: Int64(number % 7)), .session("\(number)"),
                .session("child \(number)", in: "\(number)"),
            ])
        }
        let listed = try store.summaries()
        let expected = (1...450).sorted { ($0 % 7, $0) > ($1 % 7, $1) }.flatMap { ["\($0)", "child \($0)"] }
        #expect(listed.map(\.key) == expected)
        store.close()
    }
}
