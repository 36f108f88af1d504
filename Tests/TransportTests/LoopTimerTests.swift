import Testing
import Transport

extension TransportTests {
    @Suite struct LoopTimerTests {
        @Test(arguments: PollerKind.allCases)
        func `timers fire by deadline, and those of one deadline as they were set`(poller: PollerKind) async throws {
            try await withLoop(poller) { loop in
                let fired = LoopBound(Fired(), loop: loop)
                try await loop.wait(for: "all timers") { keep in
                    for delay in [5, 1, 9, 3, 0, 7, 2, 8, 4, 6] {
                        loop.schedule(after: .milliseconds(delay)) { fired.value.add(delay) }
                    }
                    loop.schedule(after: .milliseconds(10)) { keep(()) }
                    loop.schedule(after: .seconds(-1)) { fired.value.add(-1) }
                    loop.schedule(after: .seconds(Int64.max)) { fired.value.add(-2) }
                }
                let order = try await loop.run { fired.value.list.filter { $0 > 0 } }
                #expect(order == Array(1...9))
                #expect(try await loop.run { Set(fired.value.list.prefix(2)) } == [0, -1])
            }
        }

        @Test(arguments: PollerKind.allCases)
        func `a cancelled timer doesn't fire, wherever it is cancelled, and lets go of its work`(
            poller: PollerKind
        ) async throws {
            try await withLoop(poller) { loop in
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
                try await loop.wait(for: "the last timer") { keep in
                    let here = loop.schedule(after: .milliseconds(1)) { fired.value.add(1) }
                    let sameTurn = loop.schedule(after: .milliseconds(2)) { fired.value.add(2) }
                    loop.schedule(after: .zero) {
                        here.cancel()
                        sameTurn.cancel()
                    }
                    loop.schedule(after: .milliseconds(3)) { keep(()) }
                }
                #expect(try await loop.run { fired.value.list.isEmpty })
            }
        }

        @Test func `no timer fires early`() async throws {
            try await withLoop(.default) { loop in
                let start = ContinuousClock.now
                try await loop.wait(for: "the timer") { keep in loop.schedule(after: .milliseconds(20)) { keep(()) } }
                #expect(ContinuousClock.now - start >= .milliseconds(20))
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
