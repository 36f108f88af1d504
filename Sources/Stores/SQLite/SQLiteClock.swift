import Sessions

/// The time of a file's sessions, which the file keeps: so many seconds have passed while servers had it.
struct SQLiteClock {
    /// Unwritten time is lost when the process is killed, and sessions stay so much longer.
    private static let writtenEvery = Duration.seconds(60)
    /// How many scenes a sweep removes in one transaction at most, and after which time it leaves the rest for the next:
    /// commits wait for it.
    private static let sweptTogether = 100
    private static let sweepTime = Duration.milliseconds(20)

    private let now: @Sendable () -> Duration
    private var clock: StoreClock

    init(_ now: @escaping @Sendable () -> Duration) {
        self.now = now
        clock = StoreClock(at: now())
    }

    /// Has the file keep this time, in a transaction. Scenes of a server that didn't count it have been used just now.
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

    /// Counts what has passed since it was called last.
    mutating func look() {
        clock.look(at: now())
    }

    /// What has passed and isn't stored yet, as the file counts it: in seconds.
    var unwritten: Int64 { clock.passed.components.seconds }

    /// Stores what has passed, where that is worth a write. Called where the file can be written.
    mutating func write(to database: SQLiteDatabase, always: Bool = false) throws(StoreError) {
        guard always || clock.passed >= Self.writtenEvery else { return }
        var written = clock
        try database.run("UPDATE clock SET passed = passed + ?", [.integer(written.takeSeconds())])
        clock = written
    }

    /// Removes some of the scenes that nobody has used for so long, in a transaction.
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
