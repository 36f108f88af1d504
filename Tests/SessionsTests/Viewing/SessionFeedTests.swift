import Testing

@testable import Sessions

@Suite struct SessionFeedTests {
    private let viewer = TestViewer()

    private func payload(_ count: Int = 10) -> SessionLog.Content { .event([UInt8](repeating: 0x30, count: count)) }

    @Test func `a view is told once until it has taken all`() {
        var feed = SessionFeed(limits: SharedLimits(Limits()))
        let view = feed.attach(viewer, number: 7, client: nil, after: 0)
        let told = (0..<3).map { _ in feed.append(payload(), turn: 0).map(\.view) }
        #expect(told == [[7], [], []])
        let part = feed.take(view, upTo: 2, maximumBytes: .max)
        #expect(part.events.map(\.number) == [1, 2])
        #expect(part.hasMore)
        let toldBetween = Array(feed.append(payload(), turn: 0)).count
        #expect(toldBetween == 0)
        let rest = feed.take(view, upTo: nil, maximumBytes: .max)
        #expect(rest.events.map(\.number) == [3, 4])
        #expect(!rest.hasMore)
        let toldAgain = feed.append(payload(), turn: 0).map(\.view)
        #expect(toldAgain == [7])
    }

    @Test(arguments: [(0, [1]), (1, [1]), (10, [1]), (11, [1, 2]), (20, [1, 2]), (1_000, [1, 2, 3])])
    func `bytes bound what is taken at once, but one event always is`(maximumBytes: Int, expected: [Int]) {
        var feed = SessionFeed(limits: SharedLimits(Limits()))
        let view = feed.attach(viewer, number: 1, client: nil, after: 0)
        for _ in 0..<3 { _ = feed.append(payload(), turn: 0) }
        let delivery = feed.take(view, upTo: nil, maximumBytes: maximumBytes)
        #expect(delivery.events.map(\.number) == expected)
        #expect(delivery.hasMore == (expected.count < 3))
    }

    @Test func `events of one turn say that more follow, and none says what came before it`() {
        var feed = SessionFeed(limits: SharedLimits(Limits()))
        let view = feed.attach(viewer, number: 1, client: nil, after: 0)
        for turn: UInt64 in [1, 1, 2, 0, 0] { _ = feed.append(payload(), turn: turn) }
        let events = feed.take(view, upTo: nil, maximumBytes: .max).events
        #expect(events.map(\.isFollowedAtOnce) == [true, false, false, false, false])
        #expect(events.map(\.after) == [nil, nil, nil, nil, nil])
    }

    @Test func `a view that doesn't read ends when more than its bound waits, and no other does`() {
        var feed = SessionFeed(limits: SharedLimits(.with { $0.viewBytes = 25 }))
        let slow = feed.attach(viewer, number: 1, client: nil, after: 0)
        let fast = feed.attach(viewer, number: 2, client: nil, after: 0)
        for number in 1...4 {
            _ = feed.append(payload(), turn: 0)
            let delivery = feed.take(fast, upTo: nil, maximumBytes: .max)
            #expect(delivery.events.map(\.number) == [number])
            #expect(delivery.end == nil)
            #expect(feed.views[slow]?.end == (number < 4 ? nil : .overflow))
        }
        let delivery = feed.take(slow, upTo: nil, maximumBytes: .max)
        #expect(delivery.end == .overflow)
        #expect(delivery.events.isEmpty)
        #expect(feed.views.count == 1)
    }

    @Test func `one event of any size ends no view that reads`() {
        var feed = SessionFeed(limits: SharedLimits(.with { $0.viewBytes = 25 }))
        let view = feed.attach(viewer, number: 1, client: nil, after: 0)
        for _ in 0..<2 {
            _ = feed.append(payload(1_000), turn: 0)
            let delivery = feed.take(view, upTo: nil, maximumBytes: .max)
            #expect(delivery.events.count == 1)
            #expect(delivery.end == nil)
        }
    }

    @Test func `a view that was ended is told, though it knew already of other events`() {
        var feed = SessionFeed(limits: SharedLimits(.with { $0.viewBytes = 0 }))
        let view = feed.attach(viewer, number: 1, client: nil, after: 0)
        let told = (0..<3).map { _ in Array(feed.append(payload(), turn: 0)).count }
        #expect(told == [1, 0, 0])
        let delivery = feed.take(view, upTo: nil, maximumBytes: .max)
        #expect(delivery.end == .overflow)
    }

