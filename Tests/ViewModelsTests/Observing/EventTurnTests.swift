import Synchronization
import TestSupport
import Testing

@testable import ViewModels

/// A turn is over when all that it raised has been delivered, and no later.
@Suite(.inTurn) struct EventTurnTests {
    private let event = Event<Int>()
    private let seen = Recorder<String>()

    /// Runs `handler` as a handler of a hosted view model.
    ///
    /// - Returns: the end of what it raised.
    private func end(of handler: () -> Void) -> EventTurn.End? {
        let turn = EventTurn(host: nil)
        defer { turn.close() }
        EventTurn.$delivered.withValue(turn, operation: handler)
        return turn.takeEnd()
    }

    @Test func `a turn without subscribers, or with none in an isolation, is over at once`() throws {
        #expect(end { event.raise(1) } == nil)
        let owner = Owner("a", seen)
        event.subscribe(owner) { owner, value in owner.record(value) }
        #expect(end {} == nil)
        #expect(try #require(end { event.raise(2) }).hasCome)
        #expect(seen.elements == ["a 2"])
    }

    @Test func `a turn waits for handlers in isolations, and for those of the events that they raise`() async throws {
        let (first, second) = (Sum(seen, "first"), Sum(seen, "second"))
        let next = Event<Int>()
        event.subscribe(first) { first, value in
            first.add(value)
            next.raise(value + 1)
        }
        next.subscribe(second) { second, value in second.add(value) }
        for round in 1...20 {
            let end = try #require(end { event.raise(1) })
            await end.wait()
            #expect(await first.sum == round)
            #expect(await second.sum == 2 * round)
            #expect(end.hasCome)
        }
    }

    @Test func `a subscriber without isolation passes the turn on`() async throws {
        let (owner, sum) = (Owner("a", seen), Sum(seen, "sum"))
        let next = Event<Int>()
        event.subscribe(owner) { _, value in next.raise(value) }
        next.subscribe(sum) { sum, value in sum.add(value) }
        for round in 1...20 {
            await (try #require(end { event.raise(1) })).wait()
            #expect(await sum.sum == round)
        }
        withExtendedLifetime(owner) {}
    }

    @Test func `two that subscribe to each other's events are waited for until both are quiet`() async throws {
        let (first, second) = (Sum(seen, "first"), Sum(seen, "second"))
        let back = Event<Int>()
        event.subscribe(first) { first, value in
            first.add(1)
            if value > 0 { back.raise(value - 1) }
        }
        back.subscribe(second) { [event] second, value in
            second.add(1)
            if value > 0 { event.raise(value - 1) }
        }
        await (try #require(end { event.raise(9) })).wait()
        #expect(await first.sum == 5)
        #expect(await second.sum == 5)
    }

    @Test func `the first call of a subscription that fires belongs to the turn, and so does a value that is set`()
        async throws
    {
        let sum = Sum(seen, "sum")
        let dynamic = Dynamic(3)
        await (try #require(end { dynamic.bindAndFire(sum) { sum, value in sum.add(value) } })).wait()
        #expect(await sum.sum == 3)
        await (try #require(end { dynamic.value = 4 })).wait()
        #expect(await sum.sum == 7)
        let observed = Observed(wrappedValue: 0)
        observed.projectedValue.subscribe(sum) { sum, value in sum.add(value) }
        await (try #require(end { observed.wrappedValue = 5 })).wait()
        #expect(await sum.sum == 12)
    }

    @Test func `what a task of a subscriber's raises later belongs to no turn`() async throws {
        let (gate, sum) = (Gate(), Sum(seen, "sum"))
        let next = Event<Int>()
        next.subscribe(sum) { sum, value in sum.add(value) }
        let starter = Sum(seen, "starter")
        event.subscribe(starter) { _, value in
            Task {
                await gate.wait()
                next.raise(value)
            }
        }
        // Comes although the task doesn't go on.
        await (try #require(end { event.raise(1) })).wait()
        gate.open()
        _ = await seen.elements(count: 1)
        withExtendedLifetime(starter) {}
    }

    @Test func `a turn ends where its subscriber unsubscribes or is gone`() async throws {
        let executor = HeldExecutor()
        var owner: HeldOwner? = HeldOwner(executor)
        if let owner { event.subscribe(owner) { [seen] _, _ in seen.record("called") } }
        let end = try #require(end { event.raise(1) })
        #expect(!end.hasCome)
        if let owner { event.unsubscribe(owner) }
        owner = nil
        executor.open()
        await end.wait()
        #expect(seen.elements.isEmpty)
    }

    @Test func `a turn waits for another thread that delivers for it`() async throws {
        let (gate, inside) = (Gate(), Gate())
        let owner = Owner("a", seen)
        let isFirst = Atomic(true)
        let sum = Sum(seen, "sum")
        event.subscribe(owner) { _, _ in
            guard isFirst.exchange(false, ordering: .relaxed) else { return }
            inside.open()
            gate.block()
        }
        event.subscribe(sum) { sum, value in sum.add(value) }
        async let delivering: Void = onThread { [event] in event.raise(1) }
        await inside.wait()
        let end = try #require(end { event.raise(10) })
        #expect(!end.hasCome)
        gate.open()
        await end.wait()
        #expect(await sum.sum == 11)
        await delivering
        withExtendedLifetime(owner) {}
    }
}

private actor Sum {
    private(set) var sum = 0
    private let seen: Recorder<String>
    private let name: String

    init(_ seen: Recorder<String>, _ name: String) {
        (self.seen, self.name) = (seen, name)
    }

    func add(_ value: Int) {
        sum += value
        seen.record("\(name) \(sum)")
    }
}

/// In whose isolation nothing runs before the test says so.
private actor HeldOwner {
    private let executor: HeldExecutor

    init(_ executor: HeldExecutor) { self.executor = executor }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}
