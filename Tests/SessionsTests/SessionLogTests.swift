import Sessions
import Testing

@Suite struct SessionLogTests {
    private func log(_ count: Int, maximumCount: Int = .max, maximumBytes: Int = .max, payload: String = "1234567890")
        -> SessionLog
    {
        var log = SessionLog(maximumCount: maximumCount, maximumBytes: maximumBytes)
        for _ in 0..<count { log.append(Array(payload.utf8), turn: 0) }
        return log
    }

    @Test func `an empty log has the number 0 and can be replayed from there`() {
        let log = log(0)
        #expect(log.newest == 0)
        #expect(log.oldest == 1)
        #expect(log[0] == nil)
        #expect(log[1]?.number == nil)
        #expect([-1, 0, 1].map { log.canReplay(after: $0) } == [false, true, false])
    }

    @Test func `events are numbered from 1 by one`() {
        let log = log(3)
        #expect((0...4).map { log[$0]?.number } == [nil, 1, 2, 3, nil])
        #expect(log.newest == 3)
        #expect(log.oldest == 1)
    }

    @Test func `it keeps the newest events by count`() {
        var log = log(10, maximumCount: 4)
        log.trim(seenByAll: 10)
        #expect(log.oldest == 7)
        #expect(log.newest == 10)
        #expect(log[6]?.number == nil)
        #expect(log[7]?.number == 7)
        #expect((5...11).map { log.canReplay(after: $0) } == [false, true, true, true, true, true, false])
    }

    @Test(arguments: [(100, 1), (99, 2), (50, 6), (49, 7), (10, 10), (9, 11), (0, 11)])
    func `it keeps the newest events by bytes`(maximumBytes: Int, oldest: Int) {
        var log = log(10, maximumBytes: maximumBytes)
        log.trim(seenByAll: 10)
        #expect(log.oldest == oldest)
        #expect(log.newest == 10)
        log.append([1], turn: 0)
        #expect(log[11]?.number == 11)
    }

    @Test func `it keeps what a view has yet to see, whatever the bounds`() {
        var log = log(10, maximumCount: 1)
        log.trim(seenByAll: 3)
        #expect(log.oldest == 4)
        log.trim(seenByAll: 0)
        #expect(log.oldest == 4)
        log.trim(seenByAll: 10)
        #expect(log.oldest == 10)
    }

    @Test func `events of one turn follow at once, others and those of no known turn don't`() {
        var log = log(0)
        for turn: UInt64 in [0, 0, 7, 7, 8, 7] { log.append([], turn: turn) }
        #expect(
            (1...6).compactMap { log[$0] }.map { log.isFollowedAtOnce($0) } == [
                false, false, true, false, false, false,
            ])
    }
}
