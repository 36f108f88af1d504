import Glibc
import Synchronization
import TestSupport
import Testing

@testable import ViewModels

@Suite(.inTurn) struct CurrentValueTests {
    private let current = CurrentValue(0)

    @Test func `each value that is set is told, also one that equals the last`() {
        let owner = Numbers()
        current.changed.subscribe(owner) { $0.seen.record($1) }
        for value in [1, 1, 2] { current.value = value }
        #expect(owner.seen.elements == [1, 1, 2])
        #expect(current.value == 2)
        withExtendedLifetime(owner) {}
    }

    @Test func `a handler that sets the value again doesn't cut in, and sees it at once`() {
        let seen = Recorder<String>()
        let (first, second) = (Owner("first", seen), Owner("second", seen))
        current.changed.subscribe(first) { [current] owner, value in
            owner.record(value)
            if value < 3 {
                current.value = value + 1
                #expect(current.value == value + 1)
            }
        }
        current.changed.subscribe(second) { $0.record($1) }
        current.value = 1
        #expect(seen.elements == ["first 1", "second 1", "first 2", "second 2", "first 3", "second 3"])
        withExtendedLifetime((first, second)) {}
    }

    @Test func `many tasks that set it at once are told of in one order`() async {
        let (left, right) = (Numbers(), Numbers())
        for owner in [left, right] { current.changed.subscribe(owner) { $0.seen.record($1) } }
        await withTaskGroup { group in
            for setter in 0..<4 {
                group.addTask { [current] in for index in 1...500 { current.value = setter * 500 + index } }
            }
        }
        let order = await left.seen.elements(count: 2_000)
        #expect(await right.seen.elements(count: 2_000) == order)
        #expect(order.last == current.value)
        #expect(order.sorted() == Array(1...2_000))
        withExtendedLifetime((left, right)) {}
    }

    @Test func `of two that set it in the same moment, the one that stays is told of last`() async {
        let last = CurrentValue(0)
        let subscription = current.changed.output.subscribe { last.value = $0 }
        let stale = Recorder<Int>()
        let meeting = Meeting()
        let set: @Sendable (Int) -> Void = { [current] setter in
            for round in 1...3_000 {
                meeting.meet()
                current.value = round * 2 + setter
                meeting.meet()
                // Both have returned, so all is delivered.
                if last.value != current.value { stale.record(round) }
                meeting.meet()
            }
        }
        async let one: Void = onThread { set(0) }
        async let other: Void = onThread { set(1) }
        _ = await (one, other)
        #expect(stale.elements.isEmpty)
        withExtendedLifetime(subscription) {}
    }

    @Test func `who joins while the value changes sees it as it is and then each change, none missed and none twice`()
        async
    {
        let wrong = Recorder<[Int]>()
        let meeting = Meeting()
        let each = 10
        async let setter: Void = onThread { [current] in
            for round in 0..<1_000 {
                meeting.meet()
                for index in 1...each { current.value = round * each + index }
                meeting.meet()
            }
        }
        async let joiner: Void = onThread { [current] in
            for round in 0..<1_000 {
                let (owner, other) = (Numbers(), Numbers())
                meeting.meet()
                let isFirst = round.isMultiple(of: 2)
                if isFirst { current.subscribeAndFire(EventHandler(owner) { $0.seen.record($1) }) }
                let subscription = current.subscribeAndFire { other.seen.record($0) }
                if !isFirst { current.subscribeAndFire(EventHandler(owner) { $0.seen.record($1) }) }
                meeting.meet()
                current.changed.unsubscribe(owner)
                subscription.cancel()
                for values in [owner.seen.elements, other.seen.elements]
                where values != Array((values.first ?? 0)...(round + 1) * each) {
                    wrong.record(values)
                }
            }
        }
        _ = await (setter, joiner)
        #expect(wrong.elements.isEmpty)
    }

    @Test func `an old value may set the value as it goes`() {
        let current = CurrentValue<Farewell?>(nil)
        current.value = Farewell { current.value = nil }
        current.value = nil
        #expect(current.value == nil)
    }
}

private final class Numbers: Sendable {
    let seen = Recorder<Int>()
}

/// Where two threads wait for each other, again and again.
private final class Meeting: Sendable {
    private let arrivals = Atomic(0)

    func meet() {
        let count = arrivals.add(1, ordering: .sequentiallyConsistent).newValue
        let both = (count + 1) / 2 * 2
        while arrivals.load(ordering: .sequentiallyConsistent) < both { sched_yield() }
    }
}

private final class Farewell: Sendable {
    private let atEnd: @Sendable () -> Void

    init(_ atEnd: @escaping @Sendable () -> Void) { self.atEnd = atEnd }

    deinit { atEnd() }
}
