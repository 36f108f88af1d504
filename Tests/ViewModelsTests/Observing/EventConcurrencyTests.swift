import Synchronization
import TestSupport
import Testing
import ViewModels

/// Several tasks and threads at once.
@Suite(.inTurn) struct EventConcurrencyTests {
    private let event = Event<Int>()

    @Test func `many tasks that raise at once lose nothing, and all handlers see one order`() async {
        let (left, right, label) = (Numbers(), Numbers(), MainNumbers())
        for owner in [left, right] { event.subscribe(owner) { $0.seen.record($1) } }
        await label.follow(event)
        let (raisers, each) = (8, 500)
        await withTaskGroup { group in
            for raiser in 0..<raisers {
                group.addTask { [event] in for index in 0..<each { event.raise(raiser * each + index) } }
            }
        }
        let order = await left.seen.elements(count: raisers * each)
        #expect(await right.seen.elements(count: raisers * each) == order)
        #expect(await label.seen.elements(count: raisers * each) == order)
        #expect(order.sorted() == Array(0..<(raisers * each)))
        for raiser in 0..<raisers {
            let own = order.filter { $0 / each == raiser }
            #expect(own == own.sorted(), "what raiser \(raiser) raised changed places")
        }
        withExtendedLifetime((left, right, label)) {}
    }

    @Test func `owners come, go and end while others raise`() async {
        let steady = Numbers()
        event.subscribe(steady) { $0.seen.record($1) }
        let ends = Recorder<Void>()
        let (raisers, each) = (2, 1_000)
        await withTaskGroup { group in
            for raiser in 0..<raisers {
                group.addTask { [event] in for index in 0..<each { event.raise(raiser * each + index) } }
            }
            for _ in 0..<4 {
                group.addTask { [event] in
                    for round in 0..<250 {
                        let owner = Numbers()
                        let held = Held { ends.record(()) }
                        event.subscribe(owner) { numbers, number in
                            withExtendedLifetime(held) { numbers.seen.record(number) }
                        }
                        if round.isMultiple(of: 3) { event.subscribe(owner) { $0.seen.record($1) } }
                        if round.isMultiple(of: 2) { event.unsubscribe(owner) }
                        withExtendedLifetime(owner) {}
                    }
                }
            }
        }
        #expect(await steady.seen.elements(count: raisers * each).sorted() == Array(0..<(raisers * each)))
        event.raise(0)
        // All others are gone with their handlers.
        #expect(ends.elements.count == 4 * 250)
        withExtendedLifetime(steady) {}
    }

    @Test func `an owner that several tasks subscribe at once has one handler`() async {
        let owner = Numbers()
        await withTaskGroup { group in
            for _ in 0..<100 { group.addTask { [event] in event.subscribe(owner) { $0.seen.record($1) } } }
        }
        event.raise(1)
        #expect(owner.seen.elements == [1])
        withExtendedLifetime(owner) {}
    }

    @Test func `no call begins after unsubscribe has returned, while another thread raises`() async {
        for _ in 0..<50 {
            let owner = Numbers()
            let (raised, mayGoOn) = (Gate(), Gate())
            let first = Numbers()
            event.subscribe(first) { _, _ in
                raised.open()
                mayGoOn.block()
            }
            event.subscribe(owner) { $0.seen.record($1) }
            async let raise: Void = onThread { [event] in event.raise(1) }
            await raised.wait()
            event.unsubscribe(owner)
            mayGoOn.open()
            await raise
            #expect(owner.seen.elements.isEmpty)
            withExtendedLifetime((first, owner)) {}
        }
    }
}

private final class Numbers: Sendable {
    let seen = Recorder<Int>()
}

@MainActor private final class MainNumbers {
    nonisolated let seen = Recorder<Int>()

    func follow(_ event: Event<Int>) {
        event.subscribe(self) { $0.seen.record($1) }
    }
}
