import Testing

@testable import Sessions

@Suite struct SessionStateTests {
    private let viewer = TestViewer()

    private func payload(_ count: Int = 10) -> SessionLog.Content { .event([UInt8](repeating: 0x30, count: count)) }

    @Test func `a view is told once until it has taken all`() {
        var state = SessionState(limits: Limits())
        let view = state.attach(viewer, number: 7, client: nil, after: 0)
        let told = (0..<3).map { _ in state.append(payload(), turn: 0).map(\.view) }
        #expect(told == [[7], [], []])
        let part = state.take(view, upTo: 2, maximumBytes: .max)
        #expect(part.events.map(\.number) == [1, 2])
        #expect(part.hasMore)
        let toldBetween = state.append(payload(), turn: 0).count
        #expect(toldBetween == 0)
        let rest = state.take(view, upTo: nil, maximumBytes: .max)
        #expect(rest.events.map(\.number) == [3, 4])
        #expect(!rest.hasMore)
        let toldAgain = state.append(payload(), turn: 0).map(\.view)
        #expect(toldAgain == [7])
    }

    @Test(arguments: [(0, [1]), (1, [1]), (10, [1]), (11, [1, 2]), (20, [1, 2]), (1_000, [1, 2, 3])])
    func `bytes bound what is taken at once, but one event always is`(maximumBytes: Int, expected: [Int]) {
        var state = SessionState(limits: Limits())
        let view = state.attach(viewer, number: 1, client: nil, after: 0)
        for _ in 0..<3 { _ = state.append(payload(), turn: 0) }
        let news = state.take(view, upTo: nil, maximumBytes: maximumBytes)
        #expect(news.events.map(\.number) == expected)
        #expect(news.hasMore == (expected.count < 3))
    }

    @Test func `events of one turn say that more follow, and none says what came before it`() {
        var state = SessionState(limits: Limits())
        let view = state.attach(viewer, number: 1, client: nil, after: 0)
        for turn: UInt64 in [1, 1, 2, 0, 0] { _ = state.append(payload(), turn: turn) }
        let events = state.take(view, upTo: nil, maximumBytes: .max).events
        #expect(events.map(\.isFollowedAtOnce) == [true, false, false, false, false])
        #expect(events.map(\.after) == [nil, nil, nil, nil, nil])
    }

    @Test func `a view that doesn't read ends when more than its bound waits, and no other does`() {
        var state = SessionState(limits: .with { $0.viewBytes = 25 })
        let slow = state.attach(viewer, number: 1, client: nil, after: 0)
        let fast = state.attach(viewer, number: 2, client: nil, after: 0)
        for number in 1...4 {
            _ = state.append(payload(), turn: 0)
            let news = state.take(fast, upTo: nil, maximumBytes: .max)
            #expect(news.events.map(\.number) == [number])
            #expect(news.end == nil)
            #expect(state.views[slow]?.end == (number < 4 ? nil : .overflow))
        }
        let news = state.take(slow, upTo: nil, maximumBytes: .max)
        #expect(news.end == .overflow)
        #expect(news.events.isEmpty)
        #expect(state.views.count == 1)
    }

    @Test func `one event of any size ends no view that reads`() {
        var state = SessionState(limits: .with { $0.viewBytes = 25 })
        let view = state.attach(viewer, number: 1, client: nil, after: 0)
        for _ in 0..<2 {
            _ = state.append(payload(1_000), turn: 0)
            let news = state.take(view, upTo: nil, maximumBytes: .max)
            #expect(news.events.count == 1)
            #expect(news.end == nil)
        }
    }

    @Test func `a view that was ended is told, though it knew already of other news`() {
        var state = SessionState(limits: .with { $0.viewBytes = 0 })
        let view = state.attach(viewer, number: 1, client: nil, after: 0)
        let told = (0..<3).map { _ in Array(state.append(payload(), turn: 0)).count }
        #expect(told == [1, 0, 0])
        let news = state.take(view, upTo: nil, maximumBytes: .max)
        #expect(news.end == .overflow)
    }

    @Test func `events are kept for the slowest view, and beyond the bounds only for it`() {
        var state = SessionState(limits: .with { $0.replayEvents = 2 })
        let slow = state.attach(viewer, number: 1, client: nil, after: 0)
        let fast = state.attach(viewer, number: 2, client: nil, after: 0)
        for _ in 0..<10 { _ = state.append(payload(), turn: 0) }
        _ = state.take(fast, upTo: nil, maximumBytes: .max)
        #expect(state.log.oldest == 1)
        _ = state.take(slow, upTo: 4, maximumBytes: .max)
        #expect(state.log.oldest == 5)
        let isDetached = state.detach(slow) != nil
        #expect(isDetached)
        #expect(state.log.oldest == 9)
        let isDetachedAgain = state.detach(slow) != nil
        #expect(!isDetachedAgain)
    }

    @Test func `a view that overflowed holds nothing back, also before it reads so`() {
        var state = SessionState(
            limits: .with {
                $0.replayEvents = 2
                $0.viewBytes = 15
            })
        _ = state.attach(viewer, number: 1, client: nil, after: 0)
        for _ in 0..<10 { _ = state.append(payload(), turn: 0) }
        #expect(state.log.oldest == 9)
    }

    @Test func `the end comes after the events, once, and nothing is numbered after it`() {
        var state = SessionState(limits: Limits())
        let view = state.attach(viewer, number: 1, client: nil, after: 0)
        _ = state.append(payload(), turn: 0)
        _ = state.append(payload(), turn: 0)
        let told = state.end(.failed)?.count
        #expect(told == 0)
        let toldAgain = state.end(.closed)?.count
        #expect(toldAgain == nil)
        let toldAfter = state.append(payload(), turn: 0).count
        #expect(toldAfter == 0)
        let first = state.take(view, upTo: 1, maximumBytes: .max)
        #expect(first.events.map(\.number) == [1])
        #expect(first.end == nil)
        let last = state.take(view, upTo: nil, maximumBytes: .max)
        #expect(last.events.map(\.number) == [2])
        #expect(last.end == .failed)
        #expect(state.log.newest == 2)
    }

    @Test func `who isn't there has nothing`() {
        var state = SessionState(limits: Limits())
        _ = state.append(payload(), turn: 0)
        let news = state.take(1, upTo: nil, maximumBytes: .max)
        #expect(news.events.isEmpty && news.end == nil && !news.hasMore)
    }
}
