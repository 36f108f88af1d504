import TestSupport
import Testing
import Transcripts

@Suite(.inTurn) struct VirtualClockTests {
    private let clock = VirtualClock()
    private let woken = Recorder<Int>()

    /// Tasks that sleep so many milliseconds and then say so.
    private func sleepers(_ times: Int...) async -> [Task<Void, any Error>] {
        var tasks: [Task<Void, any Error>] = []
        for (index, time) in times.enumerated() {
            let asleep = Recorder<Void>()
            clock.onSleep { asleep.record(()) }
            tasks.append(
                Task { [clock, woken] in
                    try await clock.sleep(for: .milliseconds(time))
                    woken.record(index)
                })
            _ = await asleep.elements(count: 1)
        }
        clock.onSleep(nil)
        return tasks
    }

    @Test func `sleepers wake in the order of their times, however they began`() async throws {
        let tasks = await sleepers(30, 10, 20)
        for (count, place) in [1, 2, 0].enumerated() {
            #expect(clock.wakeNext(upTo: .init(milliseconds: 30)))
            #expect(await woken.elements(count: count + 1).last == place)
            #expect(clock.now == .init(milliseconds: [10, 20, 30][count]))
        }
        #expect(!clock.wakeNext(upTo: .init(milliseconds: .max)))
        for task in tasks { try await task.value }
    }

    @Test func `a sleeper beyond the limit doesn't wake, and the clock stays`() async throws {
        let tasks = await sleepers(1_001)
        #expect(!clock.wakeNext(upTo: .init(milliseconds: 1_000)))
        #expect(clock.now == .init(milliseconds: 0))
        #expect(clock.nextWake == .init(milliseconds: 1_001))
        #expect(clock.wakeNext(upTo: .init(milliseconds: 1_001)))
        try await tasks[0].value
    }

    @Test func `sleepers with the same deadline wake together`() async throws {
        let tasks = await sleepers(5, 5)
        #expect(clock.wakeNext(upTo: .init(milliseconds: 5)))
        for task in tasks { try await task.value }
        #expect(clock.nextWake == nil)
    }

    @Test func `the clock never goes back, and a deadline in the past is no sleep`() async throws {
        clock.advance(to: .init(milliseconds: 100))
        clock.advance(to: .init(milliseconds: 50))
        #expect(clock.now == .init(milliseconds: 100))
        try await clock.sleep(until: .init(milliseconds: 100), tolerance: nil)
    }

    @Test func `a cancelled task stops sleeping`() async {
        let task = await sleepers(5)[0]
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.nextWake == nil)
        let cancelledBefore = Task { [clock] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await cancelledBefore.value }
    }

    @Test func `when the clock has ended, sleeping throws`() async {
        let task = await sleepers(5)[0]
        clock.end()
        await #expect(throws: CancellationError.self) { try await task.value }
        await #expect(throws: CancellationError.self) { try await clock.sleep(for: .seconds(1)) }
    }
}
