import Queues
import TestSupport
import Testing
import Transport

extension TransportTests {
    @Suite struct LoopTimerTests {
        @Test(arguments: PollerKind.allCases)
        func `timers fire by deadline, and those of one deadline as they were set`(poller: PollerKind) async throws {
            let clock = ManualClock()
            try await withLoop(poller, clock: clock) { loop in
                let fired = LoopBound(Fired(), loop: loop)
                try await loop.run {
                    for delay in [5, 1, 9, 3, 0, 7, 5, 2, 8, 4, 6] {
                        loop.schedule(after: .seconds(delay)) { fired.value.add(delay) }
                    }
                    loop.schedule(after: .seconds(5)) { fired.value.add(50) }
                    loop.schedule(after: .seconds(-1)) { fired.value.add(-1) }
                    loop.schedule(after: .seconds(Int64.max)) { fired.value.add(-2) }
                }
                try await loop.turns(1)
                #expect(try await loop.run { fired.value.list } == [0, -1])
                try await loop.advance(clock, by: .seconds(9))
                try await loop.turns(1)
                #expect(try await loop.run { fired.value.list.dropFirst(2) } == [1, 2, 3, 4, 5, 5, 50, 6, 7, 8, 9])
            }
        }

        @Test(arguments: PollerKind.allCases)
        func `a cancelled timer doesn't fire, wherever it is cancelled, and lets go of its work`(
            poller: PollerKind
        ) async throws {
            let clock = ManualClock()
            try await withLoop(poller, clock: clock) { loop in
                let fired = LoopBound(Fired(), loop: loop)
                weak var held: Counter?
                let elsewhere = {
                    let counter = Counter()
                    held = counter
                    return loop.schedule(after: .seconds(3600)) { counter.increment() }
                }()
                #expect(held != nil)
                elsewhere.cancel()
                elsewhere.cancel()
                #expect(held == nil)
                try await loop.run {
                    let here = loop.schedule(after: .seconds(1)) { fired.value.add(1) }
                    let sameTurn = loop.schedule(after: .seconds(3)) { fired.value.add(2) }
                    loop.schedule(after: .zero) { here.cancel() }
                    loop.schedule(after: .seconds(2)) { sameTurn.cancel() }
                    loop.schedule(after: .seconds(3)) { fired.value.add(3) }
                }
                try await loop.turns(1)
                try await loop.advance(clock, by: .seconds(3))
                try await loop.turns(1)
                #expect(try await loop.run { fired.value.list } == [3])
            }
        }

        @Test func `a timer that is cancelled on its way to the loop isn't kept`() async throws {
            let loop = try EventLoop(name: "late")
            weak var held: LoopTimer?
            do {
                let timer = loop.schedule(after: .seconds(3600)) {}
                held = timer
                loop.prepare { timer.cancel() }
            }
            #expect(held != nil)
            try loop.start()
            try await loop.run {}
            #expect(held == nil)
            loop.stop()
            await loop.join()
        }

        @Test(arguments: PollerKind.allCases)
        func `work that a task does later goes by the loop's timers, and is over at once when it is cancelled`(
            poller: PollerKind
        ) async throws {
            let clock = ManualClock()
            try await withLoop(poller, clock: clock) { loop in
                let fired = LoopBound(Fired(), loop: loop)
                let first = loop.schedule(after: .seconds(60), by: ContinuousClock()) { fired.value.add(60) }
                let cancelled = loop.schedule(after: .seconds(30), by: ContinuousClock()) { fired.value.add(30) }
                try await loop.turns(2)
                cancelled.cancel()
                await cancelled.value
                let neverBegun = loop.schedule(after: .seconds(30), by: ContinuousClock()) { fired.value.add(31) }
                neverBegun.cancel()
                await neverBegun.value
                try await loop.advance(clock, by: .seconds(60))
                await first.value
                #expect(try await loop.run { fired.value.list } == [60])
            }
        }

        @Test func `no timer fires early`() async throws {
            let clock = ManualClock()
            try await withLoop(.default, clock: clock) { loop in
                let fired = LoopBound(Fired(), loop: loop)
                loop.schedule(after: .milliseconds(20)) { fired.value.add(20) }
                try await loop.advance(clock, by: .nanoseconds(19_999_999))
                try await loop.turns(1)
                #expect(try await loop.run { fired.value.list.isEmpty })
                try await loop.advance(clock, by: .nanoseconds(1))
                try await loop.turns(1)
                #expect(try await loop.run { fired.value.list } == [20])
            }
        }

        @Test func `a loop without a clock of its own goes by the monotonic one`() async throws {
            try await withLoop(.default) { loop in
                let start = SuspendingClock.now
                try await loop.wait(for: "the timer") { keep in loop.schedule(after: .milliseconds(1)) { keep(()) } }
                #expect(SuspendingClock.now - start >= .milliseconds(1))
            }
        }
    }
}

private final class Fired {
    private(set) var list: [Int] = []

    func add(_ delay: Int) {
        list.append(delay)
    }
}
