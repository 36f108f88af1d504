import TestSupport
import Testing

@testable import Sessions

@Suite(.inTurn) struct SessionLogTests {
    private func log(_ count: Int, maximumCount: Int = .max, maximumBytes: Int = .max, payload: String = "1234567890")
        -> SessionLog
    {
        var log = SessionLog(maximumCount: maximumCount, maximumBytes: maximumBytes)
        for _ in 0..<count { log.append(.event(Array(payload.utf8)), turn: 0) }
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
        log.append(.event([1]), turn: 0)
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
        for turn: UInt64 in [0, 0, 7, 7, 8, 7] { log.append(.event([]), turn: turn) }
        #expect(
            (1...6).compactMap { log[$0] }.map { log.isFollowedAtOnce($0) } == [
                false, false, true, false, false, false,
            ])
    }

    @Test func `an event is superseded by a newer one of its key, and goes when all have seen it`() {
        var log = log(1)
        for (text, key) in [("a1", "a"), ("b1", "b"), ("a2", "a"), ("b2", "b")] {
            log.append(.event(Array(text.utf8)), key: key, turn: 0)
        }
        let dropped = (0..<2).map { _ in log.dropSuperseded(upTo: 2)?.number }
        #expect(dropped == [2, nil])
        #expect((1...5).map { log[$0]?.number } == [1, nil, 3, 4, 5])
        #expect(log.next(after: 1)?.number == 3)
        #expect(log.hasSuperseded)
        #expect(String(decoding: log.eventArray, as: UTF8.self) == "[1234567890,a2,b2]")
        let rest = (0..<2).map { _ in log.dropSuperseded(upTo: .max)?.number }
        #expect(rest == [3, nil])
        #expect(!log.hasSuperseded)
        #expect((0...5).allSatisfy { log.canReplay(after: $0) })
        #expect(log.oldest == 1)
    }

    @Test func `what couldn't be sent is missing for who has seen no more, until an event of its key makes up for it`()
    {
        var log = log(2)
        log.miss(key: "k")
        #expect((0...2).allSatisfy { !log.canReplay(after: $0) })
        #expect(log.firstReplayable == 3)
        #expect(log.hasUnhandedUnsent)
        log.didHandUnsent()
        log.append(.event([]), key: "other", turn: 0)
        #expect(log.canReplay(after: 3) && !log.canReplay(after: 2))
        #expect(!log.hasUnhandedUnsent)
        log.append(.event([]), key: "k", turn: 0)
        #expect(log.canReplay(after: 0))
        #expect(log.hasUnhandedUnsent && log.unsent == nil)
        for keys in [["k", nil], [nil, "k"], ["k", "other"]] {
            var log = log
            for key in keys { log.miss(key: key) }
            for key in ["k", "other"] { log.append(.event([]), key: key, turn: 0) }
            #expect(!log.canReplay(after: 4) && log.canReplay(after: 5), "nothing makes up for \(keys)")
        }
    }

    @Test func `a change of what is on screen that went is no event that is missing`() {
        var log = log(0, maximumCount: 1)
        let child = NavigationChild(key: "key", viewModel: "child")
        log.append(.navigation(NavigationChange(.push, child)), turn: 0)
        log.append(.event([1]), turn: 0)
        log.trim(seenByAll: 2)
        #expect(log.oldest == 2)
        #expect(log.hasAllEvents)
        log.append(.event([2]), turn: 0)
        log.trim(seenByAll: 3)
        #expect(!log.hasAllEvents)
    }

    @Test func `superseded events count for no bound, and what goes with them isn't lost`() {
        var log = log(1, maximumCount: 3, maximumBytes: 100)
        for index in 0..<50 {
            log.append(.event([UInt8](repeating: 0, count: 80)), key: "k", turn: 0)
            _ = log.dropSuperseded(upTo: log.newest)
            log.trim(seenByAll: log.newest)
            #expect(log.count == 2 && log.keptBytes == 90, "\(index)")
        }
        #expect(log.canReplay(after: 0))
        log.append(.event(Array("1234567890".utf8)), turn: 0)
        log.append(.event(Array("12345678901".utf8)), turn: 0)
        log.trim(seenByAll: log.newest)
        // The unkeyed first one, and then the keyed one, since it is still too much.
        #expect(log.oldest == 52)
        #expect(log.keys.count == 0)
    }

    @Test func `one event without a key and any number with one take no more than a few places`() {
        var log = log(1)
        for number in 0..<100_000 {
            log.append(.event([1]), key: "k\(number % 3)", turn: 0)
            _ = log.dropSuperseded(upTo: log.newest)
        }
        #expect(log.count == 4)
        #expect(log.keys.count == 3)
        #expect(log.placeCount <= 200)
        #expect(log[1]?.number == 1)
        #expect(log.next(after: 1)?.number == 99_999)
    }

    @Test func `the key table knows nothing of what was trimmed`() {
        var log = log(0, maximumCount: 10)
        for number in 0..<1_000 {
            log.append(.event([1]), key: "k\(number)", turn: 0)
            log.trim(seenByAll: log.newest)
        }
        #expect(log.keys.count == 10)
        log.append(.event([1]), key: "k0", turn: 0)
        #expect(!log.hasSuperseded)
    }

    @Test func `a change of the navigation has a number like an event and is no event`() {
        var log = log(1)
        let child = NavigationChild(key: "child", viewModel: "details")
        log.append(.navigation(NavigationChange(.push, child)), turn: 0)
        log.append(.event([0x31]), turn: 0)
        #expect(log.newest == 3)
        #expect(String(decoding: log.eventArray, as: UTF8.self) == "[1234567890,1]")
        #expect(log[2]?.content.text == "push child")
        #expect(log.keptBytes == 10 + 12 + 1)
    }
}

@Suite(.inTurn) struct NumberedQueueTests {
    @Test func `an empty one has nothing`() {
        let queue = NumberedQueue<Int>()
        #expect(queue.count == 0)
        #expect(queue.firstNumber == nil)
        #expect(queue[0] == nil)
        #expect(queue.first(after: .min) == nil)
        #expect(queue.first(after: .max) == nil)
    }

    @Test(arguments: 0..<20)
    func `it does as a dictionary with sorted keys does`(seed: Int) {
        var generator = SeededGenerator(seed: seed)
        var queue = NumberedQueue<Int>()
        var naive: [Int: Int] = [:]
        var last = 0
        let removalPercent = Int.random(in: 30...60, using: &generator)
        for _ in 0..<2_000 {
            if generator.chance(removalPercent) {
                // The oldest, a newer one, or none at all.
                let number =
                    generator.chance(50)
                    ? naive.keys.min() ?? 0 : Int.random(in: max(0, last - 50)...(last + 1), using: &generator)
                #expect(queue.remove(number) == naive.removeValue(forKey: number), "seed \(seed)")
            } else {
                last += generator.chance(80) ? 1 : Int.random(in: 2...9, using: &generator)
                queue.append(last * 10, number: last)
                naive[last] = last * 10
            }
            let probe = Int.random(in: -1...(last + 2), using: &generator)
            #expect(queue[probe] == naive[probe], "seed \(seed)")
            let next = naive.keys.filter { $0 > probe }.min()
            #expect(queue.first(after: probe)?.number == next, "seed \(seed)")
            #expect(queue.first(after: probe)?.element == next.map { $0 * 10 }, "seed \(seed)")
            #expect(queue.firstNumber == naive.keys.min(), "seed \(seed)")
            #expect(queue.count == naive.count, "seed \(seed)")
            #expect(queue.placeCount <= 2 * max(naive.count, 64) + 1, "seed \(seed)")
        }
    }
}
