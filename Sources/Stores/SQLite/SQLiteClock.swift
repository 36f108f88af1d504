import Sessions

/// The clock of a file's sessions, which counts the seconds that have passed while servers had the file. The count is stored
/// in the file.
struct SQLiteClock {
    /// The time after which a count is written. An unwritten count is lost when the process is killed, so sessions stay that
    /// much longer.
    private static let writtenEvery = Duration.seconds(60)
    /// The most scenes that a sweep removes in one transaction, and the time after which it leaves the rest for the next one.
    /// Commits wait for it.
    private static let sweptTogether = 100
    private static let sweepTime = Duration.milliseconds(20)

    private let now: @Sendable () -> Duration
    private var clock: StoreClock

    init(_ now: @escaping @Sendable () -> Duration) {
        self.now = now
        clock = StoreClock(at: now())
    }

    /// Adds the clock to a file that doesn't have it, in a transaction. Scenes of a server that didn't count get this moment
    /// as their last use.
    static func prepare(_ database: SQLiteDatabase) throws(StoreError) {
        var isThere = false
        try database.run("SELECT 1 FROM sqlite_master WHERE name = 'clock'") { _ in isThere = true }
        if !isThere {
            try database.execute(
                """
                CREATE TABLE clock (passed INTEGER NOT NULL);
                INSERT INTO clock VALUES (0);
                ALTER TABLE scene ADD COLUMN lastUse INTEGER;
                CREATE INDEX sceneLastUse ON scene (lastUse)
                """)
        }
        try database.run("UPDATE scene SET lastUse = (SELECT passed FROM clock) WHERE lastUse IS NULL")
    }

    /// Counts the time since the last call.
    mutating func look() {
        clock.look(at: now())
    }

    /// The time that has passed and isn't stored yet, in whole seconds.
    var unwritten: Int64 { clock.passed.components.seconds }

    /// Stores the time that has passed, where that is worth a write. Called where the file can be written.
    mutating func write(to database: SQLiteDatabase, always: Bool = false) throws(StoreError) {
        guard always || clock.passed >= Self.writtenEvery else { return }
        var written = clock
        try database.run("UPDATE clock SET passed = passed + ?", [.integer(written.takeSeconds())])
        clock = written
    }

    /// Removes some of the scenes that nobody has used for `time`. Called in a transaction.
    func removeScenes(unusedFor time: Duration, from database: SQLiteDatabase) throws(StoreError) -> StoreSweep {
        var old: [Int64] = []
        try database.run(
            "SELECT id FROM scene WHERE lastUse < (SELECT passed FROM clock) - ? ORDER BY lastUse LIMIT ?",
            [.integer(time.components.seconds), .integer(Self.sweptTogether)]
        ) { old.append($0.integer(0)) }
        let begin = ContinuousClock.now
        var removed = 0
        for id in old where removed == 0 || .now - begin < Self.sweepTime {
            try database.run("DELETE FROM scene WHERE id = ?", [.integer(id)])
            removed += 1
        }
        return StoreSweep(removed: removed, isDone: removed == old.count && removed < Self.sweptTogether)
    }
}