    @Test func `events are kept for the slowest view, and beyond the bounds only for it`() {
        var feed = SessionFeed(limits: SharedLimits(.with { $0.replayEvents = 2 }))
        let slow = feed.attach(viewer, number: 1, client: nil, after: 0)
        let fast = feed.attach(viewer, number: 2, client: nil, after: 0)
        for _ in 0..<10 { _ = feed.append(payload(), turn: 0) }
        _ = feed.take(fast, upTo: nil, maximumBytes: .max)
        #expect(feed.log.oldest == 1)
        _ = feed.take(slow, upTo: 4, maximumBytes: .max)
        #expect(feed.log.oldest == 5)
        let isDetached = feed.detach(slow) != nil
        #expect(isDetached)
        #expect(feed.log.oldest == 9)
        let isDetachedAgain = feed.detach(slow) != nil
        #expect(!isDetachedAgain)
    }

    @Test func `a view that overflowed holds nothing back, also before it reads so`() {
        var feed = SessionFeed(
            limits: SharedLimits(
                .with {
                    $0.replayEvents = 2
                    $0.viewBytes = 15
                }))
        _ = feed.attach(viewer, number: 1, client: nil, after: 0)
        for _ in 0..<10 { _ = feed.append(payload(), turn: 0) }
        #expect(feed.log.oldest == 9)
    }

    @Test func `the end comes after the events, once, and nothing is numbered after it`() {
        var feed = SessionFeed(limits: SharedLimits(Limits()))
        let view = feed.attach(viewer, number: 1, client: nil, after: 0)
        _ = feed.append(payload(), turn: 0)
        _ = feed.append(payload(), turn: 0)
        let told = (feed.end(.failed)?.wakeups).map { Array($0).count }
        #expect(told == 0)
        let endedAgain = feed.end(.closed) != nil
        #expect(!endedAgain)
        let toldAfter = Array(feed.append(payload(), turn: 0)).count
        #expect(toldAfter == 0)
        let first = feed.take(view, upTo: 1, maximumBytes: .max)
        #expect(first.events.map(\.number) == [1])
        #expect(first.end == nil)
        let last = feed.take(view, upTo: nil, maximumBytes: .max)
        #expect(last.events.map(\.number) == [2])
        #expect(last.end == .failed)
        #expect(feed.log.newest == 2)
    }

    @Test func `who isn't there has nothing`() {
        var feed = SessionFeed(limits: SharedLimits(Limits()))
        _ = feed.append(payload(), turn: 0)
        let delivery = feed.take(1, upTo: nil, maximumBytes: .max)
        #expect(delivery.events.isEmpty && delivery.end == nil && !delivery.hasMore)
    }
}

@Suite struct ViewCursorTests {
    private func log(_ sizes: [Int]) -> SessionLog {
        var log = SessionLog(maximumCount: .max, maximumBytes: .max)
        for size in sizes { log.append(.event([UInt8](repeating: 0, count: size)), turn: 0) }
        return log
    }

    @Test func `it comes to each event once, in order, up to the last one wanted`() {
        let log = log([1, 1, 1, 1])
        var cursor = ViewCursor(after: 1, in: log)
        let first = (0..<3).map { _ in cursor.next(upTo: 3, in: log)?.number }
        #expect(first == [2, 3, nil])
        let second = (0..<2).map { _ in cursor.next(upTo: .max, in: log)?.number }
        #expect(second == [4, nil])
        #expect(cursor.number == 4)
    }

    @Test(arguments: [(0, 111), (1, 110), (2, 100), (3, 0)])
    func `it knows how many bytes wait`(number: Int, bytes: Int) {
        let log = log([1, 10, 100])
        #expect(ViewCursor(after: number, in: log).waitingBytes == bytes)
        var cursor = ViewCursor(after: 0, in: log)
        for _ in 0..<number { _ = cursor.next(upTo: .max, in: log) }
        #expect(cursor.waitingBytes == bytes)
    }

    @Test func `it counts from where the log was trimmed`() {
        var log = SessionLog(maximumCount: 1, maximumBytes: .max)
        for size in [1, 10, 100] { log.append(.event([UInt8](repeating: 0, count: size)), turn: 0) }
        log.trim(seenByAll: 3)
        #expect(ViewCursor(after: 2, in: log).waitingBytes == 100)
    }
}
