import Synchronization
import TestSupport
import Testing

@testable import ViewModels

@Suite struct CurrentValueTests {
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

    @Test func `many tasks that set it at once leave all with the newest value last, in one order`() async {
        for _ in 0..<20 {
            let current = CurrentValue(0)
            let (left, right) = (Numbers(), Numbers())
            for owner in [left, right] { current.changed.subscribe(owner) { $0.seen.record($1) } }
            await withTaskGroup { group in
                for setter in 0..<4 {
                    group.addTask { for index in 1...100 { current.value = setter * 100 + index } }
                }
            }
            let order = await left.seen.elements(count: 400)
            #expect(await right.seen.elements(count: 400) == order)
            #expect(order.last == current.value)
            #expect(order.sorted() == Array(1...400))
            withExtendedLifetime((left, right)) {}
        }
    }

    @Test func `who joins while the value changes sees it as it is and then each change, none missed and none twice`()
        async
    {
        let last = 2_000
        let owners = Recorder<Numbers>()
        let subscriptions = Recorder<Subscription>()
        let plain = Recorder<Recorder<Int>>()
        await withTaskGroup { group in
            group.addTask { [current] in for value in 1...last { current.value = value } }
            for _ in 0..<3 {
                group.addTask { [current] in
                    for _ in 0..<50 {
                        let owner = Numbers()
                        owners.record(owner)
                        current.subscribeAndFire(EventHandler(owner) { $0.seen.record($1) })
                        let seen = Recorder<Int>()
                        plain.record(seen)
                        subscriptions.record(current.subscribeAndFire { seen.record($0) })
                        await Task.yield()
                    }
                }
            }
        }
        // Whoever delivers may still be at it.
        await current.changed.output.settle()
        for seen in owners.elements.map(\.seen) + plain.elements {
            let values = seen.elements
            #expect(values == Array((values.first ?? -1)...last))
        }
        withExtendedLifetime(subscriptions) {}
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

private final class Farewell: Sendable {
    private let atEnd: @Sendable () -> Void

    init(_ atEnd: @escaping @Sendable () -> Void) { self.atEnd = atEnd }

    deinit { atEnd() }
}
