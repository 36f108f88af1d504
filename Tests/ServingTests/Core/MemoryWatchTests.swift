import Serving
import Synchronization
import TestSupport
import Testing
import Transport

@Suite(.inTurn, .timeLimit(.minutes(4)))
struct MemoryWatchTests {
    /// A process that the test describes.
    private final class FakeProcess: Sendable {
        let state = Mutex((used: 0, unused: 0, seconds: 0.0))
        let trims = Recorder<Void>()

        var process: MemoryWatch.Process {
            MemoryWatch.Process(
                memory: { [self] in state.withLock { ProcessMemory(usedBytes: $0.used, unusedBytes: $0.unused) } },
                processorSeconds: { [self] in state.withLock { $0.seconds } },
                trim: { [self] in
                    state.withLock { $0.unused = 0 }
                    trims.record(())
                })
        }
    }

    private let clock = ManualClock()
    private let fake = FakeProcess()

    private func watch() -> MemoryWatch {
        MemoryWatch(memoryBytes: 1_000, unusedBytes: 100, clock: clock, process: fake.process)
    }

    @Test func `unused memory goes back once the process is idle, and not before`() async {
        let watch = watch()
        let trimmed = Recorder<Int>()
        fake.state.withLock { $0 = (10, 500, 0) }
        watch.note(makeRoom: { 0 }, didTrim: { trimmed.record($0) })
        for _ in 0..<3 {
            await clock.sleepers(1)
            fake.state.withLock { $0.seconds += 0.5 }
            clock.advance(by: .seconds(1))
        }
        await clock.sleepers(1)
        #expect(fake.trims.elements.isEmpty)
        clock.advance(by: .seconds(1))
        #expect(await trimmed.elements(count: 1) == [500])
        #expect(fake.trims.elements.count == 1)
    }

    @Test func `a little unused memory stays`() async {
        let watch = watch()
        fake.state.withLock { $0 = (10, 100, 0) }
        watch.note(makeRoom: { 0 }, didTrim: { _ in Issue.record("trimmed") })
        await clock.sleepers(1)
        clock.advance(by: .seconds(1))
        await until { clock.sleeperCount == 0 }
        #expect(fake.trims.elements.isEmpty)
    }

    @Test func `nothing holds more than is allocated, where that is known`() {
        for (used, mayHold) in [(0, true), (999, false), (1_001, true)] {
            fake.state.withLock { $0.used = used }
            #expect(watch().mayHold(1_000) == mayHold)
        }
    }

    @Test func `while too much is allocated sessions give way, and new ones are refused when none is left`() async {
        let watch = watch()
        let asked = Recorder<Void>()
        fake.state.withLock { $0 = (1_500, 0, 0) }
        watch.note(
            makeRoom: { [fake] in
                asked.record(())
                return fake.state.withLock { state in
                    state.used -= 200
                    return 1
                }
            }, didTrim: { _ in })
        while fake.state.withLock({ $0.used > 1_000 }) {
            await clock.sleepers(1)
            clock.advance(by: .seconds(1))
            await until { clock.sleeperCount > 0 || fake.state.withLock { $0.used <= 1_000 } }
        }
        #expect(asked.elements.count == 3)
        await clock.sleepers(1)
        #expect(watch.isFull)
        clock.advance(by: .seconds(1))
        await until { !watch.isFull }
    }
}
